package templates

import (
	"embed"
	"errors"
	"strings"
)

// echartsFiles embeds the files of the folder, whichever are there: a build
// without the library succeeds and draws still charts only. The pattern matches
// no folder, so that installed packages beside the files stay out.
//
//go:embed echarts/*.*
var echartsFiles embed.FS

const echartsName = "echarts/echarts.common.min.js"

// builtinECharts is the chart library that is built in, nil for none.
func builtinECharts() []byte {
	b, err := echartsFiles.ReadFile(echartsName)
	if err != nil {
		return nil
	}
	return b
}

// library returns the chart library that a page with these options embeds, nil
// for none.
func (o Options) library() ([]byte, error) {
	if o.Charts == Static {
		return nil, nil
	}
	lib := o.EChartsJS
	if lib == nil {
		lib = builtinECharts()
	}
	if lib == nil && o.Charts == Interactive {
		return nil, errors.New("interactive charts: no chart library is built in; run make echarts and build again, or name a copy of echarts.common.min.js")
	}
	if lib == nil {
		return nil, nil
	}
	// The hashes of the content policy are over bytes with plain line ends.
	return []byte(strings.ReplaceAll(string(lib), "\r\n", "\n")), nil
}

// asset reads a style sheet or a script of the page.
func asset(name string) string {
	b, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic("asset " + name + ": " + err.Error()) // embedded, so a fault of the build
	}
	return string(b)
}
