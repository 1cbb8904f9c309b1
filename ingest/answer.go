package ingest

import "coldcase/ingest/format"

func answerFormats() []format.Format { return nil }
