package create

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/ordering"
	createview "dailies/views/create"
)

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

// Unknown is company.unknown for handles of which the function tells whether somebody has
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

// Untold returns those of the handles, as typed, about which the page said nothing. It said
// something about those that are told, which are given as cast.Fold returns them.
func Untold(typed, told []string) []string {
	known := setOf(told)
	return slices.DeleteFunc(slices.Clone(typed), func(one string) bool { return known[cast.KeyOf(one)] })
}

// Strangers returns what is known about handles that nobody in the cast has: who had them
// and is deleted now, and which handle was probably meant.
func (c *Casting) Strangers(ctx context.Context, typed []string) (strangers []createview.Stranger, err error) {
	if len(typed) == 0 {
		return nil, nil
	}
	members, err := c.Members.Names(ctx)
	if err != nil {
		return nil, err
	}
	deleted, err := c.Members.Deleted(ctx)
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

// lost returns a problem if the page named cast members by handles in the order that belong
// to nobody now. It is no problem once the page has said so, and no other handle is one: that
// of a member who was deleted before is plain text.
func lost(o Order, known Company) Problems {
	met := setOf(o.Met)
	typed := slices.DeleteFunc(Untold(known.Unknown(o.Tasks...), o.Told), func(one string) bool { return !met[cast.KeyOf(one)] })
	if len(typed) == 0 {
		return nil
	}
	return Problems{{Kind: LeftCast, Field: createview.CastField, Text: createview.NobodyNow(typed)}}
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

// RenameBlanks puts another handle in the place of one that nobody has, if a button of the
// form asks for that. It returns the fields that it changed.
func RenameBlanks(rec ordering.Recipe, v url.Values) (renamed []createview.Renamed) {
	rename, ok := Renaming(v.Get(createview.UseField))
	if !ok {
		return nil
	}
	for _, b := range rec.Blanks() {
		name := createview.BlankField(b)
		if was, is := v.Get(name), rename(FilledText(v.Get(name))); was != is {
			v.Set(name, is)
			renamed = append(renamed, createview.Renamed{Field: name, Text: is})
		}
	}
	return renamed
}
