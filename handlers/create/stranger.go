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

// has returns a function that reports whether one of them has a handle, which is given as
// cast.Fold returns it.
func (c company) has() func(handle string) bool {
	handles := setOf(c.handles())
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

// unknown returns what looks like handles in the prompts of the tasks although none of them
// has these, as typed and each once. Of more than cast.MaxUnknown, the others are left out:
// they are plain text, and nobody reads that of so many.
func (c company) unknown(tasks ...db.Task) (typed []string) { return unknown(c.has(), tasks...) }

// unknown is company.unknown for handles of which the function tells whether somebody has
// them.
func unknown(has func(handle string) bool, tasks ...db.Task) (typed []string) {
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

// untold returns those of the handles, as typed, about which the page said nothing. It said
// something about those that are told, which are given as cast.Fold returns them.
func untold(typed, told []string) []string {
	known := setOf(told)
	return slices.DeleteFunc(slices.Clone(typed), func(one string) bool { return known[cast.KeyOf(one)] })
}

// strangers returns what is known about handles that nobody in the cast has: who had them
// and is deleted now, and which handle was probably meant.
func (c *casting) strangers(ctx context.Context, typed []string) (strangers []createview.Stranger, err error) {
	if len(typed) == 0 {
		return nil, nil
	}
	members, err := c.members.Names(ctx)
	if err != nil {
		return nil, err
	}
	deleted, err := c.members.Deleted(ctx)
	if err != nil {
		return nil, err
	}
	handles, gone := company(members).handles(), map[string]cast.Member{}
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
func lost(o Order, known company) Problems {
	met := setOf(o.Met)
	typed := slices.DeleteFunc(untold(known.unknown(o.Tasks...), o.Told), func(one string) bool { return !met[cast.KeyOf(one)] })
	if len(typed) == 0 {
		return nil
	}
	return Problems{{Kind: LeftCast, Field: createview.CastField, Text: createview.NobodyNow(typed)}}
}

// handlesIn reads a list of handles from a field.
func handlesIn(field string) []string {
	return strings.Fields(field[:min(len(field), cast.MaxText)])
}

// renaming reads which handle is put in the place of which one that nobody has; ok is false
// if none is.
func renaming(field string) (rename func(text string) string, ok bool) {
	handles := handlesIn(field)
	if len(handles) != 2 || !cast.IsHandle(handles[1]) {
		return nil, false
	}
	return func(text string) string { return cast.Rename(text, handles[0], handles[1]) }, true
}

// renameBlanks puts another handle in the place of one that nobody has, if a button of the
// form asks for that. It returns the fields that it changed.
func renameBlanks(rec ordering.Recipe, v url.Values) (renamed []createview.Renamed) {
	rename, ok := renaming(v.Get(createview.UseField))
	if !ok {
		return nil
	}
	for _, b := range rec.Blanks() {
		name := createview.BlankField(b)
		if was, is := v.Get(name), rename(filledText(v.Get(name))); was != is {
			v.Set(name, is)
			renamed = append(renamed, createview.Renamed{Field: name, Text: is})
		}
	}
	return renamed
}
