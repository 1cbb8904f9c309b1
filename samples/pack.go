//go:build ignore

// Pack writes a capture folder as a tar.zst that depends on the names and the
// bytes of its files alone: sorted, without times, owners or modes, so that
// packing the same folder again gives the same archive.
//
//	go run pack.go -o data/inversion.tar.zst FOLDER
//
// The folders of the recorded samples are several MB each and are not in the
// repository; unpack an archive (tar --zstd -xf) to get its folder back.
package main

import (
	"archive/tar"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/klauspost/compress/zstd"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pack: ")
	out := flag.String("o", "", "the archive to write")
	flag.Parse()
	if *out == "" || flag.NArg() != 1 {
		log.Fatal("usage: go run pack.go -o ARCHIVE FOLDER")
	}
	if err := pack(*out, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func pack(out, folder string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	// The window holds a whole capture, so that each metrics scrape is a
	// reference to the one before it.
	stream, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithWindowSize(8<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	archive := tar.NewWriter(stream)
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s is not a plain file", name)
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	if err != nil {
		return fmt.Errorf("pack %s: %w", folder, err)
	}
	for _, c := range []interface{ Close() error }{archive, stream, file} {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}
