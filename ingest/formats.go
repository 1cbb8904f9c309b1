package ingest

import (
	"coldcase/ingest/command"
	"coldcase/ingest/format"
	"coldcase/ingest/notes"
)

// formats is the table of everything that can be read, one row a package. A
// new format is one file in its package, its samples, and a row here if the
// package is new. Of equally sure formats the earlier reads the file.
var formats = concat(
	notes.Formats(),
	sweepFormats(),
	answerFormats(),
	command.Formats(),
)

func concat(groups ...[]format.Format) []format.Format {
	var all []format.Format
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// recognise gives the format that is surest that the file is its own, and how
// sure it is.
func recognise(in *format.Input) (best *format.Format, sure int) {
	for i := range formats {
		if s := formats[i].Sniff(in); s > sure {
			best, sure = &formats[i], s
		}
	}
	return best, sure
}
