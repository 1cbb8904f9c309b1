package main

import "coldcase"

// printLicenses prints the notices of everything that is built in, then the
// licence that the first of them names.
func printLicenses(t *terminal) error {
	t.text(coldcase.Notice)
	t.text("\n\n")
	t.text(coldcase.License)
	return nil
}
