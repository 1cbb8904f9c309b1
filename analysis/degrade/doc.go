// Package degrade is test code: it holds the count against recorded captures
// whose truth is known, whole and with parts of them taken away.
//
// A reader of benchmark numbers seldom has the whole folder. From each capture
// the harness derives what is left when details, logs, metrics, reports or
// records are missing, when a log is cut, when files are renamed, compressed,
// prefixed or coloured, and when two captures are mixed. Whole captures must be
// counted exactly where the truth says that this is possible. Of what is left,
// every interval must hold the truth and no verdict may be wrong; unknown is
// always allowed, and the table that the truth target of the Makefile prints
// says how often it was given.
//
// The captures in testdata are those of real servers with random weights; their
// truth was found by comparing every prompt with all that were sent before it.
package degrade
