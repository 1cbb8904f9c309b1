package console

import "bytes"

// named reports whether a bracket at the start of a line is a name in front of
// it, and not a log's own time: a pod's, or a rank's of torchrun or mpirun.
func named(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	return b[1] == 'p' || b[1] == 'd' || isDigit(b[1]) && (b[2] == ',' || isDigit(b[2]) && b[3] == ',')
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits is the number of digits at the start.
func digits(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// maxTask bounds the digits of a task or rank.
const maxTask = 5

// taskName reads the task of srun --label ("0: text"), of mpirun --tag-output
// ("[1,0]<stdout>:text") and of torchrun --tee ("[default0]:text"). Each task is
// a service of its own.
func taskName(b []byte) (name string, rest []byte, ok bool) {
	switch {
	case len(b) < 4:
		return "", nil, false
	case b[0] == '[' && b[1] == 'd':
		if d, found := bytes.CutPrefix(b, []byte("[default")); found {
			if n := digits(d); n > 0 && n <= maxTask && bytes.HasPrefix(d[n:], []byte("]:")) {
				return "default" + string(d[:n]), d[n+2:], true
			}
		}
	case b[0] == '[':
		job := digits(b[1:])
		if job == 0 || job > maxTask || b[1+job] != ',' {
			return "", nil, false
		}
		rank := digits(b[job+2:])
		tail := b[job+2+rank:]
		for _, stream := range []string{"]<stdout>:", "]<stderr>:"} {
			if rest, found := bytes.CutPrefix(tail, []byte(stream)); found && rank > 0 {
				return "rank " + string(b[job+2:job+2+rank]), rest, true
			}
		}
	case isDigit(b[0]) || b[0] == ' ':
		text := bytes.TrimLeft(b[:min(len(b), maxTask)], " ")
		b = b[min(len(b), maxTask)-len(text):]
		if n := digits(b); n > 0 && n <= maxTask && bytes.HasPrefix(b[n:], []byte(": ")) {
			return "task " + string(b[:n]), b[n+2:], true
		}
	}
	return "", nil, false
}

// streamed takes off what stands between a collector's time and the text: the
// stream and tag of a Kubernetes node's own files ("stdout F "), the stream of
// GitLab's ("01O "), the host and program of syslog.
func streamed(b []byte) []byte {
	for _, head := range []string{"stdout F ", "stderr F ", "stdout P ", "stderr P "} {
		if rest, ok := bytes.CutPrefix(b, []byte(head)); ok {
			return rest
		}
	}
	if len(b) >= 4 && isDigit(b[0]) && isDigit(b[1]) && (b[2] == 'O' || b[2] == 'E') && (b[3] == ' ' || b[3] == '+') {
		return b[4:]
	}
	if i := bytes.IndexByte(b, ':'); i > 1 && b[i-1] == ']' && i < 2*maxName && isNameByte(b[0]) {
		if rest, ok := hostAndProgram(b); ok {
			return rest
		}
	}
	return b
}

// lineNumber takes off what grep -n, grep over several files and cat -n put in
// front of a log line.
func lineNumber(b []byte) ([]byte, bool) {
	i := bytes.Index(b[:min(len(b), maxName+24)], []byte("[20"))
	if i < 2 {
		return nil, false
	}
	head := b[:i]
	switch last := head[i-1]; {
	case last == ':':
		head = head[:i-1]
		if n := trailingDigits(head); n == len(head) {
			return b[i:], true
		} else if n > 0 && head[len(head)-n-1] == ':' {
			head = head[:len(head)-n-1]
		}
		for _, c := range head {
			if !isNameByte(c) && c != '/' {
				return nil, false
			}
		}
		return b[i:], bytes.Contains(head, []byte(".")) || bytes.Contains(head, []byte("log"))
	case last == '\t':
		head = bytes.TrimSpace(head)
		return b[i:], len(head) > 0 && digits(head) == len(head)
	}
	return nil, false
}

func trailingDigits(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[len(b)-1-n]) {
		n++
	}
	return n
}
