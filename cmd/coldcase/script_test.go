package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the command available to the scripts as "coldcase", in a
// process of its own, so that exit codes and streams are the real ones.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"coldcase": main})
}

// TestScript runs testdata/*.txt: each is a list of commands with what they
// must print. UPDATE_SCRIPTS=1 rewrites the expected parts in place.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": cmdCode,
			"gzip": cmdGzip,
			"cut":  cmdCut,
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
