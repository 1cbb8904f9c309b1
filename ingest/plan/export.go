package plan

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"
)

// Job arrays that run a plan: a task starts one server, runs one block of
// cells against it, and writes a folder of its own. A block holds every cap, so
// that caps are compared within a server; `coldcase report` reads the folders
// together.
var (
	//go:embed export/slurm.sh.tmpl
	slurmText string
	//go:embed export/k8s.yaml.tmpl
	k8sText string

	jobs = map[string]*template.Template{"slurm": jobTemplate("slurm", slurmText), "k8s": jobTemplate("k8s", k8sText)}
)

func jobTemplate(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{"indent": indent}).Parse(text))
}

// task is one element of a job array.
type task struct {
	Index int
	Cells string // ids, separated by commas
}

// Export writes the plan as a job array of a scheduler: "slurm" or "k8s". The
// plan is part of the text, which needs no other file.
func (p *Plan) Export(w io.Writer, scheduler string) error {
	job := jobs[scheduler]
	if job == nil {
		return fmt.Errorf("--export %q: want slurm or k8s", scheduler)
	}
	text, err := p.Encode()
	if err != nil {
		return err
	}
	var tasks []task
	for i, block := range p.Blocks() {
		ids := make([]string, len(block))
		for k, c := range block {
			ids[k] = c.ID
		}
		tasks = append(tasks, task{i, strings.Join(ids, ",")})
	}
	var b bytes.Buffer
	err = job.Execute(&b, struct {
		Plan  string
		Tasks []task
		Last  int
	}{string(text), tasks, len(tasks) - 1})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// indent puts n spaces before each line, as a block of YAML wants it.
func indent(n int, text string) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+pad)
}
