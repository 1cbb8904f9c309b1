package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"coldcase/ingest/source"
)

// TestMain makes the command available to the scripts as "coldcase", in a
// process of its own, so that exit codes and streams are the real ones.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"coldcase": main, "coldcase-unreadable": mainUnreadable})
}

// mainUnreadable is the command on a machine that cannot read the file whose
// base name is in UNREADABLE.
func mainUnreadable() {
	t := newTerminal(os.Stdin, os.Stdout, os.Stderr)
	t.openFile = func(name string) (source.File, error) {
		if filepath.Base(name) == os.Getenv("UNREADABLE") {
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
		}
		return os.Open(name)
	}
	os.Exit(t.finish(dispatch(t, os.Args[1:])))
}

// TestScript runs testdata/*.txt: each is a list of commands with what they
// must print. UPDATE_SCRIPTS=1 rewrites the expected parts in place.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": cmdCode,
			"gzip": cmdGzip,
			"cut":  cmdCut,
			"lab":  cmdLab,
		},
	})
}

// cmdCode runs a command and compares its exit code: code 3 coldcase count x.
// Its streams can be looked at with stdout and stderr.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if want := args[0]; fmt.Sprint(got) != want {
		ts.Fatalf("%v: exit code %d, want %s", args[1:], got, want)
	}
}

// cmdGzip compresses a file: gzip FILE writes FILE.gz and leaves FILE.
func cmdGzip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gzip FILE")
	}
	content := ts.ReadFile(args[0])
	out, err := os.Create(ts.MkAbs(args[0] + ".gz"))
	ts.Check(err)
	w := gzip.NewWriter(out)
	_, err = w.Write([]byte(content))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(out.Close())
}

// cmdCut cuts a file in its middle: cut FILE PERCENT keeps the first part.
func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE PERCENT")
	}
	var percent int64
	_, err := fmt.Sscan(args[1], &percent)
	ts.Check(err)
	name := ts.MkAbs(args[0])
	info, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.Truncate(name, info.Size()*percent/100))
}

// cmdLab starts a lab beside the script: lab NAME FLAG... puts its address into
// $NAME. It ends with the script.
func cmdLab(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: lab NAME FLAG...")
	}
	// The commands of the test stand in the script's own PATH.
	bin, err := exec.LookPath(filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], "coldcase"))
	ts.Check(err)
	cmd := exec.Command(bin, append([]string{"lab", "--listen", "127.0.0.1:0"}, args[1:]...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !found {
		ts.Fatalf("lab: first line is %q", line)
	}
	ts.Setenv(args[0], address)
}
