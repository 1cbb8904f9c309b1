"""Writes a tiny Llama without weights, a tokenizer for it, and conversations.

usage: make_model.py FOLDER

Everything is drawn from fixed seeds: made-up words, and a tokenizer trained on
them. A server fills the weights at random (--load-format dummy).
"""

import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

VOCABULARY = 16000
rng = random.Random(41)
SYLLABLES = [c + v + e for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u", "ai", "ou") for e in ("", "n", "r", "s", "l")]
WORDS = ["".join(rng.choices(SYLLABLES, k=rng.choice((1, 2, 2, 3)))) for _ in range(30000)]


def sentences(n):
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(5, 14))).capitalize() + "." for _ in range(n))


def write(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")


def tokenizer():
    special = ["<|end|>", "<|from|>", "<|to|>"]
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tok.train_from_iterator((sentences(6) for _ in range(15000)), trainer)
    return tok


def main():
    folder = pathlib.Path(sys.argv[1])
    model = folder / "tiny-llama"
    model.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(model / "tokenizer.json"))
    write(model / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 4096, "add_bos_token": False,
        "eos_token": "<|end|>", "pad_token": "<|end|>", "clean_up_tokenization_spaces": False,
        "chat_template": "{% for m in messages %}<|from|>{{ m['role'] }}<|to|>{{ m['content'] }}{% endfor %}"})
    write(model / "special_tokens_map.json", {"eos_token": "<|end|>", "pad_token": "<|end|>"})
    write(model / "generation_config.json", {"eos_token_id": 0, "pad_token_id": 0})
    write(folder / "invented-sharegpt.json", [
        {"id": f"made-up-{i}", "conversations": [{"from": "human", "value": sentences(rng.randint(2, 12))}, {"from": "gpt", "value": sentences(rng.randint(2, 10))}]}
        for i in range(600)])
    write(model / "config.json", {  # last: its presence says that the rest is there
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY, "torch_dtype": "bfloat16",
        "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
        "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "attention_bias": False, "mlp_bias": False, "initializer_range": 0.02, "bos_token_id": None, "eos_token_id": 0, "pad_token_id": 0, "use_cache": True})


main()
