package main

import _ "embed"

// version is that of the source. It stands in every document, so that a report
// can be made again by the version that made it.
const version = "0.1.0"

// thirdParty names the authors and the licences of everything that is built in.
//
//go:embed notices/THIRD-PARTY
var thirdParty string

// license is the text of LICENSE at the top of the repository: a file can only
// be embedded from below the package. A test holds both equal.
//
//go:embed notices/LICENSE
var license string

// printLicenses prints the notices of everything that is built in, then the
// text of the Apache License, under which coldcase is as well.
func printLicenses(t *terminal) error {
	t.printf("coldcase %s, Copyright 2026 The coldcase authors, Apache License 2.0\n\n", version)
	t.text(thirdParty)
	t.text("\n\n")
	t.text(license)
	return nil
}
