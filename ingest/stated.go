package ingest

import "coldcase/ingest/capture"

func readNotes(opts Options) (*capture.Notes, error) { return nil, nil }

func addNotes(c *capture.Capture, it item, n *capture.Notes) {}
