package library

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db/gallery"
	"dailies/views/input"
	"dailies/views/part"
)

// A SharePart holds the links to a video, a collection or a storyline, for the people who
// make and copy them.
type SharePart struct {
	Path     string // of the page of what is shared
	Target   gallery.LinkTarget
	Able     bool                      // there is something that a link would show
	LookOnly bool                      // the viewer may not make links
	Offers   []gallery.GuestPermission // what makers can let guests do
	Form     *ShareForm
	Chosen   *part.ShareLink // the link that is copied and changed; nil if one is to be made
	After    int64           // the ID of the viewer's newest link that can be copied; 0 if there is none
	Links    []part.ShareLink
	Ended    []part.ShareLink // that have ended lately
}

// Choose chooses the link with the ID, if the viewer may change it and it can be copied.
func (p *SharePart) Choose(id int64) {
	for i, l := range p.Links {
		if l.Share.ID == id && l.Able && l.Address != "" && !p.LookOnly {
			p.Chosen = &l
			p.Form = ShareFormOf(l.Share)
			p.Links = slices.Delete(slices.Clone(p.Links), i, i+1)
			return
		}
	}
}

// A ShareForm holds the settings of a link.
type ShareForm struct {
	May        input.Choice
	Title      input.Text
	Welcome    input.Text
	Password   input.Text
	NoPassword input.Switch
	Days       input.Choice
	Download   input.Switch
	Takes      input.Switch
}

// Inputs returns all fields that a new link has.
func (f *ShareForm) Inputs() []input.Input {
	return []input.Input{&f.May, &f.Title, &f.Welcome, &f.Password, &f.Days, &f.Download, &f.Takes}
}

// mayLabel names what guests may do.
func mayLabel(m gallery.GuestPermission) string {
	return map[gallery.GuestPermission]string{gallery.Look: "Look", gallery.Talk: "Talk", gallery.Decide: "Decide"}[m]
}

// NewShareForm returns the form of a new link. It does not suggest a title, because guests
// are not told what a video is called here.
func NewShareForm() *ShareForm {
	form := &ShareForm{
		May: input.Choice{
			Field: input.Field{
				Name: "may", ID: "share-may", Label: "Guests may", Value: string(gallery.Look), Rules: input.Offered(chooseOne),
			},
			Hidden: true,
		},
		Title: input.Text{
			Field: input.Field{
				Name: "title", ID: "share-name", Label: "Title", Rules: titleRules(),
			},
			Kind: "text", Bare: true, Sample: "What guests read",
		},
		Welcome: input.Text{
			Field: input.Field{
				Name: "welcome", ID: "share-welcome", Label: "Welcome line",
				Rules: input.Rules{input.Max(gallery.MaxWelcome, "200 letters at most. This one has %d.")},
			},
			Bare: true, Rows: 2, Sample: "What guests read first",
		},
		Password: input.Text{
			Field: input.Field{
				Name: "password", ID: "share-password", Label: "Password",
				Hint: "Send it separately. You can change it, but not read it again.",
				Rules: input.Rules{
					input.Min(gallery.MinSharePassword, "Use at least 6 characters."),
					input.Max(gallery.MaxSharePassword, "Use at most 200 characters."),
				},
			},
			Kind: "password", Bare: true, Plain: true, Sample: "At least 6 characters",
			Others: templ.Attributes{"type": "text"}, // whoever types it has to send it to somebody
		},
		NoPassword: input.Switch{Field: input.Field{Name: "no_password", ID: "share-no-password", Label: "Remove the password"}},
		Days: input.Choice{
			Field: input.Field{
				Name: "days", ID: "share-days", Label: "Ends in", Value: strconv.Itoa(gallery.UsualShareDays),
				Rules: input.Offered(chooseOne),
			},
			Hidden: true,
		},
		Download: input.Switch{Field: input.Field{Name: "download", ID: "share-download", Label: "Allow download"}},
		Takes:    input.Switch{Field: input.Field{Name: "takes", ID: "share-takes", Label: "Show other takes, new ones too"}},
	}
	for _, may := range gallery.GuestPermissions() {
		form.May.Options = append(form.May.Options, input.Option{Value: string(may), Label: mayLabel(may)})
	}
	for _, days := range gallery.ShareDays() {
		form.Days.Options = append(form.Days.Options, input.Option{
			Value: strconv.Itoa(days), Label: part.Plural(days, "%s day", "%s days"),
		})
	}
	return form
}

const chooseOne = "Choose one of these."

