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

// has reports whether one of them has the handle, which is given as cast.Fold returns it.
func (c company) has(handle string) bool {
	return slices.ContainsFunc(c, func(m cast.Member) bool { return m.Fold() == handle })
}

// unknown returns what looks like handles in the prompts of the tasks although none of them
// has these, as typed and each once.
func (c company) unknown(tasks ...db.Task) (typed []string) {
	for _, t := range tasks {
		if isCast(t) {
			continue
		}
		for _, one := range cast.Unknown(cast.Pieces(t.Prompt, c.has)) {
			if !slices.ContainsFunc(typed, func(known string) bool { return cast.KeyOf(known) == cast.KeyOf(one) }) {
				typed = append(typed, one)
			}
		}
	}
	return typed
}

// untold returns those of the handles, as typed, about which the page said nothing. It said
// something about those that are told, which are given as cast.Fold returns them.
func untold(typed, told []string) []string {
	return slices.DeleteFunc(slices.Clone(typed), func(one string) bool { return slices.Contains(told, cast.KeyOf(one)) })
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
	var handles []string
	for _, m := range members {
		handles = append(handles, m.Fold())
	}
	for _, one := range typed {
		s, key := createview.Stranger{Typed: one}, cast.KeyOf(one)
		if at := slices.IndexFunc(deleted, func(m cast.Member) bool { return m.Fold() == key }); at >= 0 {
			s.Gone = deleted[at]
		} else {
			s.Near = cast.Nearest(key, handles)
		}
		strangers = append(strangers, s)
	}
	return strangers, nil
}

// lost returns a problem if handles in the order belonged to cast members when it was
// written, and belong to nobody now. It is no problem once the page has said so.
func (c *casting) lost(ctx context.Context, o Order, known company) (Problems, error) {
	typed := untold(known.unknown(o.Tasks...), o.Told)
	if len(typed) == 0 {
		return nil, nil
	}
	deleted, err := c.members.Deleted(ctx)
	if err != nil {
		return nil, err
	}
	typed = slices.DeleteFunc(typed, func(one string) bool {
		key := cast.KeyOf(one)
		return !slices.Contains(o.Met, key) && !slices.ContainsFunc(deleted, func(m cast.Member) bool { return m.Fold() == key })
	})
	if len(typed) == 0 {
		return nil, nil
	}
	return Problems{{Kind: LeftCast, Field: createview.CastField, Text: createview.NobodyNow(typed)}}, nil
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
