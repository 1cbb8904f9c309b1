package sglang

import "testing"

// Where the processor lacks the instructions, the same is read without them.
func TestSkimWithoutInstructions(t *testing.T) {
	if !fast {
		t.Skip("this processor has no AVX2: the other tests read without it")
	}
	fast = false
	defer func() { fast = true }()
	t.Run("equals", TestSkimEqualsLineByLine)
	t.Run("takes", TestSkimTakes)
	t.Run("glued", TestGluedLines)
	t.Run("busy", TestSkimBusyLog)
}
