// Package command reads command files.
package command

import "coldcase/ingest/format"

// Formats gives the rows for the table of formats.
func Formats() []format.Format { return nil }
