package press

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/handlers/picture"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// A Company is the cast members that the texts of some tasks name. Nobody else in the cast
// matters for these.
type Company []cast.Member

// withoutConsent returns the people in the tasks whose consent is not noted, if the team requires
// it. Tasks that are made again have the cast of earlier ones, so their members are read as they
// are now.
func (p *Press) withoutConsent(ctx context.Context, tasks []db.Task) ([]cast.Member, error) {
	var ids []int64
	for _, t := range tasks {
		ids = append(ids, idsOf(t.Cast)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	required, err := p.Members.RequiresConsent(ctx)
	if err != nil || !required {
		return nil, err
	}
	slices.Sort(ids)
	people, err := p.Members.ByIDs(ctx, slices.Compact(ids))
	return slices.DeleteFunc(people, func(m cast.Member) bool { return !m.LacksConsent() }), err
}

// Company returns the cast members that the tasks name.
func (p *Press) Company(ctx context.Context, tasks ...db.Task) (Company, error) {
	var handles []string
	for _, t := range tasks {
		handles = append(handles, HandlesOf(t)...)
	}
	if len(handles) == 0 {
		return nil, nil
	}
	slices.Sort(handles)
	found, err := p.Members.ByHandles(ctx, slices.Compact(handles))
	for _, m := range found {
		for i := range m.Pictures { // as Pictures.Settle makes them
			m.Pictures[i], _ = picture.PictureLink(m.Pictures[i])
		}
	}
	return found, err
}

// Meet returns the cast members that the tasks name, and the handles in their prompts that
// nobody has.
func (p *Press) Meet(ctx context.Context, tasks ...db.Task) (known Company, strangers []createview.Stranger, err error) {
	if known, err = p.Company(ctx, tasks...); err != nil {
		return nil, nil, err
	}
	strangers, err = p.Strangers(ctx, known.Unknown(tasks...))
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

// As returns the company as it was in the appearances. Whoever was not in these stays as
// they are now.
func (c Company) As(was []cast.Appearance) Company {
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
	rule := cast.PictureRule{
		References: scene == videoapi.ReferenceToVideo, Places: m.ImagesFor(scene).Max,
		Refer: func(n int) string { return m.RefersTo(scene, n) },
	}
	return rule.Cast(c, t.Prompt, t.Pictures, chosen)
}

// Cast replaces the handles in the task by what is sent for them, and returns what is wrong
// with them.
func (c Company) Cast(catalog *videoapi.Catalog, t *db.Task, chosen []cast.Choice) (problems site.Problems) {
	if isCast(*t) {
		return nil
	}
	s := c.Script(catalog, *t, chosen)
	for _, i := range s.Nobody {
		nobody := createview.NobodyCalled([]string{strings.TrimSpace(s.Pictures[i])})
		problems = append(problems, site.Problem{Field: site.PictureField(i), Text: nobody})
	}
	if len(s.Left) > 0 {
		problems = append(problems, site.Problem{Kind: site.TooManyCast, Field: createview.CastField, Text: createview.NoPlaceFor(s)})
	}
	if s.Beyond > 0 {
		most := len(picture.WithoutGaps(s.Pictures))
		problems = append(problems,
			site.Problem{Kind: site.TooManyCast, Field: createview.CastField, Text: createview.RoomForPictures(most, s.Beyond)})
	}
	t.Pictures, t.Cast = s.Pictures, s.Cast
	if t.SentPrompt = s.Prompt; t.SentPrompt == t.Prompt {
		t.SentPrompt = ""
	}
	return problems
}

// Check returns what is wrong with the task once the cast members are in it. For chosen see
// cast.Way.
func (c Company) Check(catalog *videoapi.Catalog, t db.Task, chosen []cast.Choice) site.Problems {
	t.Pictures = slices.Clone(t.Pictures)
	problems := c.Cast(catalog, &t, chosen)
	return append(problems, Check(catalog, t)...)
}

// sentPrompt returns the prompt in the words that the service gets.
func sentPrompt(t db.Task) string { return cmp.Or(t.SentPrompt, t.Prompt) }

// isCast reports whether the task has been cast: it is made again as it was.
func isCast(t db.Task) bool { return t.SentPrompt != "" || len(t.Cast) > 0 }

// OfCast returns the problems with pictures of cast members as problems with these.
func OfCast(problems site.Problems, t db.Task) site.Problems {
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
		if field == site.PictureField(i) {
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

// AsTyped returns the task as its form has it: without the pictures that were added for the
// cast members in its prompt, and with the others by the handles of whom they show. changed
// reports whether one of these has changed since.
func (p *Press) AsTyped(ctx context.Context, t db.Task) (as db.Task, changed bool, err error) {
	was := t.Cast
	if t.ID != 0 && (len(t.Pictures) > 0 || t.SentPrompt != "") {
		if was, err = p.Members.Of(ctx, t.ID); err != nil {
			return as, false, err
		}
	}
	as = t
	as.SentPrompt, as.Cast = "", nil
	if len(was) == 0 {
		return as, false, nil
	}
	now, err := p.Members.ByIDs(ctx, idsOf(was))
	if err != nil {
		return as, false, err
	}
	as.Pictures = nil
	handles := map[string]bool{}
	for _, a := range was {
		handles[cast.Fold(a.Handle)] = true
	}
	mentioned := cast.Mentioned(cast.Pieces(t.Prompt, func(handle string) bool { return handles[handle] }))
	for i, address := range t.Pictures {
		at := slices.IndexFunc(was, func(a cast.Appearance) bool { return slices.Contains(a.Sent, i) })
		if at < 0 {
			as.Pictures = append(as.Pictures, address)
			continue
		}
		if t.Scene == string(videoapi.ReferenceToVideo) && slices.Contains(mentioned, cast.Fold(was[at].Handle)) {
			continue
		}
		as.Pictures = append(as.Pictures, choiceOf(was[at], address, now))
	}
	return as, slices.ContainsFunc(was, func(a cast.Appearance) bool { return HasChanged(a, now) }), nil
}

// Without returns the pictures of the cast members in the video other than the one, and those of
// that one, by each of their names.
func (p *Press) Without(ctx context.Context, t db.Task, memberID int64) (others, removed []string, err error) {
	was, err := p.Members.Of(ctx, t.ID)
	if err != nil {
		return nil, nil, err
	}
	now, err := p.Members.ByIDs(ctx, idsOf(was))
	if err != nil {
		return nil, nil, err
	}
	for i, address := range t.Pictures {
		at := slices.IndexFunc(was, func(a cast.Appearance) bool { return slices.Contains(a.Sent, i) })
		switch {
		case at < 0:
		case was[at].MemberID == memberID:
			removed = append(removed, choiceOf(was[at], address, now), address)
		default:
			others = append(others, choiceOf(was[at], address, now))
		}
	}
	return others, removed, nil
}

func idsOf(was []cast.Appearance) (ids []int64) {
	for _, a := range was {
		ids = append(ids, a.MemberID)
	}
	return ids
}

// choiceOf returns the picture by the handle of whom it shows, or its address if they are
// not in the cast any more.
func choiceOf(a cast.Appearance, address string, now []cast.Member) string {
	at := slices.IndexFunc(now, func(m cast.Member) bool { return m.ID == a.MemberID && !m.IsDeleted() })
	number := slices.IndexFunc(a.Pictures, func(p string) bool { return isSamePicture(p, address) })
	if at < 0 || number < 0 {
		return address
	}
	return cast.Choice{Handle: now[at].Fold(), Number: number + 1}.String()
}

// HasChanged reports whether somebody who is still in the cast is not as they were.
func HasChanged(a cast.Appearance, now []cast.Member) bool {
	at := slices.IndexFunc(now, func(m cast.Member) bool { return m.ID == a.MemberID && !m.IsDeleted() })
	return at >= 0 && (now[at].Name != a.Name || now[at].Look != a.Look || !slices.EqualFunc(now[at].Pictures, a.Pictures, isSamePicture))
}

// isSamePicture compares addresses of which one may be kept as it was pasted.
func isSamePicture(a, b string) bool {
	one, _ := picture.PictureLink(a)
	other, _ := picture.PictureLink(b)
	return one == other
}

// Offered returns all pictures of those in the script, and whether each is sent.
func (c Company) Offered(s cast.Script) (offered []createview.CastPicture) {
	for _, a := range s.Cast {
		for n, address := range a.Pictures {
			choice := cast.Choice{Handle: cast.Fold(a.Handle), Number: n + 1}
			offered = append(offered,
				createview.CastPicture{Choice: choice, Name: a.Name, Address: address, Sent: slices.Contains(s.Shared, choice)})
		}
	}
	return offered
}

// Has returns a function that reports whether one of them has a handle, which is given as
// cast.Fold returns it.
func (c Company) Has() func(handle string) bool {
	handles := setOf(c.Handles())
	return func(handle string) bool { return handles[handle] }
}

// setOf returns a set of the handles, which are as cast.Fold returns them.
func setOf(handles []string) map[string]bool {
	set := make(map[string]bool, len(handles))
	for _, h := range handles {
		set[h] = true
	}
	return set
}

// Unknown returns what looks like handles in the prompts of the tasks although none of them
// has these, as typed and each once. Of more than cast.MaxUnknown, the others are left out:
// they are plain text, and nobody reads that of so many.
func (c Company) Unknown(tasks ...db.Task) (typed []string) { return Unknown(c.Has(), tasks...) }

// Unknown is Company.Unknown for handles of which the function tells whether somebody has
// them.
func Unknown(has func(handle string) bool, tasks ...db.Task) (typed []string) {
	seen := map[string]bool{}
	for _, t := range tasks {
		if isCast(t) {
			continue
		}
		for _, one := range cast.Unknown(cast.Pieces(t.Prompt, has)) {
			if key := cast.KeyOf(one); !seen[key] && len(typed) < cast.MaxUnknown {
				seen[key] = true
				typed = append(typed, one)
			}
		}
	}
	return typed
}

// Unshown returns those of the handles, as typed, about which the page said nothing. It said
// something about those that it showed, which are given as cast.Fold returns them.
func Unshown(typed, shown []string) []string {
	known := setOf(shown)
	return slices.DeleteFunc(slices.Clone(typed), func(one string) bool { return known[cast.KeyOf(one)] })
}

// Strangers returns what is known about handles that nobody in the cast has: who had them
// and is deleted now, and which handle was probably meant.
func (p *Press) Strangers(ctx context.Context, typed []string) (strangers []createview.Stranger, err error) {
	if len(typed) == 0 {
		return nil, nil
	}
	members, err := p.Members.Names(ctx)
	if err != nil {
		return nil, err
	}
	deleted, err := p.Members.Deleted(ctx)
	if err != nil {
		return nil, err
	}
	handles, gone := Company(members).Handles(), map[string]cast.Member{}
	for _, m := range slices.Backward(deleted) { // of several with one handle, the last deleted
		gone[m.Fold()] = m
	}
	for _, one := range typed {
		s, key := createview.Stranger{Typed: one}, cast.KeyOf(one)
		if s.Gone = gone[key]; s.Gone.ID == 0 {
			s.Near = cast.Nearest(key, handles)
		}
		strangers = append(strangers, s)
	}
	return strangers, nil
}

// deletedSince returns a problem if the page named cast members by handles in the order that belong
// to nobody now. It is no problem once the page has said so, and no other handle is one: that
// of a member who was deleted before is plain text.
func deletedSince(o Order) site.Problems {
	named := setOf(o.ShownMembers)
	typed := slices.DeleteFunc(Unshown(o.Company.Unknown(o.Tasks...), o.ShownStrangers), func(one string) bool {
		return !named[cast.KeyOf(one)]
	})
	if len(typed) == 0 {
		return nil
	}
	return site.Problems{{Kind: site.LeftCast, Field: createview.CastField, Text: createview.NobodyNow(typed)}}
}

// HandlesIn reads a list of handles from a field.
func HandlesIn(field string) []string {
	return strings.Fields(field[:min(len(field), cast.MaxText)])
}

// Renaming reads which handle is put in the place of which one that nobody has; ok is false
// if none is.
func Renaming(field string) (rename func(text string) string, ok bool) {
	handles := HandlesIn(field)
	if len(handles) != 2 || !cast.IsHandle(handles[1]) {
		return nil, false
	}
	return func(text string) string { return cast.Rename(text, handles[0], handles[1]) }, true
}
