// Package capture is the model that ingest fills and analysis reads: what a
// capture folder holds, with the file and line of every fact.
//
// The model keeps evidence apart from inference. A Result is what one client
// file says, a ServerLog what one log says, a Snapshot what one metrics scrape
// says. A Run joins results that describe the same invocation of a client. The
// order of runs, their place on a log and every count belong to analysis.
//
// Facts that a file does not state are nil (pointers), Unknown (enums) or -1
// (compact arrays), never 0: unknown is not clean.
package capture
