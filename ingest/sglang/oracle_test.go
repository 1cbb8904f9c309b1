package sglang

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coldcase/ingest/access"
)

// The oracle says the same as Parse, slowly and with regular expressions.
type oracle struct {
	class                                       Class
	malformed                                   bool
	seq, token, cached, running, queue, pending int
	replay, graph, status                       int
	usage, hit, speed                           float64
	host, path                                  string
	query                                       bool
	decodeRunning, decodeQueue                  int
}

var (
	reBracket = regexp.MustCompile(`^\[(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[ T]|)(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:[.,]\d{3})?(?: [A-Z_]+\d+)*\] ?`)
	reGPU     = regexp.MustCompile(`^\[gpu(?:_id)?=\d+\] ?`)
	reHead    = regexp.MustCompile(`^(Prefill|Decode) batch(?:[.,] ?|\([^)]*\)(?:[.,] ?)?| \[[^\]]*\](?:[.,] ?)?|$| $|\([^)]*$| \[[^\]]*$)`)
	reAccess  = regexp.MustCompile(`^INFO: +([^ ]+) - "([^ ]{1,8}) (/[^ ]*)(?: ([^"]*)"(.*))?`)
	reStatus  = regexp.MustCompile(`^ (\d{3})(?: .*)?$`)
)

var fields = map[string]*regexp.Regexp{}

// last returns the value of the last field of that key, and whether a comma
// follows it.
func last(body, key string) (value string, whole, ok bool) {
	re := fields[key]
	if re == nil {
		re = regexp.MustCompile(`(?:^|, ?)` + regexp.QuoteMeta(key) + `: ([^,]*)(,?)`)
		fields[key] = re
	}
	// Overlapping commas: search again from each match's end but one.
	for at := 0; ; {
		m := re.FindStringSubmatchIndex(body[at:])
		if m == nil {
			return value, whole, ok
		}
		value, whole, ok = body[at+m[2]:at+m[3]], m[5] > m[4], true
		at += m[3]
	}
}

func counterOf(body, key string, need bool) int {
	v, whole, ok := last(body, key)
	if !ok || need && !whole || !regexp.MustCompile(`^\d+ *$`).MatchString(v) {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimRight(v, " "), 10, 32)
	if err != nil {
		return -1
	}
	return int(n)
}

func decimalOf(body, key, front, back string) float64 {
	v, _, ok := last(body, key)
	v = strings.TrimSuffix(strings.TrimPrefix(v, front), back)
	f, err := strconv.ParseFloat(v, 64)
	if !ok || err != nil || !regexp.MustCompile(`^\d`).MatchString(v) {
		return -1
	}
	return f
}

func ask(line string) oracle {
	o := oracle{class: ClassOther}
	if t := strings.TrimLeft(line, " "); reBracket.MatchString(t) {
		line = t // pasted with an indent
	}
	msg := line
	if m := reBracket.FindString(line); m != "" {
		msg = line[len(m):]
	} else if m := reGPU.FindString(line); m != "" {
		msg = line[len(m):]
	}
	if m := reHead.FindStringSubmatch(msg); m != nil {
		body := msg[len(m[0]):]
		if m[1] == "Prefill" {
			o.prefill(m[0], body)
		} else {
			o.decode(body)
		}
		return o
	}
	if m := reAccess.FindStringSubmatch(msg); m != nil {
		o.class = ClassAccess
		o.host = m[1]
		if i := strings.LastIndex(o.host, ":"); i > 0 {
			o.host = o.host[:i]
		}
		o.path, _, o.query = strings.Cut(m[3], "?")
		s := reStatus.FindStringSubmatch(m[5])
		o.malformed = s == nil
		if s != nil {
			o.status, _ = strconv.Atoi(s[1])
		}
	}
	return o
}

