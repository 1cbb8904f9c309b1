//go:build realservers

package realtest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestSGLangPage1(t *testing.T) {
	s := startSGLang(t, 1)
	kit := s.recordKit()
	checkKit(t, kit)
	checkSweep(t, kit, s.interrupted(kit, "sglang", "1"))
	checkSweep(t, kit, s.interrupted(kit, "builtin", "11,12"))
	s.refusedFlush(kit)
	s.clientsAgree(model())
	s.restarted(kit)
}

func TestSGLangPage32(t *testing.T) {
	s := startSGLang(t, 32)
	kit := s.recordKit()
	checkKit(t, kit)
	checkSweep(t, kit, s.interrupted(kit, "sglang", "1"))
	checkSweep(t, kit, s.interrupted(kit, "builtin", "11,12"))
}

func TestVLLM(t *testing.T) {
	s := startVLLM(t, true)
	kit := s.recordKit()
	checkKit(t, kit)
	checkSweep(t, kit, s.interrupted(kit, "builtin", "11,12"))
	checkSweep(t, kit, s.interrupted(kit, "vllm", "1"))
	s.refusedFlush(kit)
	s.clientsAgree(model())
}

// TestVLLMWithoutDevMode: such a server cannot be flushed. The sweep says so
// and stops; with a command that restarts the server it proves its cold start.
func TestVLLMWithoutDevMode(t *testing.T) {
	s := startVLLM(t, false)
	dir := keep(t)
	flags := []string{"sweep", "run", "--server", s.url, "--yes", "--caps", "2", "--prompts", "8", "--seeds", "1", "--input-len", "64", "--output-len", "4"}
	coldcase(t, 1, append(flags, "--out", filepath.Join(dir, "stopped"))...)
	list := cells(t, filepath.Join(dir, "stopped"))
	if len(list) != 1 || list[0].State != "refused" || !strings.Contains(list[0].Why, "VLLM_SERVER_DEV_MODE") {
		t.Errorf("without a reset: %+v", list)
	}
	script := filepath.Join(t.TempDir(), "restart.sh")
	writeFile(t, script, fmt.Appendf(nil, "kill -- -%d; sleep 8\nnohup setsid env %s %s >> %s 2>&1 & echo $! > %s.pid\n",
		s.cmd.Process.Pid, strings.Join(s.env, " "), strings.Join(s.args, " "), s.log, script))
	t.Cleanup(func() { endGroup(script + ".pid") })
	coldcase(t, 0, append(flags, "--out", filepath.Join(dir, "restarted"), "--restart-cmd", "sh "+script)...)
	list = cells(t, filepath.Join(dir, "restarted"))
	if len(list) != 1 || list[0].State != "done" || !list[0].Flush.Proved {
		t.Errorf("with a restart: %+v", list)
	}
}
