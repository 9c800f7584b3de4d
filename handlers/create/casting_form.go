package create

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/db/cast"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// formCasting is what a form says about the cast members in it. The fields that are not
// submitted are filled in by form.join.
type formCasting struct {
	Choose bool          // the user wants to choose which pictures of cast members are sent
	Chosen []cast.Choice // these pictures; nil as long as they share the places
	Then   bool          // cast members are used as they were in the video that the form reuses

	Told []string // handles of which the page said that nobody has them, as cast.Fold returns them
	Met  []string // those of the cast members whom it named

	Strict    bool                  // the team requires the consent of people
	Company   Company               // who is in the form, as they are now
	Was       []cast.Appearance     // the cast of the video that the form reuses
	Strangers []createview.Stranger // handles in the prompt that nobody has
}

// readCasting reads the fields.
func readCasting(v url.Values) formCasting {
	f := formCasting{Then: v.Get("cast_as") == createview.CastThen, Told: HandlesIn(v.Get(createview.ToldField)), Met: HandlesIn(v.Get(createview.MetField))}
	if v.Has("cast_auto") {
		return f
	}
	f.Choose = v.Has("cast_choose")
	if slices.Contains(v["cast_choose"], createview.CastShown) && !slices.Contains(v["cast_choose"], createview.CastWords) {
		f.Chosen = []cast.Choice{}
		for _, text := range FirstValues(v["cast_picture"]) {
			if c, ok := cast.ParseChoice(text); ok {
				f.Chosen = append(f.Chosen, c)
			}
		}
	}
	return f
}

// set sets the fields, so that they can be submitted again.
func (f formCasting) set(v url.Values) {
	if f.Then {
		v.Set("cast_as", createview.CastThen)
	}
	if f.Choose && f.Chosen == nil {
		v.Set("cast_choose", createview.CastWords)
	}
	if f.Chosen != nil {
		v.Set("cast_choose", createview.CastShown)
		for _, c := range f.Chosen {
			v.Add("cast_picture", c.String())
		}
	}
}

// token returns the form's token with what was chosen: whoever chooses otherwise wants
// another video.
func (f formCasting) token(token string) string {
	if token == "" || f.Chosen == nil && !f.Then {
		return token
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(token, f.Chosen, f.Then)))
	return hex.EncodeToString(sum[:16])
}

// AsTheyWere returns the cast members that are used as they were.
func (f formCasting) AsTheyWere() []cast.Appearance {
	if !f.Then {
		return nil
	}
	return f.Was
}

// check checks the task with the cast members in it.
func (f formCasting) check(c *videoapi.Catalog, t db.Task) Problems {
	t.Pictures = slices.Clone(t.Pictures)
	problems := f.Company.Then(f.AsTheyWere()).Cast(c, &t, f.Chosen)
	return append(problems, Check(c, t)...)
}

// Join reads the cast members of the form, after its parent is known.
func (f *Form) Join(ctx context.Context, c *Casting) (err error) {
	if f.Casting.Company, f.Casting.Strangers, err = c.Meet(ctx, f.each()...); err != nil || len(f.Casting.Company) == 0 {
		return err
	}
	if f.Casting.Strict, err = c.Members.RequiresConsent(ctx); err != nil {
		return err
	}
	if f.Parent != nil {
		if f.Casting.Was, err = c.Members.Of(ctx, f.Parent.ID); err != nil {
			return err
		}
	}
	if f.Casting.Choose && f.Casting.Chosen == nil { // begin with the pictures that would be sent
		t := f.Task(db.User{})
		t.Prompt = f.first()
		f.Casting.Chosen = append([]cast.Choice{}, f.Casting.Company.Then(f.Casting.AsTheyWere()).Script(c.Catalog, t, nil).Shared...)
	}
	return nil
}

