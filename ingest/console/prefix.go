package console

import "bytes"

// A prefix that no collector is known for, but that every line carries: the
// task number of srun --label, mpirun's and torchrun's rank, stern's pod and
// container, the indent or "> " of a quotation. It is taken off if more lines
// are known without it than with it.
const (
	// leastPrefixed is the number of lines that must share a prefix.
	leastPrefixed = 4
	// maxPrefix bounds its length, in bytes.
	maxPrefix = 120
)

// commonPrefix gives what all lines of a head begin with, up to its last
// separator and not into a log's time; "" if they share nothing. Lines that
// hold nothing besides may have lost the blanks at the end of it.
func commonPrefix(head []byte) []byte {
	var common []byte
	n := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) < 3: // a prefix alone, or nothing
			continue
		case n == 0:
			common = line[:min(len(line), maxPrefix)]
		case len(line) < len(common) && bytes.HasPrefix(common, line) && len(bytes.TrimSpace(common[len(line):])) == 0:
			continue
		default:
			i := 0
			for i < len(common) && i < len(line) && common[i] == line[i] {
				i++
			}
			common = common[:i]
		}
		n++
	}
	if n < leastPrefixed {
		return nil
	}
	if i := bytes.Index(common, []byte("[20")); i >= 0 {
		common = common[:i]
	}
	return common[:bytes.LastIndexAny(common, " \t:>|]")+1]
}

// unprefix takes the prefix off a line that carries it.
func unprefix(prefix, line []byte) []byte {
	if len(prefix) == 0 {
		return line
	}
	if rest, ok := bytes.CutPrefix(line, prefix); ok {
		return rest
	}
	if bytes.Equal(bytes.TrimRight(line, " \r"), bytes.TrimRight(prefix, " ")) {
		return nil
	}
	return line
}

// trial tries a head as it is, and without the prefix that its lines share.
func (c *console) trial(head []byte) *trial {
	t := c.tryHead(head, nil)
	if p := commonPrefix(wholeLines(head)); len(p) > 0 {
		if without := c.tryHead(head, p); without.mine > t.mine {
			without.framed = true // the slow path takes it off
			return without
		}
	}
	return t
}
