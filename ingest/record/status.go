package record

import (
	"fmt"
	"io"
	"path/filepath"
)

// Summary is the state of a record.
type Summary struct {
	Done, Refused, Failed, Aborted, Left int
	Cells                                []cellState
}

// cellState is one cell of the plan.
type cellState struct {
	ID    string
	State string // done, refused, failed, aborted or left
	Why   string
}

// left is the state of a cell that was never begun.
const left = "left"

// Status reads a record. The error is not nil if dir holds none.
func Status(dir string) (*Summary, error) {
	plan, err := readPlan(dir)
	if err != nil {
		return nil, usage("%v", err)
	}
	if plan == nil {
		return nil, usage("%s: no sweep there: no %s", dir, planFile)
	}
	s := &Summary{}
	for _, c := range plan.Cells {
		state := cellState{ID: c.ID, State: left}
		if doc := readCell(filepath.Join(dir, cellsDir, c.ID)); doc != nil {
			state.State, state.Why = doc.State, doc.Why
		}
		switch state.State {
		case Done:
			s.Done++
		case Refused:
			s.Refused++
		case Failed:
			s.Failed++
		case Aborted:
			s.Aborted++
		default:
			s.Left++
		}
		s.Cells = append(s.Cells, state)
	}
	return s, nil
}

// Complete reports whether every cell is done.
func (s *Summary) Complete() bool { return s.Done == len(s.Cells) }

// Bad reports whether a cell was refused, failed or aborted.
func (s *Summary) Bad() bool { return s.Refused+s.Failed+s.Aborted > 0 }

func (s *Summary) String() string {
	return fmt.Sprintf("%d done, %d refused, %d failed, %d aborted, %d left", s.Done, s.Refused, s.Failed, s.Aborted, s.Left)
}

// Print writes one line per cell and the sum.
func (s *Summary) Print(w io.Writer) error {
	for _, c := range s.Cells {
		why := ""
		if c.Why != "" {
			why = ": " + c.Why
		}
		if _, err := fmt.Fprintf(w, "%s  %s%s\n", c.ID, c.State, why); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, s)
	return err
}
