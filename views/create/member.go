package create

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// listPath is the path of the page with the cast.
const listPath = "/cast"

// A CastPage holds the cast that fits what was typed.
type CastPage struct {
	Members []cast.Member // of this page
	Found   int           // on all pages
	Uses    map[int64]int // videos with each that the viewer may see
	Query   string
	Kind    cast.Kind
	Many    map[cast.Kind]int // members of each kind, whatever was typed
	Page    int               // from 1
	More    bool              // there is another page
	Deleted []cast.Member     // that can be restored
}

// all counts the cast.
func (p CastPage) all() (n int) {
	for _, many := range p.Many {
		n += many
	}
	return n
}

// found says how many members fit.
func (p CastPage) found() string {
	if p.Found > 0 {
		return part.Plural(p.Found, "%s in the cast", "%s in the cast")
	}
	return "Nobody in the cast fits"
}

func (p CastPage) next() string {
	q := url.Values{"page": {strconv.Itoa(p.Page + 1)}}
	if p.Query != "" {
		q.Set("q", p.Query)
	}
	if p.Kind != "" {
		q.Set("kind", string(p.Kind))
	}
	return listPath + "?" + q.Encode()
}

// manyKinds names the choices of the filter by kind.
func manyKinds() map[cast.Kind]string {
	return map[cast.Kind]string{"": "All", cast.Person: "People", cast.Product: "Products", cast.Place: "Places", cast.Style: "Styles"}
}

// uses says how many videos a cast member is in.
func (p CastPage) uses(m cast.Member) string {
	const most = 1000
	n := p.Uses[m.ID]
	if n > most {
		return fmt.Sprintf("%s · %s+ videos", m.At(), part.Number(most))
	}
	return part.Plural(n, "%[2]s · %[1]s video", "%[2]s · %[1]s videos", m.At())
}

// A CastForm holds the form of a cast member.
type CastForm struct {
	Member cast.Member // as it is stored; without an ID if it is a new one

	Handle, Name, Look, ConsentBy, ConsentOn input.Text
	Kind                                     input.Choice
	Form                                     CreateForm // the tiles of its pictures, and all errors

	Version  int64        // the one that was shown
	Theirs   *cast.Member // what somebody else has saved meanwhile; nil if nobody has
	Required bool         // the team requires consent
}

// NewCastForm returns the form of the member.
func NewCastForm(m cast.Member) CastForm {
	on := ""
	if !m.Consent.On.IsZero() {
		on = m.Consent.On.Format(time.DateOnly)
	}
	kind := input.Choice{Field: input.Field{Name: "kind", Label: "Kind", Value: string(m.Kind), Rules: input.Offered(cast.NoKind)}}
	for _, k := range cast.Kinds() {
		kind.Options = append(kind.Options, input.Option{Value: string(k), Label: face(cast.Member{Kind: k}).KindName()})
	}
	if m.Kind == "" {
		kind.Value = string(cast.Person)
	}
	text := func(name, label, value string, rules ...input.Rule) input.Text {
		return input.Text{Field: input.Field{Name: name, Label: label, Value: value, Rules: rules}}
	}
	f := CastForm{
		Member: m, Version: m.Version, Kind: kind,
		Handle: text("handle", "Handle", m.Handle),
		Name: text("name", "Name", m.Name,
			input.Required(cast.NoName).OnSubmit(), input.Max(cast.MaxName, cast.LongName).OnSubmit()),
		Look: text("look", "Look", m.Look, input.Max(cast.MaxLook, cast.LongLook).OnSubmit()),
		ConsentBy: text("consent_by", "Who agreed", m.Consent.By,
			input.Valid("required_beside", cast.NoConsentBy).With("consent_on"), input.Max(cast.MaxConsent, cast.LongConsent).OnSubmit()),
		ConsentOn: text("consent_on", "On", on, input.Valid("required_beside", cast.NoConsentOn).With("consent_by"),
			input.Valid("date", cast.BadDate), input.Valid("not_to_come", cast.LateConsent)),
		Form: CreateForm{Scene: videoapi.ReferenceToVideo, Pictures: m.Pictures},
	}
	f.Handle.Plain, f.Look.Rows, f.Look.Hint = true, 3, "Goes into the prompt once, in up to 200 letters"
	f.ConsentOn.Kind, f.ConsentOn.Others = "date", map[string]any{"max": "9999-12-31"}
	return f
}

// Inputs returns the fields.
func (f *CastForm) Inputs() []input.Input {
	return []input.Input{&f.Name, &f.Handle, &f.Kind, &f.Look, &f.ConsentBy, &f.ConsentOn}
}

// Title returns the heading of the page.
func (f CastForm) Title() string {
	if f.Member.ID == 0 {
		return "New in the cast"
	}
	return fmt.Sprintf("Edit %s", naming.Isolated(f.Member.Name))
}

// Path returns the path that the form is sent to.
func (f CastForm) Path() string {
	if f.Member.ID == 0 {
		return listPath + "/new"
	}
	return face(f.Member).Path()
}

// page returns the path of the page with the form.
func (f CastForm) page() string {
	if f.Member.ID == 0 {
		return listPath + "/new"
	}
	return face(f.Member).Path() + "/edit"
}

func (f CastForm) back() string {
	if f.Member.ID == 0 {
		return listPath
	}
	return face(f.Member).Path()
}

// mixed reports whether the handle has letters that look alike.
func (f CastForm) mixed() bool { return cast.MixesAlike(f.Handle.Value) }

// atSign comes before a handle in a prompt.
const atSign = "@"

// castStory explains the cast to a team that has none.
const castStory = "Give a person, product or place a handle and up to three pictures. Then write it in any prompt, such as @anna."

// handleHint describes the field of the handle.
const handleHint = "handle-hint"

// A castChange is a field that somebody else has changed meanwhile.
type castChange struct{ Label, Theirs, Yours string }

// changes lists the fields in which what was typed differs from what is stored, in words.
func (f CastForm) changes() (list []castChange) {
	theirs := NewCastForm(*f.Theirs)
	for i, in := range f.Inputs() {
		yours, stored := in.Base(), theirs.Inputs()[i].Base()
		if yours.Value != stored.Value {
			list = append(list, castChange{yours.Label, stored.Value, yours.Value})
		}
	}
	return list
}

// otherPictures reports whether the pictures are not those that are stored.
func (f CastForm) otherPictures() bool {
	given := slices.DeleteFunc(slices.Clone(f.Form.Pictures), func(address string) bool { return address == "" })
	return !slices.Equal(given, f.Theirs.Pictures)
}

// keepTheirs names the link that drops what was typed.
func (f CastForm) keepTheirs() string {
	return fmt.Sprintf("Keep the version of %s", naming.Isolated(f.Theirs.ChangerName))
}

func face(m cast.Member) part.Face { return part.Face{Member: m} }
