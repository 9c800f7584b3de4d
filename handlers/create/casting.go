package create

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/store/video"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// Casting finds the cast members that prompts and pictures name.
type Casting struct {
	Catalog *videoapi.Catalog
	Members *video.Cast
}

// A company is the cast members that the texts of some tasks name. Nobody else in the cast
// matters for these.
type Company []cast.Member

// consent returns a problem for each person in the tasks whose consent is not noted, if the
// team requires it. Tasks that are made again have the cast of earlier ones, so their
// members are read as they are now.
func (c *Casting) consent(ctx context.Context, tasks []db.Task) (problems Problems, err error) {
	var ids []int64
	for _, t := range tasks {
		ids = append(ids, idsOf(t.Cast)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	required, err := c.Members.RequiresConsent(ctx)
	if err != nil || !required {
		return nil, err
	}
	slices.Sort(ids)
	people, err := c.Members.ByIDs(ctx, slices.Compact(ids))
	for _, m := range people {
		if m.LacksConsent() {
			problems = append(problems, Problem{Kind: NoConsent, Field: createview.CastField, Text: createview.ConsentMissing(m)})
		}
	}
	return problems, err
}

// Of returns the cast members that the tasks name.
func (c *Casting) Of(ctx context.Context, tasks ...db.Task) (Company, error) {
	var handles []string
	for _, t := range tasks {
		handles = append(handles, HandlesOf(t)...)
	}
	if len(handles) == 0 {
		return nil, nil
	}
	slices.Sort(handles)
	found, err := c.Members.ByHandles(ctx, slices.Compact(handles))
	for _, m := range found {
		for i := range m.Pictures { // as Pictures.Settle makes them
			m.Pictures[i], _ = PictureLink(m.Pictures[i])
		}
	}
	return found, err
}

// Meet returns the cast members that the tasks name, and the handles in their prompts that
// nobody has.
func (c *Casting) Meet(ctx context.Context, tasks ...db.Task) (known Company, strangers []createview.Stranger, err error) {
	if known, err = c.Of(ctx, tasks...); err != nil {
		return nil, nil, err
	}
	strangers, err = c.Strangers(ctx, known.Unknown(tasks...))
	return known, strangers, err
}

// HandlesOf returns all handles that the task may name.
func HandlesOf(t db.Task) (handles []string) {
	cast.Pieces(t.Prompt, func(handle string) bool {
		handles = append(handles, handle)
		return false
	})
	for _, p := range t.Pictures {
		if c, ok := cast.ParseChoice(p); ok {
			handles = append(handles, c.Handle)
		}
	}
	return handles
}

// Handles returns their handles, as cast.Fold returns them.
func (c Company) Handles() (handles []string) {
	for _, m := range c {
		handles = append(handles, m.Fold())
	}
	return handles
}

// Then returns the company as it was in the appearances. Whoever was not in these stays as
// they are now.
func (c Company) Then(was []cast.Appearance) Company {
	c = slices.Clone(c)
	for i, m := range c {
		at := slices.IndexFunc(was, func(a cast.Appearance) bool { return a.MemberID == m.ID })
		if at >= 0 {
			c[i].Name, c[i].Look, c[i].Pictures = was[at].Name, was[at].Look, was[at].Pictures
		}
	}
	return c
}

// Script returns what is sent of the task, which has not been cast yet. For chosen see
// cast.Way.
func (c Company) Script(catalog *videoapi.Catalog, t db.Task, chosen []cast.Choice) cast.Script {
	scene := videoapi.Scene(t.Scene)
	m, _ := ModelFor(catalog, t.Model, scene)
	way := cast.Way{
		References: scene == videoapi.ReferenceToVideo, Room: m.ImagesFor(scene).Max,
		Refer: func(n int) string { return m.RefersTo(scene, n) },
	}
	return way.Cast(c, t.Prompt, t.Pictures, chosen)
}

// Cast replaces the handles in the task by what is sent for them, and returns what is wrong
// with them.
func (c Company) Cast(catalog *videoapi.Catalog, t *db.Task, chosen []cast.Choice) (problems Problems) {
	if isCast(*t) {
		return nil
	}
	s := c.Script(catalog, *t, chosen)
	for _, i := range s.Nobody {
		problems = append(problems, Problem{Field: PictureField(i), Text: createview.NobodyCalled([]string{strings.TrimSpace(s.Pictures[i])})})
	}
	if len(s.Left) > 0 {
		problems = append(problems, Problem{Kind: TooManyCast, Field: createview.CastField, Text: createview.NoPlaceFor(s)})
	}
	if s.Beyond > 0 {
		problems = append(problems, Problem{Kind: TooManyCast, Field: createview.CastField, Text: createview.RoomForPictures(len(WithoutGaps(s.Pictures)), s.Beyond)})
	}
	t.Pictures, t.Cast = s.Pictures, s.Cast
	if t.SentPrompt = s.Prompt; t.SentPrompt == t.Prompt {
		t.SentPrompt = ""
	}
	return problems
}

// wordsOf returns the prompt in the words that the service gets.
func wordsOf(t db.Task) string { return cmp.Or(t.SentPrompt, t.Prompt) }

// isCast reports whether the task has been cast: it is made again as it was.
func isCast(t db.Task) bool { return t.SentPrompt != "" || len(t.Cast) > 0 }

// OfCast returns the problems with pictures of cast members as problems with these.
func OfCast(problems Problems, t db.Task) Problems {
	for i, p := range problems {
		if m, ok := ownerOf(t, p.Field); ok {
			problems[i].Text = createview.PictureOf(m.Name, p.Text)
			if p.Bare != "" {
				problems[i].Bare = createview.PictureOf(m.Name, p.Bare)
			}
			if videoapi.Scene(t.Scene) == videoapi.ReferenceToVideo {
				problems[i].Field = createview.CastField
			}
		}
	}
	return problems
}

// ownerOf returns whose picture is in the field.
func ownerOf(t db.Task, field string) (owner cast.Appearance, ok bool) {
	n := 0
	for i, address := range t.Pictures {
		if field == PictureField(i) {
			at := slices.IndexFunc(t.Cast, func(a cast.Appearance) bool { return slices.Contains(a.Sent, n) })
			if address == "" || at < 0 {
				return owner, false
			}
			return t.Cast[at], true
		}
		if address != "" {
			n++
		}
	}
	return owner, false
}
