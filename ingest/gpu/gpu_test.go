package gpu

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// read runs the surest reader over a text.
func read(t testing.TB, name, text string) *format.Output {
	t.Helper()
	head := text[:min(len(text), format.HeadSize)]
	in := &format.Input{Path: name, Head: []byte(head), Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(text))), nil
	}}
	out := &format.Output{File: &capture.File{Path: name}}
	var best *format.Format
	sure := 0
	all := Formats()
	for i := range all {
		if s := all[i].Sniff(in); s > sure {
			best, sure = &all[i], s
		}
	}
	if best == nil {
		return nil
	}
	if err := best.Read(in, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// same compares with NaN equal to NaN.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func checkRow(t *testing.T, got, want capture.GPUSample) {
	t.Helper()
	if !same(got.SMClock, want.SMClock) || !same(got.MaxClock, want.MaxClock) || !same(got.Power, want.Power) ||
		!same(got.Util, want.Util) || !same(got.Temp, want.Temp) || got.Throttle != want.Throttle || got.Line != want.Line || got.Stamp != want.Stamp {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestForms(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		file   string
		kind   capture.Kind
		device string
		rows   int
		at     int
		want   capture.GPUSample
		why    string
	}{
		{file: "query.csv", kind: capture.NvidiaSMICSV, device: "00000000:00:06.0", rows: 12, at: 5,
			want: capture.GPUSample{Line: 7, Stamp: 1795969809812, SMClock: 1515, MaxClock: 1980, Power: 525.35, Util: 99, Temp: 56, Throttle: "sw_power_cap"}},
		{file: "noheader.csv", kind: capture.NvidiaSMICSV, rows: 7, at: 6,
			want: capture.GPUSample{Line: 7, Stamp: 1795969812733, SMClock: 1500, MaxClock: nan, Power: 691.01, Util: nan, Temp: nan},
			why:  "no header: read by the form of the values: column 2 as the SM clock, column 3 as power"},
		{file: "dmon.txt", kind: NvidiaSMIDmon, device: "0", rows: 8, at: 4,
			want: capture.GPUSample{Line: 7, Stamp: 1795969810000, SMClock: 1485, MaxClock: nan, Power: 691, Util: 100, Temp: 56, Throttle: "power_violation"}},
		{file: "q.txt", kind: NvidiaSMIQuery, device: "00000000:00:06.0", rows: 1, at: 0,
			want: capture.GPUSample{Line: 9, Stamp: 1795969828000, SMClock: 345, MaxClock: 1980, Power: 77.68, Util: nan, Temp: nan, Throttle: "gpu_idle"}},
		{file: "table.txt", kind: NvidiaSMITable, device: "0", rows: 1, at: 0,
			want: capture.GPUSample{Line: 10, Stamp: 1795969828000, SMClock: nan, MaxClock: nan, Power: 77, Util: 0, Temp: 33},
			why:  "the plain table names no clock and no throttle reason"},
	} {
		t.Run(test.file, func(t *testing.T) {
			out := read(t, test.file, testdata(t, test.file))
			if out == nil || out.File.Kind != test.kind {
				t.Fatalf("kind: got %+v, want %s", out, test.kind)
			}
			if len(out.GPU) != 1 || len(out.GPU[0].Rows) != test.rows || out.GPU[0].Device != test.device {
				t.Fatalf("series: got %+v, want one of device %q with %d rows", out.GPU, test.device, test.rows)
			}
			if out.File.Why != test.why || out.File.Read != capture.ReadAll || out.File.Counts.Get("samples") != test.rows {
				t.Errorf("inventory: %+v", out.File)
			}
			checkRow(t, out.GPU[0].Rows[test.at], test.want)
		})
	}
}

func TestCSVCells(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name, text string
		want       capture.GPUSample
		read       capture.ReadState
	}{
		{"old throttle name, no units", "timestamp, index, clocks.sm, clocks.max.sm, power.draw, utilization.gpu, clocks_throttle_reasons.active\n" +
			"2026/11/29 16:30:09.309, 3, 900, 1980, 210.50, 94, 0x0000000000000024\n",
			capture.GPUSample{Line: 2, Stamp: 1795969809309, SMClock: 900, MaxClock: 1980, Power: 210.5, Util: 94, Temp: nan, Throttle: "sw_power_cap+sw_thermal_slowdown"}, capture.ReadAll},
		{"single reasons", "index, clocks.gr [MHz], clocks_event_reasons.sw_power_cap, clocks_event_reasons.hw_slowdown\n" +
			"0, 1200 MHz, Not Active, Active\n",
			capture.GPUSample{Line: 2, SMClock: 1200, MaxClock: nan, Power: nan, Util: nan, Temp: nan, Throttle: "hw_slowdown"}, capture.ReadAll},
		{"not available is no zero", "index, clocks.sm [MHz], power.draw [W], temperature.gpu, clocks_event_reasons.active\n" +
			"0, [N/A], [Not Supported], 41, [N/A]\n",
			capture.GPUSample{Line: 2, SMClock: nan, MaxClock: nan, Power: nan, Util: nan, Temp: 41}, capture.ReadAll},
		{"SM clock before graphics clock", "index, clocks.gr [MHz], clocks.sm [MHz]\n0, 100 MHz, 1980 MHz\n",
			capture.GPUSample{Line: 2, SMClock: 1980, MaxClock: nan, Power: nan, Util: nan, Temp: nan}, capture.ReadAll},
		{"a cut line", "index, clocks.sm [MHz], power.draw [W]\n0, 1980 MHz, 300.00 W\n0, 19\n",
			capture.GPUSample{Line: 2, SMClock: 1980, MaxClock: nan, Power: 300, Util: nan, Temp: nan}, capture.ReadPart},
		{"units without a header", "2026/11/29 16:30:09.309, 1485 MHz, 203.70 W, 94 %, 0x0000000000000000\n",
			capture.GPUSample{Line: 1, Stamp: 1795969809309, SMClock: 1485, MaxClock: nan, Power: 203.7, Util: 94, Temp: nan, Throttle: "none"}, capture.ReadAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := read(t, "gpu.csv", test.text)
			if out == nil || len(out.GPU) != 1 {
				t.Fatalf("got %+v, want one series", out)
			}
			if out.File.Read != test.read {
				t.Errorf("read: %s (%s), want %s", out.File.Read, out.File.Why, test.read)
			}
			checkRow(t, out.GPU[0].Rows[0], test.want)
		})
	}
}

