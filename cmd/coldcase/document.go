package main

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// writeDocument prints a document as every contract wants it: keys in the order
// of the type, two spaces of indentation, lists and never null in their place,
// no escaping that is meant for HTML, one final newline.
func writeDocument(w io.Writer, doc any) error {
	err := json.MarshalWrite(w, doc,
		jsontext.WithIndent("  "),
		jsontext.AllowInvalidUTF8(true),
		json.Deterministic(true),
		jsonv1.OmitEmptyWithLegacySemantics(true))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}
