package library

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/part"
)

// A Finding holds what fits the text typed into the command palette. Without a text it
// holds what the viewer used last.
type Finding struct {
	Query       string
	Viewer      db.User
	Videos      []part.Card
	Total       int // matching videos, as gallery.Filter counts them
	People      []db.User
	Tags        []gallery.Tag
	Cast        []cast.Member
	Collections []gallery.Collection
	Recipes     []ordering.Recipe
}

// A section of the palette is a list of places under a heading.
type section struct {
	Heading string
	Places  []place
}

// A place is something that the palette leads to.
type place struct {
	Href  string
	Name  string
	Hint  string // what kind of thing it is; may be empty
	Key   string // the shortcut that leads there; may be empty
	Cover string // address of a picture to show instead of Icon; may be empty
	Icon  templ.Component
}

// sections returns what the palette lists, in the order of the page. There is always
// something to choose.
func (f Finding) sections() []section {
	all := []section{
		{"Videos", f.videos()},
		{"People and tags", f.marks()},
		{"Cast", f.castOf()},
		{"Collections and recipes", f.kept()},
		{"Go to", f.destinations(pages())},
		{"Do", f.destinations(actions())},
	}
	if f.Query == "" {
		all = []section{{"Do", f.destinations(actions())}, {"Lately", append(f.videos(), f.kept()...)}, {"Go to", f.destinations(pages())}}
	}
	all = slices.DeleteFunc(all, func(s section) bool { return len(s.Places) == 0 })
	if f.Query == "" {
		return all
	}
	anyway := f.anyway()
	switch last := len(all) - 1; {
	case last < 0:
		return []section{{fmt.Sprintf("Nothing called “%s”", naming.Isolated(f.short())), anyway}}
	case all[last].Heading == "Do":
		all[last].Places = append(all[last].Places, anyway...)
	case len(anyway) > 0:
		all = append(all, section{"Do", anyway})
	}
	return all
}

// count says how many places the palette lists, for screen readers.
func (f Finding) count() string {
	n := 0
	for _, s := range f.sections() {
		n += len(s.Places)
	}
	return part.Plural(n, "%s found", "%s found")
}

// short returns the beginning of the query, for sentences that quote it.
func (f Finding) short() string {
	const most = 40 // characters
	if short := naming.Short(f.Query, most); short != naming.Clean(f.Query) {
		return short + "…"
	}
	return f.Query
}

// videos lists the matching videos, and the way to all of them if there are more.
func (f Finding) videos() (places []place) {
	for _, c := range f.Videos {
		p := place{Href: part.TaskPath(c.Task.ID), Name: c.Title(), Hint: f.told(c), Icon: film()}
		if m, ok := poster(c.Task); ok {
			p.Cover = part.MediaPath(m)
		}
		places = append(places, p)
	}
	if f.Query != "" && f.Total > len(f.Videos) {
		places = append(places, place{Href: f.search(), Name: f.all(), Hint: "gallery", Icon: lens()})
	}
	return places
}

// told says whose video it is, and when it was made or how far it is.
func (f Finding) told(c part.Card) string {
	if c.Task.State != db.Success {
		return fmt.Sprintf("%s · %s", naming.Isolated(c.Maker()), part.StateName(c.Task.State))
	}
	return fmt.Sprintf("%s · %s", naming.Isolated(c.Maker()), part.Ago(c.Task.CreatedAt, c.Now))
}

// all names the link to all matching videos.
func (f Finding) all() string {
	if most := (gallery.Filter{Query: f.Query}).MostCounted(); f.Total > most {
		return fmt.Sprintf("More than %s videos with “%s”", part.Number(most), naming.Isolated(f.short()))
	}
	return fmt.Sprintf("All %s videos with “%s”", part.Number(f.Total), naming.Isolated(f.short()))
}

// search returns the address of the gallery with the matching videos.
func (f Finding) search() string { return galleryPath(url.Values{"q": {f.Query}}) }

// marks lists people and tags. Both lead to their videos.
func (f Finding) marks() (places []place) {
	for _, u := range f.People {
		places = append(places, place{
			Href: galleryPath(url.Values{"who": {fmt.Sprint(u.ID)}}), Name: u.Name, Hint: "videos by this person",
			Icon: person(),
		})
	}
	for _, t := range f.Tags {
		places = append(places, place{Href: galleryPath(url.Values{"tag": {t.Name}}), Name: t.Name, Hint: "tag", Icon: part.Label()})
	}
	return places
}

// castOf lists the cast members.
func (f Finding) castOf() (places []place) {
	for _, m := range f.Cast {
		places = append(places, place{Href: face(m).Path(), Name: m.Name, Hint: face(m).Facts(), Cover: face(m).Portrait(), Icon: person()})
	}
	return places
}

// kept lists collections and recipes.
func (f Finding) kept() (places []place) {
	for _, c := range f.Collections {
		places = append(places, place{Href: part.CollectionPath(c.ID), Name: c.Name, Hint: "collection", Icon: part.Folder()})
	}
	for _, r := range f.Recipes {
		hint := "recipe"
		if n := len(r.Blanks()); n > 0 {
			hint = part.Plural(n, "recipe · %s blank", "recipe · %s blanks")
		}
		places = append(places, place{Href: part.RecipePath(r), Name: r.Name, Hint: hint, Icon: book()})
	}
	return places
}

