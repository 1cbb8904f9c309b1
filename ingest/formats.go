package ingest

import (
	"slices"

	"coldcase/ingest/clients"
	"coldcase/ingest/command"
	"coldcase/ingest/console"
	"coldcase/ingest/engines"
	"coldcase/ingest/format"
	"coldcase/ingest/gpu"
	"coldcase/ingest/notes"
	"coldcase/ingest/prom"
	"coldcase/ingest/sglang"
	"coldcase/ingest/vllm"
)

// formats is the table of the files that have one form from end to end, a row
// a package. A new format is one file in its package, its samples, and a row
// here if the package is new. Of equally sure formats the earlier reads the
// file.
var formats = slices.Concat(
	notes.Formats(),
	sweepFormats(),
	sglang.Formats(),
	vllm.Formats(),
	clients.Formats(),
	engines.Formats(),
	prom.Formats(),
	gpu.Formats(),
	answerFormats(),
	command.Formats(),
)

// lines reads every other text, line by line, with a machine for each kind of
// line that may stand in it.
var lines = console.Format(slices.Concat(
	sglang.Machines(),
	vllm.Machines(),
	engines.Machines(),
	prom.Machines(),
)...)

// recognise gives the format of whole files that is surest that the file is
// its own, and how sure it is.
func recognise(in *format.Input) (best *format.Format, sure int) {
	for i := range formats {
		if s := formats[i].Sniff(in); s > sure {
			best, sure = &formats[i], s
		}
	}
	return best, sure
}
