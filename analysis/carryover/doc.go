// Package carryover counts how many prompts of each run were already in the
// server's prefix cache when the run started.
//
// Each witness (witness_*.go, one file each) is one independent source of a
// count. It answers with intervals, a grade and evidence, and never looks at
// another witness. What several of them need to know about a run, such as the
// lengths of its prompts, where it stands on the log and whether its cache was
// proved empty, is gathered first (case.go, lens.go, warmup.go, empty.go).
// combine.go intersects what was measured, shows contradictions, and leaves
// predictions beside the count: they never narrow it.
//
// Latencies, causes and advice are out of scope.
package carryover
