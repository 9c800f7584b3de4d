package part

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/a-h/templ"
)

// Seen names the query parameter with which a part of a page that refreshes itself says
// what the page shows.
const Seen = "seen"

// Unseen stands in the address from which a part refreshes itself, until Polled replaces
// it. Nothing else on a page contains a NUL character.
const Unseen = Seen + "=\x00"

type shownKey struct{}

// TellShown returns a context in which Polled sets *digest to the digest of what it shows.
func TellShown(ctx context.Context, digest *string) context.Context {
	return context.WithValue(ctx, shownKey{}, digest)
}

// Polled renders a part of a page that requests itself every few seconds. In its address,
// it replaces Unseen by a digest of everything that the part shows, so that the next
// response can be empty if it would show the same. Clocks and rings, which a script keeps
// running, do not count.
func Polled(c templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var body bytes.Buffer
		if err := c.Render(ctx, &body); err != nil {
			return err
		}
		shown := digest(body.Bytes())
		if told, ok := ctx.Value(shownKey{}).(*string); ok {
			*told = shown
		}
		_, err := w.Write(bytes.Replace(body.Bytes(), []byte(Unseen), []byte(Seen+"="+shown), 1))
		return err
	})
}

// moving are the beginnings and ends of what a script changes once a second.
var moving = [][2][]byte{
	{[]byte(`data-tick>`), []byte(`<`)},
	{[]byte(`data-arc stroke-dasharray="`), []byte(`"`)},
}

// digest returns a digest of the HTML without its clocks and rings.
func digest(html []byte) string {
	for _, m := range moving {
		html = without(html, m[0], m[1])
	}
	sum := sha256.Sum256(html)
	return hex.EncodeToString(sum[:12])
}

// without returns html without what stands between each begin and the next end.
func without(html, begin, end []byte) []byte {
	if !bytes.Contains(html, begin) {
		return html
	}
	var left []byte
	for {
		at := bytes.Index(html, begin)
		if at < 0 {
			return append(left, html...)
		}
		at += len(begin)
		left, html = append(left, html[:at]...), html[at:]
		html = html[max(0, bytes.Index(html, end)):]
	}
}
