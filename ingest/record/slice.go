package record

import (
	"fmt"
	"io"
	"os"
)

// logSlice remembers where a server's log stood.
type logSlice struct {
	path string
	at   int64
}

// maxSlice bounds the slice of one cell.
const maxSlice = 1 << 30

// startSlice takes the present end of the log; path "" means that there is
// none.
func startSlice(path string) (*logSlice, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--server-log: %w", err)
	}
	return &logSlice{path, info.Size()}, nil
}

// save writes what the server has logged since. A log that has become shorter
// was rotated or truncated: then all of it is taken.
func (l *logSlice) save(to string) error {
	if l == nil {
		return nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("--server-log: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < l.at {
		l.at = 0
	}
	if _, err := f.Seek(l.at, io.SeekStart); err != nil {
		return fmt.Errorf("--server-log: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSlice))
	if err != nil {
		return fmt.Errorf("--server-log: %w", err)
	}
	return writeFile(to, text)
}
