package form

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"

	"dailies/db"
	"dailies/db/cast"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// formCasting is what a form says about the cast members in it. The fields that are not
// submitted are filled in by Form.Join.
type formCasting struct {
	Choose bool          // the user wants to choose which pictures of cast members are sent
	Chosen []cast.Choice // these pictures; nil as long as they share the places
	Then   bool          // cast members are used as they were in the video that the form reuses

	ShownStrangers []string // handles of which the page said that nobody has them, as cast.Fold returns them
	ShownMembers   []string // those of the cast members whom it named

	Strict    bool                  // the team requires the consent of people
	Company   press.Company         // who is in the form, as they are now
	Was       []cast.Appearance     // the cast of the video that the form reuses
	Strangers []createview.Stranger // handles in the prompt that nobody has
}

// with returns it with the fields that are there.
func (f formCasting) with(v url.Values) formCasting {
	if v.Has("cast_as") {
		f.Then = v.Get("cast_as") == createview.CastThen
	}
	f.ShownStrangers, f.ShownMembers = press.HandlesIn(v.Get(createview.ToldField)), press.HandlesIn(v.Get(createview.MetField))
	if v.Has("cast_auto") {
		f.Choose, f.Chosen = false, nil
		return f
	}
	if !v.Has("cast_choose") {
		return f
	}
	f.Choose, f.Chosen = true, nil
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

// Appearances returns the cast members that are used as they were.
func (f formCasting) Appearances() []cast.Appearance {
	if !f.Then {
		return nil
	}
	return f.Was
}

// check checks the task with the cast members in it.
func (f formCasting) check(c *videoapi.Catalog, t db.Task) site.Problems {
	return f.Company.As(f.Appearances()).Check(c, t, f.Chosen)
}

// Join reads the cast members of the form, after its parent is known.
func (f *Form) Join(ctx context.Context, p *press.Press) (err error) {
	if f.Casting.Company, f.Casting.Strangers, err = p.Meet(ctx, f.each()...); err != nil || len(f.Casting.Company) == 0 {
		return err
	}
	if f.Casting.Strict, err = p.Members.RequiresConsent(ctx); err != nil {
		return err
	}
	if f.Parent != nil {
		if f.Casting.Was, err = p.Members.Of(ctx, f.Parent.ID); err != nil {
			return err
		}
	}
	if f.Casting.Choose && f.Casting.Chosen == nil { // begin with the pictures that would be sent
		t := f.Task(db.User{})
		t.Prompt = f.first()
		f.Casting.Chosen = append([]cast.Choice{}, f.Casting.Company.As(f.Casting.Appearances()).Script(p.Catalog, t, nil).Shared...)
	}
	return nil
}

// CastView returns what the page says about the cast members in the form.
func (f Form) CastView(c *videoapi.Catalog) createview.Cast {
	t := f.Task(db.User{})
	view := createview.Cast{Scene: f.scene(), Model: f.Chosen, Then: f.Casting.Then, Choosing: f.Casting.Chosen != nil}
	known := f.Casting.Company.As(f.Casting.Appearances())
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
		if slices.ContainsFunc(f.Casting.Was, func(a cast.Appearance) bool { return a.MemberID == m.ID && press.HasChanged(a, now) }) {
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
	m, _ := press.ModelFor(c, t.Model, videoapi.Scene(t.Scene))
	s := f.Company.Script(c, t, nil)
	return createview.Cast{Script: s, Strangers: f.Strangers, Met: f.Company.Handles(), Scene: videoapi.Scene(t.Scene), Model: m}
}
