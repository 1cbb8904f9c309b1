// Package clients reads the result files and consoles of benchmark clients
// other than the engines' own: GuideLLM, AIPerf, genai-perf, genai-bench,
// inference-perf, evalscope, llmperf, InferenceX, llama-benchy.
//
// Each client is one file, with others beside it for a console, for records of
// single requests, for settings: it recognises its files by content, and turns
// what they state into one capture.Result per measured run. Results hold what the file says, in seconds
// and under the record's names; nothing is computed that the file does not
// print. Cached tokens have three states everywhere: a number, zero, and not
// told (-1 or nil); a client that adds an absent number as 0 is read as "not
// told". Servers leave a zero out, though: what that makes of an absent number
// collect decides by the whole run.
//
// Out of scope: joining the files of a run (package ingest/join, by
// Result.Group and by equal figures), and every count.
package clients

import (
	"bytes"
	"path"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// client is one entry of the registry.
type client struct {
	name    string // also the folder of its fixtures
	formats func() []format.Format
}

// registry holds the clients in the order of their files' names.
var registry []client

// register adds a client; its file calls it from init, so that a new client
// touches no other file.
func register(name string, formats func() []format.Format) {
	registry = append(registry, client{name, formats})
}

// Formats returns the readers of all clients.
func Formats() []format.Format {
	var all []format.Format
	for _, c := range registry {
		all = append(all, c.formats()...)
	}
	return all
}

// How sure a sniff is. Content that only one client writes is certain; keys
// that another tool could use as well are likely.
const (
	certain = 95
	likely  = 70
)

// hasAll reports whether the head of a file holds every one of the texts.
func hasAll(head []byte, texts ...string) bool {
	for _, t := range texts {
		if !bytes.Contains(head, []byte(t)) {
			return false
		}
	}
	return true
}

// hasAny reports whether the head of a file holds one of the texts.
func hasAny(head []byte, texts ...string) bool {
	for _, t := range texts {
		if bytes.Contains(head, []byte(t)) {
			return true
		}
	}
	return false
}

// opens returns the first byte of a file that is no blank, 0 if there is none.
// A JSON document opens with { or [.
func opens(head []byte) byte {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(head) == 0 {
		return 0
	}
	return head[0]
}

// sniffJSON builds a sniff for JSON documents: open is their first byte, all
// the texts must stand in the head.
func sniffJSON(open byte, sure int, all ...string) func(*format.Input) int {
	return func(in *format.Input) int {
		if opens(in.Head) != open || !hasAll(in.Head, all...) {
			return 0
		}
		return sure
	}
}

// groupOf names the run that a client keeps in the folder of a file, "" if the
// file has not the name that the client gives it there: a folder into which
// files were gathered and renamed says nothing. A prefix before the name, which
// some clients let the user choose, is part of the group.
func groupOf(client, file string, names ...string) string {
	for _, name := range names {
		if prefix, ok := strings.CutSuffix(path.Base(file), name); ok {
			return client + ":" + path.Join(path.Dir(file), prefix)
		}
	}
	return ""
}

// folderLabel is the name of the folder a file lies in, "" at the top.
func folderLabel(file string) string {
	if d := path.Base(path.Dir(file)); d != "." && d != "/" {
		return d
	}
	return ""
}

// seen builds a reader for files that are recognised and not read: the
// inventory names them and says why.
func seen(kind capture.Kind, why string, sniff func(*format.Input) int) format.Format {
	return format.Format{Kind: kind, Sniff: sniff, Read: func(in *format.Input, out *format.Output) error {
		lines, err := countLines(in)
		if err != nil {
			return err
		}
		out.File.Kind, out.File.Read, out.File.Why, out.File.Lines = kind, capture.ReadNone, why, lines
		out.File.Parts = wholeFile(kind, lines)
		return nil
	}}
}

// wholeFile is the part list of a file of one kind.
func wholeFile(kind capture.Kind, lines int) []capture.Part {
	return []capture.Part{{Kind: kind, Line: 1, To: max(lines, 1)}}
}

// host returns host:port of a URL, "" if the text is none.
func host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:] // credentials
	}
	return rest
}

// lastName is the last name of a path, "" for an empty one.
func lastName(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(path.Clean(p))
}

// joinFolder is the folder that a file names, seen from where the file lies.
// Captures are moved about: only the last name of an absolute path counts.
func joinFolder(file, folder string) string {
	if path.IsAbs(folder) {
		folder = lastName(folder)
	}
	return path.Join(path.Dir(file), folder)
}
