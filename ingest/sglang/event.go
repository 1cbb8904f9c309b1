package sglang

import "coldcase/ingest/capture"

// Class is what a line of a server log is.
type Class uint8

// The classes of lines. Those after ClassRequest count as "other" in the
// inventory, but say something about the server.
const (
	ClassOther Class = iota
	ClassPrefill
	ClassDecode
	ClassAccess
	ClassFlush
	ClassRequest
	ClassStart    // server_args=
	ClassMark     // retraction, pool, tree, ready, stop
	ClassKnown    // another line that only SGLang writes
	ClassFragment // the tail of a prefill line whose head is lost
)

// Event is one parsed line of a server log. Fields that do not belong to its
// class hold stale values.
type Event struct {
	Class Class
	// Malformed is set for a prefill, decode or access line that lacks a
	// counter it needs, or whose counter may have been cut.
	Malformed bool
	// Stamped is set if the line carried a time; Dateless if that time had no
	// date, so that Stamp is the milliseconds since midnight.
	Stamped, Dateless bool
	Stamp             capture.Stamp
	Rank              capture.Rank
	// Message is the line behind its stamp.
	Message []byte
	// Rest is a second line that was glued to this one without a newline.
	Rest []byte

	Batch  capture.Batch // ClassPrefill, ClassFragment: the counters found
	Decode Decode        // ClassDecode
	Access AccessLine    // ClassAccess

	Served []capture.Served // ClassRequest
	Flush  capture.FlushKind
	Mark   capture.MarkKind
	N      int64 // of a mark: tokens of the pool, requests retracted

	seen lastAccess
	line []byte // of a prefill line, with room behind it
}

// Decode holds the counters of a decode line; -1 = the line has no such key.
type Decode struct {
	Running, Queue int32
}

// AccessLine is one uvicorn access line. Host has no port.
type AccessLine struct {
	Host   []byte
	Path   capture.Path
	Query  bool
	Status int16
}
