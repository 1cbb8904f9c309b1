package templates

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"time"

	"coldcase/analysis"
)

// zipTime is the time of every member: an archive of the same notebook is the
// same, byte for byte, whenever it is made.
var zipTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip writes the page, its Markdown, its JSON and its figures as one archive,
// for threads that take no HTML.
func Zip(w io.Writer, nb *analysis.Notebook, opts Options) error {
	opts = opts.withDefaults()
	var page, document bytes.Buffer
	if err := HTML(&page, nb, opts); err != nil {
		return err
	}
	markdown, err := renderMarkdown(nb, opts, true)
	if err != nil {
		return fmt.Errorf("markdown: %w", err)
	}
	if err := JSON(&document, nb); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	if err := addFile(z, "report.html", page.Bytes()); err != nil {
		return err
	}
	if err := addFile(z, "report.md", markdown); err != nil {
		return err
	}
	if err := addFile(z, "notebook.json", document.Bytes()); err != nil {
		return err
	}
	for _, f := range figuresOf(prepare(nb, opts, 0)) {
		if err := addFile(z, "figures/"+f.ID+".svg", []byte(f.SVG()+"\n")); err != nil {
			return err
		}
	}
	return z.Close()
}

func addFile(z *zip.Writer, name string, content []byte) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: zipTime})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = f.Write(content)
	return err
}
