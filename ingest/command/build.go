package command

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/text"
)

// build makes a command of a statement, nil if it is none that bears on the
// count.
func build(s statement) *capture.Command {
	p := recognise(s.words)
	if p.kind == "" || s.comment && p.kind != capture.CommandServer {
		return nil
	}
	c := &capture.Command{Kind: p.kind, Client: p.client}
	for _, f := range s.stdout {
		c.Stdout = append(c.Stdout, text.Safe(f))
	}
	opts := parseOptions(p.args)
	switch p.kind {
	case capture.CommandClient:
		describe(c, opts)
	case capture.CommandServer:
		c.Server = serverInfo(p, opts)
		c.Target = target(opts)
	default:
		request(c, p)
	}
	return c
}

// request fills a flush or a scrape: the server that is asked, and the file in
// which the answer is kept.
func request(c *capture.Command, p program) {
	for i, w := range p.args {
		if host, path := splitURL(w); path != "" && c.Target == "" {
			c.Target = host
		}
		if (w == "-o" || w == "--output" || w == "-O") && i+1 < len(p.args) && p.args[i+1] != "/dev/null" {
			c.Stdout = append(c.Stdout, text.Safe(p.args[i+1]))
		}
	}
}

// target is host:port of the server that a client or server names, "" if it
// names none or a variable.
func target(o options) string {
	if host, _ := splitURL(o.string("base_url", "url", "target") + "/"); host != "" {
		return host
	}
	port := o.string("port")
	if port == "" || port[0] == '$' {
		return ""
	}
	host := o.string("host")
	if host == "" {
		return ""
	}
	return host + ":" + port
}