func (o *oracle) prefill(head, body string) {
	o.class = ClassPrefill
	o.seq, o.token, o.cached = counterOf(body, "#new-seq", true), counterOf(body, "#new-token", true), counterOf(body, "#cached-token", true)
	o.malformed = o.seq < 0 || o.token < 0 || o.cached < 0
	o.running, o.queue = counterOf(body, "#running-req", false), counterOf(body, "#queue-req", false)
	if m := regexp.MustCompile(`^Prefill batch\(mixed #running-req: (\d+)\)`).FindStringSubmatch(head); m != nil {
		o.running, _ = strconv.Atoi(m[1])
	}
	o.pending, o.replay = counterOf(body, "#pending-token", false), counterOf(body, "#replay-token", false)
	o.usage, o.hit = decimalOf(body, "token usage", "full=", ""), decimalOf(body, "cache hit rate", "", "%")
	if o.usage < 0 {
		o.usage = decimalOf(body, "full token usage", "full=", "")
	}
	o.speed = decimalOf(body, "input throughput (token/s)", "", "")
	o.graph = -1
	for _, kind := range []string{"cuda", "cpu", "npu"} {
		if v, _, ok := last(body, kind+" graph"); ok {
			switch strings.TrimRight(v, " ") {
			case "True":
				o.graph = 1
			case "False":
				o.graph = 0
			}
		}
	}
}

func (o *oracle) decode(body string) {
	o.class = ClassDecode
	m := regexp.MustCompile(`#running-req: (\d+)(,?)`).FindStringSubmatch(body)
	o.malformed = m == nil || m[2] == ""
	if o.malformed {
		return
	}
	o.decodeRunning, _ = strconv.Atoi(m[1])
	o.decodeQueue = -1
	if m := regexp.MustCompile(`.*#queue-req: (\d+)`).FindStringSubmatch(body); m != nil {
		o.decodeQueue, _ = strconv.Atoi(m[1])
	}
}

// generate makes a line of any version.
func generate(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	n := func(max int) int { return r.IntN(max) }
	prefix := pick("[2026-01-02 08:00:01] ", "[2026-01-02 08:00:01 TP0] ", "[2026-01-02 08:00:01.417 DP1 TP0] ", "[14:23:07 TP0] ", "[gpu=0] ", "[gpu_id=1] ", "")
	switch n(3) {
	case 0:
		line := prefix + "Prefill batch" + pick(". ", ", ", fmt.Sprintf(" [%d], ", n(9999)), fmt.Sprintf("(mixed #running-req: %d). ", n(50)))
		fields := []string{fmt.Sprintf("#new-seq: %d", n(40)), fmt.Sprintf("#new-token: %d", n(9000)), fmt.Sprintf("#cached-token: %d", n(90000))}
		for _, f := range []string{
			fmt.Sprintf("cache hit rate: %d.%02d%%", n(100), n(100)), fmt.Sprintf("#token: full=%d, swa=%d", n(100), n(100)),
			pick("token usage: 0.02", "full token usage: 0.10, swa token usage: 0.12", "token usage: full=0.01, swa=0.02"),
			fmt.Sprintf("#running-req: %d", n(50)), fmt.Sprintf("#queue-req: %d", n(50)), fmt.Sprintf("#pending-token: %d", n(9000)),
			fmt.Sprintf("#replay-token: %d", n(300)), "#cached-token-device: 4", "#inflight-req: 3",
			pick("cuda", "npu", "cpu") + " graph: " + pick("True", "False"),
			fmt.Sprintf("input throughput (token/s): %d.%02d", n(90000), n(100)), "fwd occupancy: 61.20%",
		} {
			if n(3) > 0 {
				fields = append(fields, f)
			}
		}
		return line + strings.Join(fields, ", ") + pick("", ", ", ",")
	case 1:
		line := prefix + "Decode batch" + pick(". ", ", ", fmt.Sprintf(" [%d], ", n(9999))) + fmt.Sprintf("#running-req: %d, #token: %d, token usage: 0.05", n(60), n(90000))
		line += pick("", ", cuda graph: True", ", #cached-token: 41")
		return line + fmt.Sprintf(", gen throughput (token/s): %d.10", n(900)) + pick("", fmt.Sprintf(", #queue-req: %d", n(60))) + pick("", ", ", ", fwd occupancy: 97.10%")
	}
	return prefix + "INFO:     " + pick("127.0.0.1:40280", "10.0.0.7:5", "[::1]:8", "host") + ` - "` + pick("GET", "POST") + " " +
		pick("/generate", "/flush_cache?timeout=60.0", "/v1/models", "/health", "/x/y?z") + ` HTTP/1.1" ` + pick("200 OK", "400 Bad Request", "200")
}

