// Package say shows sentences with values and markup in them. A sentence is one string, so
// that it is read and translated as a whole:
//
//	say.Sentence("{maker} joined <hint>on {day}</hint>", say.Text("maker", name), say.Around("hint", hint()), say.Shown("day", day))
package say

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// A Place is what stands in a place of a sentence.
type Place struct {
	name   string
	around bool
	shown  templ.Component
}

// Text puts the text into the place {name}.
func Text(name, text string) Place {
	return Shown(name, templ.ComponentFunc(func(_ context.Context, w io.Writer) error { return write(w, text) }))
}

// Shown puts the component into the place {name}.
func Shown(name string, c templ.Component) Place { return Place{name: name, shown: c} }

// Around puts the component, which shows its children, around the words between <name> and
// </name>.
func Around(name string, c templ.Component) Place { return Place{name: name, around: true, shown: c} }

// Sentence shows the sentence with its places. All text is escaped. A place that has nothing
// to show, and a value without a place, are errors.
func Sentence(sentence string, places ...Place) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		s := saying{places: places, used: make([]bool, len(places))}
		if err := s.show(templ.ClearChildren(ctx), w, sentence); err != nil {
			return fmt.Errorf("sentence %q: %w", sentence, err)
		}
		for i, p := range places {
			if !s.used[i] {
				return fmt.Errorf("sentence %q has no place %q", sentence, p.name)
			}
		}
		return nil
	})
}

// saying is a sentence while it is shown.
type saying struct {
	places []Place
	used   []bool
}

// show writes the words and what stands in their places.
func (s *saying) show(ctx context.Context, w io.Writer, words string) error {
	for {
		at := strings.IndexAny(words, "{}<>")
		if at < 0 {
			return write(w, words)
		}
		if err := write(w, words[:at]); err != nil {
			return err
		}
		ends := map[byte]string{'{': "}", '<': ">"}[words[at]]
		name, rest, ok := strings.Cut(words[at+1:], ends)
		if ends == "" || !ok {
			return fmt.Errorf("%q is not a place", words[at:])
		}
		p, err := s.place(name, ends == ">")
		if err != nil {
			return err
		}
		words = rest
		if p.around {
			inside, after, closed := strings.Cut(rest, "</"+name+">")
			if !closed {
				return fmt.Errorf("place %q has no end", name)
			}
			words = after
			ctx := templ.WithChildren(ctx, templ.ComponentFunc(
				func(ctx context.Context, w io.Writer) error { return s.show(templ.ClearChildren(ctx), w, inside) },
			))
			err = p.shown.Render(ctx, w)
		} else {
			err = p.shown.Render(ctx, w)
		}
		if err != nil {
			return err
		}
	}
}

// place returns what stands in a place of the sentence.
func (s *saying) place(name string, around bool) (Place, error) {
	for i, p := range s.places {
		if p.name == name && p.around == around {
			s.used[i] = true
			return p, nil
		}
	}
	return Place{}, fmt.Errorf("nothing stands in place %q", name)
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, templ.EscapeString(text))
	return err
}
