// Gallery writes the reports of all samples as pages, Markdown and pictures, to
// be looked at in the repository.
//
//	$ go run ./gallery -coldcase ../bin/coldcase -out ../docs/gallery
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gallery: ")
	command := flag.String("coldcase", "../bin/coldcase", "the command to run")
	out := flag.String("out", "../docs/gallery", "the folder to write")
	flag.Parse()
	if err := build(*command, *out); err != nil {
		log.Fatal(err)
	}
}

// build writes SAMPLE-MODE.html, .md and .png for every sample and mode, and an
// index.
func build(command, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	list, err := exec.Command(command, "samples", "list").Output()
	if err != nil {
		return fmt.Errorf("%s samples list: %w", command, err)
	}
	browser, stop := start()
	defer stop()
	var index bytes.Buffer
	index.WriteString("# Gallery\n\nThe reports of the samples, as `make gallery` builds them: static pages, their\nMarkdown, and a picture of the first screen.\n")
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		sample, about, _ := strings.Cut(line, " ")
		fmt.Fprintf(&index, "\n## %s\n\n%s\n\n", sample, strings.TrimSpace(about))
		for _, mode := range []string{"review", "publish", "case"} {
			base := filepath.Join(out, sample+"-"+mode)
			if err := write(command, sample, mode, base); err != nil {
				return err
			}
			if err := picture(browser, base); err != nil {
				return err
			}
			name := filepath.Base(base)
			fmt.Fprintf(&index, "- %s: [page](%s.html), [Markdown](%s.md), [picture](%s.png)\n", mode, name, name, name)
		}
	}
	return os.WriteFile(filepath.Join(out, "README.md"), index.Bytes(), 0o644)
}

// write lets the command write the page and its Markdown. Pages in the
// repository are static: the charting library would be in each of them.
func write(command, sample, mode, base string) error {
	for _, args := range [][]string{
		{"--charts", "static", "-o", base + ".html"},
		{"--format", "md", "-o", base + ".md"},
	} {
		args = append([]string{"report", "--sample", sample, "--mode", mode}, args...)
		if msg, err := exec.Command(command, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", command, strings.Join(args, " "), err, msg)
		}
	}
	return nil
}

func start() (context.Context, func()) {
	opts := chromedp.DefaultExecAllocatorOptions[:]
	if path := os.Getenv("COLDCASE_CHROMIUM"); path != "" {
		opts = append(opts, chromedp.ExecPath(path))
	}
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(allocator)
	return ctx, func() { cancel(); stopAllocator() }
}

// picture takes the first screen of the page at 1280 px: the page itself is
// beside it, and whole pictures would be the largest files of the repository.
func picture(browser context.Context, base string) error {
	path, err := filepath.Abs(base + ".html")
	if err != nil {
		return err
	}
	err = chromedp.Do(browser, chromedp.EmulateViewport(1280, 1100), chromedp.Navigate("file://"+path))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	shot, err := chromedp.Run(browser, chromedp.CaptureScreenshot())
	if err != nil {
		return fmt.Errorf("picture of %s: %w", path, err)
	}
	small, err := shrink(shot)
	if err != nil {
		return fmt.Errorf("picture of %s: %w", path, err)
	}
	return os.WriteFile(base+".png", small, 0o644)
}
