package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []statement
	}{
		{"words", "a  b\tc", []statement{{line: 1, words: []string{"a", "b", "c"}}}},
		{"quotes", `a 'b c' "d \"e\" $f" g\ h`, []statement{{line: 1, words: []string{"a", "b c", `d "e" $f`, "g h"}}}},
		{"continued", "a \\\n  --x 1 \\\r\n  --y 2\nb", []statement{
			{line: 1, words: []string{"a", "--x", "1", "--y", "2"}}, {line: 4, words: []string{"b"}}}},
		{"redirections", "a > x.txt 2>&1 >> y.txt 2> err.txt < in < /dev/null > /dev/null", []statement{
			{line: 1, words: []string{"a"}, stdout: []string{"x.txt", "y.txt"}}}},
		{"both streams", "a &> x.txt; b >& y.txt", []statement{
			{line: 1, words: []string{"a"}, stdout: []string{"x.txt"}}, {line: 1, words: []string{"b"}, stdout: []string{"y.txt"}}}},
		{"tee", "a 2>&1 | tee -a x.txt | grep y > z.txt", []statement{
			{line: 1, words: []string{"a"}, stdout: []string{"x.txt", "z.txt"}}}},
		{"lists", "a && b || c; d & e", []statement{
			{line: 1, words: []string{"a"}}, {line: 1, words: []string{"b"}}, {line: 1, words: []string{"c"}},
			{line: 1, words: []string{"d"}, ahead: true}, {line: 1, words: []string{"e"}}}},
		{"comment", "a # b\n# c\nd#e", []statement{{line: 1, words: []string{"a"}}, {line: 3, words: []string{"d#e"}}}},
		{"substitutions stay", "a $(b \"c d\" (e)) ${F:-g h} `i j`", []statement{
			{line: 1, words: []string{"a", `$(b "c d" (e))`, "${F:-g h}", "`i j`"}}}},
		{"here document", "cat <<EOF > x\npython -m sglang.bench_serving\nEOF\nb", []statement{
			{line: 1, words: []string{"cat"}}, {line: 4, words: []string{"b"}}}},
		{"quote without its end", "a 'b\nc", []statement{{line: 1, words: []string{"a", "b\nc"}}}},
		{"pipe without a command", "| tee x\na", []statement{{line: 1, words: []string{"tee", "x"}}, {line: 2, words: []string{"a"}}}},
	} {
		got := split([]byte(c.src))
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(statement{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

const kit = `#!/bin/sh
# server: python3 -m sglang.launch_server --model-path m/x --port 30000 --host 127.0.0.1 --page-size 16 --disable-radix-cache --tp 2 >> server.log 2>&1 &
curl -s -X POST -w 'HTTP %{http_code}\n' 'http://127.0.0.1:30000/flush_cache?timeout=30' > flush.txt
curl -s http://127.0.0.1:30000/metrics > c8.metrics-before.prom
python3 -m sglang.bench_serving --backend sglang --host 127.0.0.1 --port 30000 --dataset-name random \
  --num-prompts 64 --random-input-len 512 --random-output-len 128 --random-range-ratio 1.0 --seed 7 --max-concurrency 8 \
  --flush-cache --output-file c8.jsonl --output-details 2>&1 | tee c8.txt
# python3 -m sglang.bench_serving --seed 8
python3 -m sglang.benchmark.serving --rust-client --seed $SEED --request-rate inf
OPENAI_API_KEY=sk-abcdefghijklmnopqrst bash -c "vllm bench serve --model m --num-prompts 8 --random-input-len 128 --result-filename c1.json > c1.txt 2>&1"
vllm serve m/y --block-size 32 --no-enable-prefix-caching --api-key Tr0ub4dor
echo "python3 -m sglang.bench_serving --seed 9"
pkill -f "sglang serve"
`

func commands(t *testing.T, src string) []*capture.Command {
	t.Helper()
	var out []*capture.Command
	for _, b := range buildAll(split([]byte(src))) {
		out = append(out, b.Command)
	}
	return out
}

func TestBuild(t *testing.T) {
	got := commands(t, kit)
	var kinds []string
	for _, c := range got {
		kinds = append(kinds, string(c.Kind)+" "+c.Client)
	}
	want := []string{"server ", "flush ", "scrape ", "client sglang.bench_serving", "client sglang.rust", "client vllm bench serve", "server "}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Fatalf("commands (-want +got):\n%s", d)
	}

	server := got[0]
	if s := server.Server; *s.PageSize != 16 || *s.PrefixCache || *s.TPSize != 2 || s.Model != "m/x" || server.Target != "127.0.0.1:30000" {
		t.Errorf("server %+v of %q", s, server.Target)
	}
	if d := cmp.Diff([]string{"server.log"}, server.Stdout); d != "" {
		t.Errorf("server log: %s", d)
	}
	if f := got[1]; f.Target != "127.0.0.1:30000" || len(f.Stdout) != 1 || f.Stdout[0] != "flush.txt" {
		t.Errorf("flush %+v", f)
	}

	bench := got[3]
	w := bench.Workload
	if *w.Seed != 7 || *w.Prompts != 64 || *w.InputLen != 512 || *w.OutputLen != 128 || *w.RangeRatio != 1 || !*w.FlushAsked || w.Dataset != "random" {
		t.Errorf("workload %+v", w)
	}
	if bench.Cap != (capture.Cap{Known: true, N: 8}) || bench.Output != "c8.jsonl" || bench.Stdout[0] != "c8.txt" || bench.Rate.Known {
		t.Errorf("client %+v", bench)
	}

	rust := got[4]
	if rust.Workload.Seed != nil || !rust.Rate.Inf {
		t.Errorf("a seed in a variable was read: %+v", rust.Workload)
	}

	vllm := got[5]
	if *vllm.Workload.Seed != 0 || !vllm.Workload.SeedDefault || vllm.Output != "c1.json" {
		t.Errorf("vllm %+v", vllm)
	}
	if s := got[6].Server; s.Engine != "vllm" || s.Model != "m/y" || *s.PageSize != 32 || *s.PrefixCache {
		t.Errorf("vllm server %+v", s)
	}
}

func TestClients(t *testing.T) {
	for _, c := range []struct {
		line, client, output     string
		seed                     int64
		prompts, input, out, cap int
	}{
		{"guidellm run --backend kind=openai_http,target=http://127.0.0.1:8010,model=m --data kind=synthetic_text,prompt_tokens=128,output_tokens=16 --profile kind=concurrent,streams=2 --constraint kind=max_requests,count=16 --seed kind=static,value=42 --output kind=json,path=c2.json --output kind=csv,path=c2.csv", "guidellm", "c2.json", 42, 16, 128, 16, 2},
		{"/v/bin/aiperf profile --model m --streaming --concurrency 2 --request-count 16 --synthetic-input-tokens-mean 128 --output-tokens-mean 16 --extra-inputs ignore_eos:true --random-seed 42 --use-server-token-count --ui simple --output-artifact-dir c2", "aiperf", "c2", 42, 16, 128, 16, 2},
		{"evalscope perf --model m --parallel 4 --number 32 --min-prompt-length 128 --max-prompt-length 128 --max-tokens 16 --dataset random --seed 42 --outputs-dir c4 --no-timestamp --stream", "evalscope", "c4", 42, 32, 128, 16, 4},
		{"vllm bench serve --dataset-name random --random-input-len 128 --random-output-len 16 --num-prompts 8 --seed 3 --max-concurrency 1 --save-result --save-detailed --result-filename=c1.json", "vllm bench serve", "c1.json", 3, 8, 128, 16, 1},
	} {
		got := commands(t, c.line)
		if len(got) != 1 {
			t.Errorf("%s: %d commands", c.client, len(got))
			continue
		}
		g, w := got[0], got[0].Workload
		if g.Client != c.client || g.Output != c.output || *w.Seed != c.seed || *w.Prompts != c.prompts || *w.InputLen != c.input || *w.OutputLen != c.out || g.Cap.N != c.cap {
			t.Errorf("%s: %+v", c.client, g)
		}
	}
}

// What a script starts and does not wait for goes on beside what follows.
func TestSideBySide(t *testing.T) {
	const bench = "vllm bench serve --num-prompts 8"
	var got []string
	for _, c := range commands(t, bench+" 2>&1 | tee a.txt &\n"+bench+" > b.txt 2>&1 & "+bench+"\nwait\n"+bench+" && wait $!\n"+bench) {
		got = append(got, fmt.Sprint(c.Ahead, c.Waits))
	}
	if want := []string{"true 0", "true 0", "false 0", "false 1", "false 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A group, a subshell and a loop go on beside what follows as one command does.
func TestGroupsSideBySide(t *testing.T) {
	const bench = "vllm bench serve --num-prompts 8"
	for _, c := range []struct {
		src  string
		want []bool
	}{
		{"( cd x; " + bench + "; " + bench + " | tee a ) &\n" + bench, []bool{true, true, false}},
		{"{ " + bench + "\n" + bench + "; } &\n" + bench, []bool{true, true, false}},
		{bench + "\nfor i in 1 2; do " + bench + "; done &\n" + bench, []bool{false, true, false}},
		{"( " + bench + " )\n" + bench, []bool{false, false}},
		{"( " + bench + " ); " + bench + " &", []bool{false, true}},
	} {
		var got []bool
		for _, x := range commands(t, c.src) {
			got = append(got, x.Ahead)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.src, got, c.want)
		}
	}
}

// generated-shared-prefix sends what its groups and turns make.
func TestGroupsAndTurns(t *testing.T) {
	for line, want := range map[string][2]int{
		"--gsp-num-groups 3 --gsp-prompts-per-group 2":                                       {6, 1},
		"--gsp-num-groups 3 --gsp-prompts-per-group 2 --gsp-num-turns 3 --warmup-requests 2": {18, 6},
	} {
		w := commands(t, "python -m sglang.bench_serving --dataset-name generated-shared-prefix --num-prompts 9 "+line)[0].Workload
		if *w.Prompts != want[0] || *w.Warmups != want[1] {
			t.Errorf("%s: %d prompts, %d warm-ups", line, *w.Prompts, *w.Warmups)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(kit)
	f.Add("a $(b 'c' `d` ${e} \\\n> f 2>&1 | tee g")
	f.Add("<<x")
	f.Fuzz(func(t *testing.T, src string) {
		lines := strings.Count(src, "\n") + 1
		for _, s := range split([]byte(src)) {
			if s.line < 1 || s.line > lines {
				t.Errorf("a statement on line %d of %d", s.line, lines)
			}
			build(s)
		}
	})
}

func TestLoops(t *testing.T) {
	script := "#!/bin/sh\npython3 -m sglang.bench_serving --backend sglang --seed 1\n" +
		"for c in 8 32; do\n  python3 -m sglang.bench_serving --backend sglang --seed 2 --max-concurrency $c\ndone\n" +
		"python3 -m sglang.bench_serving --backend sglang --seed 3\n"
	var got []bool
	for _, c := range commands(t, script) {
		got = append(got, c.Repeats)
	}
	if want := []bool{false, true, false}; !slices.Equal(got, want) {
		t.Errorf("commands in a loop: %v, want %v", got, want)
	}
}

// A run starts at the first row of its dataset unless it is told another.
func TestOffsetIntoTheDataset(t *testing.T) {
	const bench = "python3 -m sglang.bench_serving --backend sglang --dataset-name agentic-trace --dataset-path t.jsonl --num-prompts 64"
	for line, want := range map[string]int{bench: 0, bench + " --dataset-offset 64": 64, bench + " --dataset-offset=128": 128} {
		got := commands(t, line)
		if len(got) != 1 || got[0].Workload.Offset == nil || *got[0].Workload.Offset != want {
			t.Errorf("%s: %+v, want an offset of %d", line, got, want)
		}
	}
}

// Every engine's way of emptying its cache is a flush.
func TestFlushCommands(t *testing.T) {
	for _, path := range []string{"flush_cache", "flush_cache?timeout=30", "reset_prefix_cache", "clear_kv_blocks"} {
		got := commands(t, "curl -s -X POST http://127.0.0.1:8000/"+path+" > flush.txt")
		if len(got) != 1 || got[0].Kind != capture.CommandFlush || got[0].Target != "127.0.0.1:8000" {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
