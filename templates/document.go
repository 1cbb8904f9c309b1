package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"coldcase/analysis"
)

// Document writes any of the JSON documents as every contract wants it: keys in
// the order of the type, two spaces of indentation, empty lists rather than
// null in their place, nothing escaped for HTML, one final newline.
func Document(w io.Writer, doc any) error {
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

// Hash is the sha256 of the notebook's document, in hex.
func Hash(nb *analysis.Notebook) (string, error) {
	var b bytes.Buffer
	if err := JSON(&b, nb); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
