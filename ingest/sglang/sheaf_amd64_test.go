package sglang

import "testing"

// Where the processor lacks the instructions, the same is read without them.
func TestSkimOnOlderProcessors(t *testing.T) {
	defer func(a, b bool) { fast, fast512 = a, b }(fast, fast512)
	if !fast512 {
		t.Log("this processor has no AVX-512: what reads with it is not tested")
	}
	for _, name := range []string{"AVX2", "neither"} {
		fast512 = false
		fast = fast && name != "neither"
		t.Run(name+", random", TestSkimEqualsLineByLine)
		t.Run(name+", takes", TestSkimTakes)
		t.Run(name+", glued", TestGluedLines)
		t.Run(name+", busy", TestSkimBusyLog)
	}
}
