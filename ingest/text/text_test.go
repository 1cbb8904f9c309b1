package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Prefill batch, #new-seq: 1\tx", "Prefill batch, #new-seq: 1\tx"},
		{"colour", "\x1b[32mok\x1b[0m", "ok"},
		{"colour as one character", "\u009b31mred", "red"},
		{"title", "\x1b]0;window\aline", "line"},
		{"hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"title without its end", "\x1b]0;rest of the line", "0;rest of the line"},
		{"cut sequence", "end\x1b[3", "end"},
		{"character set", "a\x1b(Bb", "ab"},
		{"two characters", "a\x1bMb", "ab"},
		{"escape alone", "a\x1b", "a\uFFFD"},
		{"control", "a\x00b\x07c", "a\uFFFDb\uFFFDc"},
		{"C1 control", "a\u0086b", "a\uFFFDb"},
		{"carriage return", " 38%\rnext", " 38% next"},
		{"line separators", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"byte order mark", "\uFEFFa", "a"},
		{"override", "a\u202Eb\u2066c", "a\uFFFDb\uFFFDc"},
		{"invalid", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"other scripts stay", "größe 試験", "größe 試験"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// secret is what no output may hold; it has no known shape of its own.
const secret = "Tr0ub4dor-and-3"

func TestRedact(t *testing.T) {
	for _, line := range []string{
		"api_key='" + secret + "'",
		"admin_api_key=\"" + secret + "\", page_size=1",
		"server_args=ServerArgs(model_path='m/x', api_key='" + secret + "', tp_size=1)",
		`{"model_path": "m/x", "api_key": "` + secret + `", "page_size": 1}`,
		`{"launch_command": "python -m sglang.launch_server --api-key ` + secret + ` --port 30000"}`,
		`{"launch_command": "python -m x --api-key \"` + secret + `\" --port 1"}`,
		"--api-key " + secret + " --port 30000",
		"--api-key=" + secret,
		"vllm serve m --api-key '" + secret + "'",
		"['--api-key', '" + secret + "', '--port', '8000']",
		"api_key=['" + secret + "']",
		"OPENAI_API_KEY=" + secret + " python3 -m sglang.bench_serving",
		"export HF_TOKEN=" + secret,
		"AZURE_OPENAI_KEY=" + secret,
		"AWS_SECRET_ACCESS_KEY=" + secret,
		"hf_token='" + secret + "'",
		"--hf-token " + secret,
		"token: " + secret,
		"password=" + secret + "&user=x",
		"password: 12345678" + secret,
		"DB_PASSWORD: " + secret,
		"Authorization: Bearer " + secret,
		"'Authorization': 'Bearer " + secret + "'",
		"curl -H 'Authorization: Bearer " + secret + "' http://h/x",
		"curl -H \"x-api-key: " + secret + "\" http://h/x",
		"curl -H'X-Custom: " + secret + "' http://h/x",
		"--header 'X-Any=" + secret + "'",
		"header=['X-Any: " + secret + "'], rust_client=False",
		"headers={'X-Any': '" + secret + "'}",
		"Bearer " + secret + secret,
		"http://user:" + secret + "@host:30000/generate",
		"https://" + secret + "@host/x",
		"GET /x?api_key=" + secret + "&n=1",
		"cookie: session=" + secret + "; other=" + secret,
		"ssl_keyfile_password='" + secret + "'",
		`extra_request_body='{"api_key": "` + secret + `"}'`,
		`extra_request_body='{\"api_key\": \"` + secret + `\"}'`,
	} {
		got := Redact(line)
		if strings.Contains(got, secret) {
			t.Errorf("Redact(%q) = %q still holds the secret", line, got)
		}
		if !strings.Contains(got, Redacted) {
			t.Errorf("Redact(%q) = %q does not say that something was there", line, got)
		}
		if again := Redact(got); again != got {
			t.Errorf("Redact twice: %q, then %q", got, again)
		}
	}
}

func TestRedactShapes(t *testing.T) {
	for _, key := range []string{
		"sk-abcdefghijklmnop1234", "hf_abcdefghijklmnopqrstuvwxyz", "ghp_abcdefghijklmnopqrstuv",
		"AKIAABCDEFGHIJKLMNOP", "nvapi-abcdefghijklmnopqrstuv",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
	} {
		if got := Redact("using " + key + " for it"); got != "using "+Redacted+" for it" {
			t.Errorf("Redact(%q) = %q", key, got)
		}
	}
}

// TestRedactLeaves holds what a benchmark's evidence is made of.
func TestRedactLeaves(t *testing.T) {
	for _, line := range []string{
		"[2026-10-17 14:23:00] Prefill batch, #new-seq: 9, #new-token: 9, #cached-token: 4401, token usage: 0.07, #running-req: 1",
		"[2025-07-06 07:00:02 TP0] Prefill batch. #new-seq: 1, #token: full=640, swa=320, token usage: full=0.01, swa=0.02",
		"Namespace(backend='sglang', tokenizer='/srv/m', seed=7, num_prompts=64, header=None, token_ids_logprob=None, api_key=None)",
		`{"max_tokens": 16, "tokenizer_path": "m/x", "total_input_tokens": 32768, "eos_token": "</s>", "token": 17}`,
		"--tokenizer /srv/kit/tiny-llama --seed 7 --max-total-tokens 65536 --random-seed 42",
		"#Input tokens: 32768",
		"Total cached tokens:                     32704     ",
		`sglang:cached_tokens_total{cache_source="device",model_name="m/x"} 6879.0`,
		"curl -s http://127.0.0.1:30000/generate -H 'content-type: application/json' -d '{}'",
		"curl -s -X POST http://127.0.0.1:30000/flush_cache -H \"Authorization: $AUTH\"",
		"--api-key $OPENAI_API_KEY --port 1",
		"Output token throughput (tok/s):         1310.98",
		"prefix_cache_key=none extra_key=a routing_key=b",
		"max_total_num_tokens=401234, chunked_prefill_size=8192",
		"keyword: value, monkey: banana",
		"https://huggingface.co/x/y@main",
		"INFO:     127.0.0.1:40290 - \"POST /flush_cache HTTP/1.1\" 401 Unauthorized",
	} {
		if got := Redact(line); got != line {
			t.Errorf("Redact changed harmless text:\n%s", cmp.Diff(line, got))
		}
	}
}

func TestRedactArgs(t *testing.T) {
	args := map[string]any{
		"api_key":        secret,
		"admin_api_key":  nil,
		"seed":           int64(7),
		"tokenizer":      "m/x",
		"header":         []any{"X-Any: " + secret},
		"launch_command": "python -m x --api-key " + secret,
		"extra":          map[string]any{"hf_token": secret, "max_tokens": 3.0},
		"argv":           []any{"--api-key", secret, "--port", "1"},
		"headers":        map[string]any{"X-Any": secret},
	}
	RedactArgs(args)
	want := map[string]any{
		"api_key":        Redacted,
		"admin_api_key":  nil,
		"seed":           int64(7),
		"tokenizer":      "m/x",
		"header":         []any{Redacted},
		"launch_command": "python -m x --api-key " + Redacted,
		"extra":          map[string]any{"hf_token": Redacted, "max_tokens": 3.0},
		"argv":           []any{"--api-key", Redacted, "--port", "1"},
		"headers":        map[string]any{"X-Any": Redacted},
	}
	if d := cmp.Diff(want, args); d != "" {
		t.Errorf("RedactArgs (-want +got):\n%s", d)
	}
}

func TestEvidenceIsCut(t *testing.T) {
	e := Evidence("f", 3, []byte(strings.Repeat("é", 1000)))
	if n := utf8.RuneCountInString(e.Text); n != 400 {
		t.Errorf("evidence of %d characters", n)
	}
	if e := Evidence("f", 3, []byte("api_key="+strings.Repeat("x", 5000))); strings.Contains(e.Text, "xx") {
		t.Errorf("a secret longer than the quote stands in it: %q", e.Text)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\a", "\xff\xfe", "\u202e", "\r\n", "\u009b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || directional(r) || r == 0x2028 || r == 0x2029 || r == 0xFEFF {
				t.Errorf("Clean(%q) holds %U", s, r)
			}
		}
		if Clean(got) != got {
			t.Errorf("Clean twice differs: %q, %q", got, Clean(got))
		}
	})
}

// FuzzRedact puts a secret behind a name at any place of any text.
func FuzzRedact(f *testing.F) {
	f.Add("server_args=ServerArgs(", ", tp_size=1)")
	f.Add("'", "'")
	f.Add("{\"a\": \"", "\"}")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, form := range []string{" api_key='" + secret + "' ", " --api-key " + secret + " ", " \"password\": \"" + secret + "\" "} {
			s := before + form + after
			if strings.Contains(before+after, secret) {
				t.Skip()
			}
			if got := Redact(s); strings.Contains(got, secret) {
				t.Errorf("Redact(%q) = %q", s, got)
			}
		}
	})
}
