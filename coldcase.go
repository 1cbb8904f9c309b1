// Package coldcase holds what the whole repository shares: its version, its
// licence, and the notices of the software that a build contains. The command
// is in cmd/coldcase.
package coldcase

import _ "embed"

// Version is the version of the source. It stands in every document, so that a
// report can be rebuilt by the version that made it.
const Version = "0.1.0"

// License is the text of the Apache License 2.0.
//
//go:embed LICENSE
var License string

// Notice names the authors and the licences of everything that is built in.
//
//go:embed NOTICE
var Notice string
