package storybook

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"dailies/static"
)

// still renders a component for the storybook. Many of a kind stand on one
// page, so ids and the names of fields get the story's name as a prefix;
// requests, style sheets and scripts are removed; forms lead back to the page;
// and every picture is the same.
func still(story string, c templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var out bytes.Buffer
		if err := c.Render(ctx, &out); err != nil {
			return err
		}
		html := asset.ReplaceAllString(out.String(), "")
		_, err := io.WriteString(w, tag.ReplaceAllStringFunc(html, func(t string) string { return stillTag(story, t) }))
		return err
	})
}

// What templ writes is regular: every value is quoted, and in no text stands a
// bare < or quote.
var (
	tag       = regexp.MustCompile(`<[a-z][^>]*>`)
	asset     = regexp.MustCompile(`<script[^>]*></script>|<link[^>]*>`)
	request   = regexp.MustCompile(` (hx-[a-z-]+|autofocus)(="[^"]*")?`)
	landmark  = regexp.MustCompile(` (aria-label|aria-labelledby|role)="[^"]*"`)
	reference = regexp.MustCompile(` (id|for|name|list|data-copy|aria-describedby|aria-labelledby)="([^"]+)"`)
	anchor    = regexp.MustCompile(` href="#[^"]*"`)
	target    = regexp.MustCompile(` (action|formaction)="[^"]*"`)
	post      = regexp.MustCompile(` (method|formmethod|formenctype|form)="[^"]*"`)
	source    = regexp.MustCompile(` src="[^"]*"`)
	poster    = regexp.MustCompile(` poster="[^"]*"`)
)

func stillTag(story, t string) string {
	switch {
	case strings.HasPrefix(t, "<video"):
		t = source.ReplaceAllString(t, "")
	case strings.HasPrefix(t, "<section"), strings.HasPrefix(t, "<form"):
		t = landmark.ReplaceAllString(t, "") // a page has each landmark once
	}
	t = request.ReplaceAllString(t, "")
	t = post.ReplaceAllString(t, "")
	t = target.ReplaceAllString(t, ` $1="`+storybookPath+`"`)
	t = anchor.ReplaceAllString(t, ` href="#`+story+`"`)
	t = source.ReplaceAllString(t, ` src="`+static.URL("still.svg")+`"`)
	t = poster.ReplaceAllString(t, ` poster="`+static.URL("still.svg")+`"`)
	return reference.ReplaceAllStringFunc(t, func(a string) string {
		parts := reference.FindStringSubmatch(a)
		names := strings.Fields(parts[2])
		for i, name := range names {
			names[i] = story + "-" + name
		}
		return ` ` + parts[1] + `="` + strings.Join(names, " ") + `"`
	})
}

// storybookPath is the address of the page.
const storybookPath = "/dev/storybook"

// opened returns the component with those details open whose summary begins
// with the words.
func opened(words string, c templ.Component) templ.Component {
	return changed(c, func(html string) string {
		before, after, _ := strings.Cut(html, ">"+words)
		at := strings.LastIndex(before, "<details") + len("<details")
		return before[:at] + " open" + before[at:] + ">" + words + after
	})
}

// ticked returns the component with its first box checked.
func ticked(c templ.Component) templ.Component {
	return changed(c, func(html string) string {
		return strings.Replace(html, `type="checkbox"`, `type="checkbox" checked`, 1)
	})
}

// changed returns the component with its HTML changed, as after some use.
func changed(c templ.Component, change func(html string) string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var out bytes.Buffer
		if err := c.Render(ctx, &out); err != nil {
			return err
		}
		_, err := io.WriteString(w, change(out.String()))
		return err
	})
}
