package main

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
)

func TestEmbeddedLicenseIsTheRepositorys(t *testing.T) {
	top, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if license != string(top) {
		t.Error("notices/LICENSE differs from LICENSE at the top: copy it")
	}
}

// TestThirdPartyNamesEveryModule asks the toolchain what the command is built
// from: a module that is added without its notice fails here.
func TestThirdPartyNamesEveryModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := map[string]bool{}
	for _, m := range strings.Fields(string(out)) {
		modules[m] = true
	}
	if len(modules) == 0 {
		t.Fatal("go list names no module")
	}
	for m := range modules {
		name := m
		if base := path.Base(m); strings.HasPrefix(base, "v") && len(base) == 2 {
			name = path.Dir(m) // the major version is no part of the name
		}
		// Modules of the Go project stand in one paragraph.
		name = strings.TrimPrefix(name, "golang.org/")
		if !strings.Contains(thirdParty, name) {
			t.Errorf("notices/THIRD-PARTY does not name %s", m)
		}
	}
}
