// Coldcase counts how many prompts of a benchmark of an LLM server were in the
// server's prefix cache before each run started, and writes the evidence as one
// page that needs neither a network nor a script.
//
// A CAPTURE is what a benchmark leaves behind: a folder with the client's
// records and reports, the server's log and its metrics, in any mixture; a
// single file; an archive of either (.tar, .tar.gz, .tar.zst, .zip); or - for a
// stream on standard input.
//
// The commands are tried here on the captures that coldcase carries with it:
//
//	$ coldcase samples list
//	$ coldcase samples extract inversion ./inversion
//	$ coldcase count ./inversion
//	$ coldcase count --format json ./inversion
//	$ coldcase report ./inversion -o inversion.html
//	$ coldcase verify inversion.html ./inversion
//	$ coldcase report --sample clean-sweep --format md -o -
//	$ coldcase check --sample clean-sweep
//
// What the numbers mean, which grade each of them has and when coldcase says
// that it does not know, docs/reading.md tells.
//
// The exit code is 0 if all went well, 1 if the answer is bad news (a finding
// that forbids publication, a report that does not follow from its capture, a
// sweep with a refused cell), 2 for a usage error, a CAPTURE that cannot be
// opened or an output that cannot be written, and 3 if nothing in the CAPTURE
// could be inspected.
package main

import (
	"os"
	"runtime/debug"
)

// gcPercent trades processor time for memory: the live heap of a large log is
// small, and a capture should be readable on the machine that serves.
const gcPercent = 50

func main() {
	debug.SetGCPercent(gcPercent)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
