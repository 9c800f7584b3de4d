package storybook

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"dailies/static"
)

// still renders a component for the storybook. Many components of a kind share the
// page, so IDs and field names get the story's name as a prefix; htmx requests, style
// sheets and scripts are removed; forms lead back to the page; and every picture is
// replaced with the same one.
func still(story string, c templ.Component) templ.Component {
	return changed(c, func(page string) string {
		var out strings.Builder
		for z := html.NewTokenizer(strings.NewReader(page)); z.Next() != html.ErrorToken; {
			t := z.Token()
			if t.Data == "noscript" {
				z.NextIsNotRawText()
			}
			if t.Type == html.TextToken || t.Data != "script" && t.Data != "link" {
				t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return loose(t.Data, a.Key) })
				for i, a := range t.Attr {
					t.Attr[i].Val = stillValue(story, a)
				}
				out.WriteString(t.String())
			}
		}
		return out.String()
	})
}

// loose reports whether the storybook removes the tag's attribute, because it makes a
// request or a landmark, which must be unique on a page.
func loose(tag, name string) bool {
	switch name {
	case "autofocus", "method", "formmethod", "formenctype", "form":
		return true
	case "aria-label", "aria-labelledby", "role":
		return tag == "section" || tag == "form"
	}
	return strings.HasPrefix(name, "hx-") || tag == "video" && name == "src"
}

func stillValue(story string, a html.Attribute) string {
	switch a.Key {
	case "action", "formaction":
		return storybookPath
	case "src", "poster":
		return static.URL("still.svg")
	case "href":
		if strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "#icon-") {
			return "#" + story
		}
	case "id", "for", "name", "list", "data-copy", "aria-describedby", "aria-labelledby":
		names := strings.Fields(a.Val)
		for i, name := range names {
			names[i] = story + "-" + name
		}
		return strings.Join(names, " ")
	}
	return a.Val
}

// storybookPath is the path of the storybook.
const storybookPath = "/dev/storybook"

// opened returns the component with the details element open whose summary begins with
// the words.
func opened(words string, c templ.Component) templ.Component {
	return changed(c, func(page string) string {
		before, after, _ := strings.Cut(page, ">"+words)
		at := strings.LastIndex(before, "<details") + len("<details")
		return before[:at] + " open" + before[at:] + ">" + words + after
	})
}

// changed returns the component with a change applied to its HTML, for example as if it
// had been used.
func changed(c templ.Component, change func(page string) string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var out bytes.Buffer
		if err := c.Render(ctx, &out); err != nil {
			return err
		}
		_, err := io.WriteString(w, change(out.String()))
		return err
	})
}