// ShareFormOf returns the form that changes the link. No number of days is chosen: without
// one, the link ends when it would have.
func ShareFormOf(s gallery.Share) *ShareForm {
	form := NewShareForm()
	form.Title.Value, form.Days.Value = s.Title, ""
	form.May.Value, form.Welcome.Value = string(s.May), s.Welcome
	form.Download.On, form.Takes.On = s.Download, s.Takes
	if s.Password != "" {
		form.Password.Sample = "Another password"
	}
	return form
}

// hasPassword reports whether the chosen link has a password.
func (p SharePart) hasPassword() bool { return p.Chosen != nil && p.Chosen.Share.Password != "" }

// passwordTyped says that the link will have the password that is typed, beside that setting.
const passwordTyped = "Will be set"

// passwordShown says whether the link has a password, beside that setting.
func (p SharePart) passwordShown() string {
	if p.Form.Password.Value != "" {
		return passwordTyped
	}
	return p.passwordKept()
}

// passwordKept returns the row's text for the stored password, whatever is typed.
func (p SharePart) passwordKept() string {
	if p.hasPassword() {
		return "Set"
	}
	return none
}

// welcomeShown returns the welcome of the link, beside that setting.
func (p SharePart) welcomeShown() string { return cmp.Or(p.Form.Welcome.Value, none) }

// unnamed reports whether the chosen link does not say who sent it, because it is from
// before links did so.
func (p SharePart) unnamed() bool { return p.Chosen != nil && !p.Chosen.Share.Named }

const none = "None"

// action returns the path to which the settings are sent.
func (p SharePart) action() string {
	if p.Chosen != nil {
		return "/shares/" + strconv.FormatInt(p.Chosen.Share.ID, 10)
	}
	return p.Path + "/share"
}

// ends says when the link ends, beside that setting.
func (p SharePart) ends() string {
	if p.Chosen != nil {
		return part.Date(p.Chosen.Share.ExpiresAt)
	}
	for _, o := range p.Form.Days.Options {
		if o.Value == p.Form.Days.Value {
			return o.Label
		}
	}
	return ""
}

// titleShown returns the title of the link, beside that setting.
func (p SharePart) titleShown() string { return cmp.Or(p.Form.Title.Value, none) }

// why says why no link can be made at present.
func (p SharePart) why() string {
	switch p.Target {
	case gallery.OfCollection, gallery.OfStory:
		return "Needs a finished video the team can see"
	}
	return "You can share it once it’s ready."
}

// promise says what guests see and may do.
func (p SharePart) promise() string {
	return map[gallery.LinkTarget]map[gallery.GuestPermission]string{
		gallery.OfVideo: {
			gallery.Look:   "Anyone with the link can watch. They’ll read your name, never the prompt.",
			gallery.Talk:   "Anyone with the link can watch and write notes. They’ll read your name, never the prompt.",
			gallery.Decide: "Anyone with the link can watch, write notes and approve. They’ll read your name, never the prompt.",
		},
		gallery.OfCollection: {
			gallery.Look:   "Anyone with the link can watch these videos, also later ones. They’ll read your name, the collection’s name and note, never a prompt.",
			gallery.Talk:   "Anyone with the link can watch these videos, also later ones, and write notes. They’ll read your name, the collection’s name and note, never a prompt.",
			gallery.Decide: "Anyone with the link can watch these videos, also later ones, write notes and approve. They’ll read your name, the collection’s name and note, never a prompt.",
		},
		gallery.OfStory: {
			gallery.Look:   "Anyone with the link can watch the film in its latest form. They’ll read your name, never a prompt.",
			gallery.Talk:   "Anyone with the link can watch the film in its latest form, and write notes. They’ll read your name, never a prompt.",
			gallery.Decide: "Anyone with the link can watch the film in its latest form, write notes and approve. They’ll read your name, never a prompt.",
		},
	}[p.Target][p.may()]
}

// may returns what guests may do with the link in the form, or look if that is no right.
func (p SharePart) may() gallery.GuestPermission {
	if may := gallery.GuestPermission(p.Form.May.Value); may.Allows(gallery.Look) {
		return may
	}
	return gallery.Look
}

// choice returns the field for what guests may do, with those rights that are offered.
func (p SharePart) choice() input.Choice {
	field := p.Form.May
	field.Options = slices.DeleteFunc(
		slices.Clone(field.Options), func(o input.Option) bool { return !slices.Contains(p.Offers, gallery.GuestPermission(o.Value)) },
	)
	return field
}

// back says what the page with the links leads back to.
func (p SharePart) back() string {
	switch p.Target {
	case gallery.OfCollection:
		return "Collection"
	case gallery.OfStory:
		return "Storyline"
	}
	return "Video"
}
