package ingest

import "coldcase/ingest/format"

func unwrap(in *format.Input) (*format.Input, string) { return nil, "" }