func TestDevicesApart(t *testing.T) {
	out := read(t, "gpu.csv", "index, clocks.sm [MHz]\n0, 1980 MHz\n1, 900 MHz\n0, 1965 MHz\n")
	if len(out.GPU) != 2 || len(out.GPU[0].Rows) != 2 || out.GPU[1].Device != "1" || out.GPU[1].Rows[0].SMClock != 900 {
		t.Errorf("got %+v", out.GPU)
	}
}

func TestNotOurs(t *testing.T) {
	for _, text := range []string{
		"index,name,score\n1,alpha,2\n",
		"Metric,avg,min,max\nRequest Latency (ms),1,2,3\n",
		"2026-11-29 16:30:00 INFO started\n",
		"[2026-11-29 16:30:00] Prefill batch, #new-seq: 1\n",
		"# HELP vllm:prompt_tokens_total x\n",
	} {
		if out := read(t, "x", text); out != nil {
			t.Errorf("%q was read as %s", text, out.File.Kind)
		}
	}
}

func FuzzForms(f *testing.F) {
	for _, name := range []string{"query.csv", "noheader.csv", "dmon.txt", "q.txt", "table.txt"} {
		f.Add(testdata(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range Formats() {
			in := &format.Input{Path: "f", Head: []byte(text), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
			form.Sniff(in)
			out := &format.Output{File: &capture.File{}}
			if err := form.Read(in, out); err != nil {
				t.Fatal(err)
			}
			rows := 0
			for _, g := range out.GPU {
				rows += len(g.Rows)
				for _, r := range g.Rows {
					if r.Line < 1 || r.Line > out.File.Lines {
						t.Errorf("line %d of %d", r.Line, out.File.Lines)
					}
				}
			}
			if rows != out.File.Counts.Get("samples") {
				t.Errorf("%d rows, %d counted", rows, out.File.Counts.Get("samples"))
			}
		}
	})
}