// anyway lists what can be done with any text.
func (f Finding) anyway() (places []place) {
	if len(f.Videos) == 0 {
		places = append(places, place{
			Href: f.search(), Name: fmt.Sprintf("Search all prompts and titles for “%s”", naming.Isolated(f.short())),
			Hint: "gallery", Icon: lens(),
		})
	}
	if f.Viewer.Makes() {
		path := "/create/text-to-video?" + url.Values{"prompt": {f.Query}}.Encode()
		places = append(places, place{Href: path, Name: fmt.Sprintf("Make a video of “%s”", naming.Isolated(f.short())), Icon: plus()})
	}
	return places
}

// A destination is a page or an action that the palette always knows.
type destination struct {
	place
	More   string // further words under which it is found
	Makers bool   // only for people who may make videos
	Admins bool
}

// destinations returns those that fit the text and are meant for the viewer.
func (f Finding) destinations(all []destination) (places []place) {
	for _, d := range all {
		if d.Admins && !f.Viewer.IsAdmin() || d.Makers && !f.Viewer.Makes() {
			continue
		}
		if !slices.ContainsFunc(strings.Fields(f.Query), func(word string) bool { return !d.has(word) }) {
			places = append(places, d.place)
		}
	}
	return places
}

// has reports whether one of the destination's words begins with the typed one.
func (d destination) has(typed string) bool {
	begins := func(word string) bool { return strings.HasPrefix(word, strings.ToLower(typed)) }
	return slices.ContainsFunc(strings.Fields(strings.ToLower(d.Name+" "+d.More)), begins)
}

// actions lists what people can begin from anywhere.
func actions() []destination {
	return []destination{
		{place{Href: "/", Name: "New video", Key: "C", Icon: plus()}, "create make prompt", true, false},
		{place{Href: "/recipes/new", Name: "New recipe", Icon: book()}, "create blank", true, false},
		{place{Href: "/cast/new", Name: "New in the cast", Icon: person()}, "create person product place style handle", true, false},
		{place{Href: "/collections", Name: "New collection", Icon: part.Folder()}, "create", true, false},
		{place{Href: "/members/invite", Name: "Invite people", Icon: person()}, "add person member invitation", false, true},
	}
}

// pages lists where people can go from anywhere.
func pages() []destination {
	return []destination{
		{place{Href: "/gallery", Name: "Gallery", Icon: film()}, "all videos", false, false},
		{place{Href: "/collections", Name: "Collections", Icon: part.Folder()}, "", false, false},
		{place{Href: "/cast", Name: "Cast", Icon: person()}, "people products places styles handles", false, false},
		{place{Href: "/recipes", Name: "Recipes", Icon: book()}, "", true, false},
		{place{Href: "/batches", Name: "Past batches", Icon: list()}, "table many", true, false},
		{place{Href: "/bin", Name: "Bin", Icon: part.Trash()}, "deleted videos", true, false},
		{place{Href: "/usage", Name: "Usage", Icon: list()}, "spending credits receipts chart", false, false},
		{place{Href: "/limit", Name: "Your limit", Icon: list()}, "credits ask for more", true, false},
		{
			place{Href: "/settings", Name: "Settings", Icon: person()},
			"password name email theme dark own key passkey second step notifications sign out",
			false, false,
		},
		{place{Href: "/members", Name: "People", Icon: person()}, "team members roles invitations", false, true},
		{place{Href: "/team/spending", Name: "Spending", Icon: list()}, "team limits requests credits usage time zone", false, true},
		{place{Href: part.ServicePath, Name: "Video service", Icon: list()}, "team connect api practice mode address", false, true},
		{place{Href: "/team/keys", Name: "Team keys", Icon: list()}, "video service api", false, true},
		{place{Href: "/team/security", Name: "Security", Icon: list()}, "team company sign-in second step", false, true},
		{place{Href: "/audit", Name: "Audit", Icon: list()}, "team history", false, true},
		{place{Href: "/team/brand", Name: "Brand and messages", Icon: list()}, "team announcement email", false, true},
		{place{Href: "/keys", Name: "Keyboard shortcuts", Icon: list()}, "help", false, false},
	}
}

// marked renders the name. The first word that begins with the query stands out.
func (f Finding) marked(name string) templ.Component {
	letters, last := utf8.RuneCountInString(f.Query), ' '
	for at, r := range name {
		end, within := at, unicode.In(last, unicode.L, unicode.N)
		last = r
		for range letters {
			_, size := utf8.DecodeRuneInString(name[end:])
			end += size
		}
		if !within && end > at && strings.EqualFold(name[at:end], f.Query) {
			return templ.Raw(fmt.Sprintf(
				"%s<b>%s</b>%s", templ.EscapeString(name[:at]), templ.EscapeString(name[at:end]),
				templ.EscapeString(name[end:]),
			))
		}
	}
	return templ.Raw(templ.EscapeString(name))
}

// The symbols of the palette.
func lens() templ.Component {
	return drawn("M11 17.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM16 16l4.500 4.500")
}
func film() templ.Component { return drawn("M4 6h16v12H4zM10 9.500v5l4.500-2.500z") }
func plus() templ.Component { return drawn("M12 5v14M5 12h14") }
func list() templ.Component {
	return drawn("M9 6h11M9 12h11M9 18h11M4.500 6h.1M4.500 12h.1M4.500 18h.1")
}
func person() templ.Component {
	return drawn("M12 12.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20c1-4 4-5.500 7.500-5.500s6.500 1.500 7.500 5.500")
}
func book() templ.Component {
	return drawn("M5 4.500h6.500a2 2 0 0 1 .5 2V20a2 2 0 0 0-2-1.500H5zM19 4.500h-5a2 2 0 0 0-2 2V20a2 2 0 0 1 2-1.500h5z")
}
