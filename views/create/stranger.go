package create

import (
	"fmt"
	"net/url"
	"strings"

	"dailies/db/cast"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/views/part"
)

// Fields with handles, which stand as cast.Fold returns them with spaces between them.
const (
	ToldField = "cast_told" // handles of which the page says that nobody has them
	MetField  = "cast_met"  // those of the cast members whom it names
	UseField  = "cast_use"  // of a button: a handle that nobody has, and the one that takes its place
)

// A Stranger is a handle in a prompt that nobody in the cast has.
type Stranger struct {
	Typed string      // as it was typed, with the @
	Gone  cast.Member // who had it and is deleted; without an ID if that is nobody
	Near  string      // the handle that was probably meant, as cast.Fold returns it; empty if there is none
}

// Renamed is a field in which a button has put a handle in the place of another.
type Renamed struct {
	Field, Text string
}

// said says that nobody has the handle.
func (s Stranger) said() string {
	if s.Gone.ID != 0 {
		return fmt.Sprintf("%s was deleted, so %s is plain text.", naming.Isolated(s.Gone.Name), s.shown())
	}
	return NobodyCalled([]string{s.Typed})
}

func (s Stranger) shown() string { return naming.Isolated(part.Clip(s.Typed, 40)) }

// use returns the value of the button that puts the handle that was probably meant in its
// place.
func (s Stranger) use() string { return cast.KeyOf(s.Typed) + " " + s.Near }

// useLabel names that button.
func (s Stranger) useLabel() string { return fmt.Sprintf("Use %s", naming.Isolated("@"+s.Near)) }

// backLabel names the link to the page on which they are brought back.
func (s Stranger) backLabel() string {
	return fmt.Sprintf("Bring %s back", naming.Isolated(s.Gone.Name))
}

// newLabel names the link to the form for a new cast member.
func (s Stranger) newLabel() string { return fmt.Sprintf("Add %s to the cast", s.shown()) }

// newPath is the path of the form for a new cast member with the handle.
func (s Stranger) newPath() string {
	return "/cast/new?" + url.Values{"handle": {cast.KeyOf(s.Typed)}}.Encode()
}

// mostStrangers is how many handles that nobody has are explained one by one.
const mostStrangers = 3

// explained returns those that are explained one by one: if there are more, nobody who was
// meant is looked for.
func (c Cast) explained() []Stranger {
	if len(c.Strangers) > mostStrangers {
		return nil
	}
	return c.Strangers
}

// typed returns the handles as they were typed.
func typed(strangers []Stranger) (handles []string) {
	for _, s := range strangers {
		handles = append(handles, s.Typed)
	}
	return handles
}

// told returns the value of ToldField.
func told(strangers []Stranger) string {
	var keys []string
	for _, s := range strangers {
		keys = append(keys, cast.KeyOf(s.Typed))
	}
	return strings.Join(keys, " ")
}

// NobodyCalled says that nobody in the cast has these handles, which are as they were typed.
func NobodyCalled(handles []string) string {
	const most = 3
	if more := len(handles) - most; more > 0 {
		return part.Plural(more, "Nobody in the cast is called %[2]s or %[1]s more.", "Nobody in the cast is called %[2]s or %[1]s more.", format.List(shownHandles(handles[:most])))
	}
	return fmt.Sprintf("Nobody in the cast is called %s.", eitherOf(handles))
}

// NobodyNow says that nobody in the cast has these handles any more, and what happens
// next. They are as they were typed.
func NobodyNow(handles []string) string {
	if len(handles) == 1 {
		return fmt.Sprintf("Nobody in the cast is called %s any more. Press again to send it as plain text.", eitherOf(handles))
	}
	return fmt.Sprintf("Nobody in the cast is called %s any more. Press again to send them as plain text.", eitherOf(handles))
}

// eitherOf lists the handles for a sentence about none of them. Of many, it has the first
// few.
func eitherOf(handles []string) string {
	const most = 6
	shown := shownHandles(handles[:min(len(handles), most)])
	last := len(shown) - 1
	if last == 0 {
		return shown[0]
	}
	return fmt.Sprintf("%s or %s", format.List(shown[:last]), shown[last])
}

func shownHandles(handles []string) (shown []string) {
	for _, h := range handles {
		shown = append(shown, naming.Isolated(part.Clip(h, 40)))
	}
	return shown
}
