//go:build !amd64

package sglang

import "coldcase/ingest/capture"

const fast = false

func (x *sheaf) sortUsual(*lines, int, int) int    { return 0 }
func (x *sheaf) usualDecodes(_ []byte, i int) int  { return i }
func (x *sheaf) usualAccesses(_ []byte, i int) int { return i }

func usualCounts([]byte, *capture.Batch) int { return 0 }