// damage cuts or corrupts a line.
func damage(r *rand.Rand, line string) string {
	switch at := r.IntN(len(line) + 1); r.IntN(4) {
	case 0:
		return line[:at]
	case 1:
		end := min(len(line), at+1+r.IntN(20))
		return line[:at] + line[end:]
	case 2:
		return line[:at] + string("0,:#. x"[r.IntN(7)]) + line[at:]
	}
	return line
}

// Parse agrees with the oracle on whole, cut and corrupted lines of all
// versions.
func TestParseAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var p Parser
	var ev Event
	classes := map[Class]int{}
	bad := 0
	for range 20_000 {
		line := damage(r, generate(r))
		want := ask(line)
		p.Parse([]byte(line), &ev)
		got := oracle{class: ev.Class, malformed: ev.Malformed}
		if ev.Class != ClassPrefill && ev.Class != ClassDecode && ev.Class != ClassAccess {
			got.class, got.malformed = ClassOther, false // fragments are tested apart
		}
		classes[got.class]++
		if got.malformed {
			bad++
		}
		switch got.class {
		case ClassPrefill:
			b := ev.Batch
			got.seq, got.token, got.cached = int(b.NewSeq), int(b.NewToken), int(b.Cached)
			got.running, got.queue, got.pending, got.replay = int(b.Running), int(b.Queue), int(b.Pending), int(b.Replay)
			got.graph = int(b.Graph)
			got.usage, got.hit, got.speed = near(float64(b.Usage), want.usage), near(float64(b.HitRate), want.hit), near(float64(b.Throughput), want.speed)
		case ClassDecode:
			if !got.malformed {
				got.decodeRunning, got.decodeQueue = int(ev.Decode.Running), int(ev.Decode.Queue)
			}
		case ClassAccess:
			got.host, got.query = string(ev.Access.Host), ev.Access.Query
			if !got.malformed {
				got.status = int(ev.Access.Status)
			}
			if ev.Access.Path != access.Class([]byte(want.path)) && !got.malformed {
				t.Fatalf("%q: path %d, want that of %q", line, ev.Access.Path, want.path)
			}
			want.path = ""
			if got.malformed {
				got.query = want.query
			}
		}
		if got != want {
			t.Fatalf("%q:\n got %+v\nwant %+v", line, got, want)
		}
	}
	for _, c := range []Class{ClassPrefill, ClassDecode, ClassAccess} {
		if classes[c] < 4_000 {
			t.Errorf("only %d lines of class %s were generated", classes[c], classNames[c])
		}
	}
	if bad < 2_000 {
		t.Errorf("only %d malformed lines were generated", bad)
	}
}

// near returns want if got is want in single precision.
func near(got, want float64) float64 {
	if float32(got) == float32(want) || got > want*0.999999 && got < want*1.000001 {
		return want
	}
	return got
}

func TestOracleItself(t *testing.T) {
	o := ask("[2026-01-02 08:00:01 TP0] Prefill batch, #new-seq: 2, #new-token: 7, #cached-token: 5, token usage: 0.02, #running-req: 3, #queue-req: 4")
	if o.class != ClassPrefill || o.malformed || o.seq != 2 || o.token != 7 || o.cached != 5 || o.running != 3 || o.queue != 4 {
		t.Errorf("%+v", o)
	}
}
