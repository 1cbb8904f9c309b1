// Package realtest holds the sweep against real servers: SGLang and vLLM on a
// CPU with a tiny model, started and ended by the tests. setup.sh installs
// them; the tests need the build tag realservers (`make test-real`) and are no
// part of the ordinary ones. What they showed stands in docs/accuracy.md.
//
// The tests drive the command from outside, as a person would: a kit recorded
// with the engine's own client, one seed and no flush; a plan from it; sweeps
// with both clients, interrupted and resumed; the report of both together.
package realtest
