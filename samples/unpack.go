package samples

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

// unpack reads a tar.zst into memory. The archive is one compressed stream
// because the metrics scrapes of a capture are nearly equal; it becomes an
// uncompressed zip because that is the file system in memory that the standard
// library has.
func unpack(packed []byte) (fs.FS, error) {
	stream, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer stream.Close()

	var stored bytes.Buffer
	to := zip.NewWriter(&stored)
	from := tar.NewReader(stream)
	for {
		member, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		w, err := to.CreateHeader(&zip.FileHeader{Name: member.Name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, from); err != nil {
			return nil, err
		}
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(stored.Bytes()), int64(stored.Len()))
}
