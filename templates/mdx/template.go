package mdx

import (
	"text/template"
	"text/template/parse"
)

// Parse adds Value to the end of every printed pipeline of every template in t,
// as html/template does with its escapers. The function "escapevalue" must be
// known to t: see Funcs.
func Parse(t *template.Template) {
	for _, one := range t.Templates() {
		if one.Tree != nil && one.Root != nil {
			escapeList(one.Tree, one.Root)
		}
	}
}

const escapeName = "escapevalue"

// Funcs are the functions that Parse relies on and those that make Markdown.
func Funcs() template.FuncMap {
	return template.FuncMap{
		escapeName: Value, "fence": Fence, "code": Code,
		"fold": Summary, "openfold": OpenSummary, "endfold": func() Safe { return EndFold },
	}
}

func escapeList(tree *parse.Tree, list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			escapePipe(tree, n.Pipe)
		case *parse.IfNode:
			escapeBranch(tree, &n.BranchNode)
		case *parse.RangeNode:
			escapeBranch(tree, &n.BranchNode)
		case *parse.WithNode:
			escapeBranch(tree, &n.BranchNode)
		}
	}
}

func escapeBranch(tree *parse.Tree, b *parse.BranchNode) {
	escapeList(tree, b.List)
	escapeList(tree, b.ElseList)
}

func escapePipe(tree *parse.Tree, pipe *parse.PipeNode) {
	if len(pipe.Decl) > 0 { // an assignment prints nothing
		return
	}
	ident := parse.NewIdentifier(escapeName).SetTree(tree).SetPos(pipe.Pos)
	pipe.Cmds = append(pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{ident}, Pos: pipe.Pos})
}