// Uncast returns the task as its form has it: without the pictures that were added for the
// cast members in its prompt, and with the others by the handles of whom they show. changed
// reports whether one of these has changed since.
func (c *Casting) Uncast(ctx context.Context, t db.Task) (as db.Task, changed bool, err error) {
	was := t.Cast
	if t.ID != 0 && (len(t.Pictures) > 0 || t.SentPrompt != "") {
		if was, err = c.Members.Of(ctx, t.ID); err != nil {
			return as, false, err
		}
	}
	as = t
	as.SentPrompt, as.Cast = "", nil
	if len(was) == 0 {
		return as, false, nil
	}
	now, err := c.Members.ByIDs(ctx, idsOf(was))
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

// Without takes the pictures of the cast member out of the values that a form has taken from
// the video: the service refused them.
func (c *Casting) Without(ctx context.Context, t db.Task, memberID int64, taken url.Values) error {
	if memberID == 0 {
		return nil
	}
	was, err := c.Members.Of(ctx, t.ID)
	if err != nil {
		return err
	}
	now, err := c.Members.ByIDs(ctx, idsOf(was))
	if err != nil {
		return err
	}
	var chosen []string
	for i, address := range t.Pictures {
		at := slices.IndexFunc(was, func(a cast.Appearance) bool { return slices.Contains(a.Sent, i) })
		if at < 0 {
			continue
		}
		choice := choiceOf(was[at], address, now)
		if was[at].MemberID != memberID {
			chosen = append(chosen, choice)
			continue
		}
		taken["image_input"] = slices.DeleteFunc(taken["image_input"], func(p string) bool { return p == choice || p == address })
		if end := taken.Get("end_image_url"); end == choice || end == address {
			taken.Del("end_image_url")
		}
	}
	if t.Scene == string(videoapi.ReferenceToVideo) {
		taken.Set("cast_choose", createview.CastShown)
		taken["cast_picture"] = chosen
	}
	return nil
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
	one, _ := PictureLink(a)
	other, _ := PictureLink(b)
	return one == other
}

// CastView returns what the page says about the cast members in the form.
func (f Form) CastView(c *videoapi.Catalog) createview.Cast {
	t := f.Task(db.User{})
	view := createview.Cast{Scene: f.Scene, Model: f.Chosen, Then: f.Casting.Then, Choosing: f.Casting.Chosen != nil}
	known := f.Casting.Company.Then(f.Casting.AsTheyWere())
	view.Strangers, view.Met = f.Casting.Strangers, known.Handles()
	t.Prompt = f.first()
	s := known.Script(c, t, f.Casting.Chosen)
	if len(s.Cast) == 0 {
		return view
	}
	view.Script = s
	now := []cast.Member(f.Casting.Company)
	for _, m := range now {
		if f.Casting.Strict && m.LacksConsent() {
			view.Unagreed = append(view.Unagreed, m)
		}
		if slices.ContainsFunc(f.Casting.Was, func(a cast.Appearance) bool { return a.MemberID == m.ID && HasChanged(a, now) }) {
			view.Changed = append(view.Changed, m)
		}
	}
	if view.Choosing {
		view.Offered = known.Offered(s)
	}
	return view
}

// CastView returns what the page says about the cast members in the recipe and the values.
func (f FilledForm) CastView(c *videoapi.Catalog) createview.Cast {
	t := f.Task(db.User{})
	m, _ := ModelFor(c, t.Model, videoapi.Scene(t.Scene))
	s := f.Company.Script(c, t, nil)
	return createview.Cast{Script: s, Strangers: f.Strangers, Met: f.Company.Handles(), Scene: videoapi.Scene(t.Scene), Model: m}
}

// Offered returns all pictures of those in the script, and whether each is sent.
func (c Company) Offered(s cast.Script) (offered []createview.CastPicture) {
	for _, a := range s.Cast {
		for n, address := range a.Pictures {
			choice := cast.Choice{Handle: cast.Fold(a.Handle), Number: n + 1}
			offered = append(offered, createview.CastPicture{Choice: choice, Name: a.Name, Address: address, Sent: slices.Contains(s.Shared, choice)})
		}
	}
	return offered
}
