package room

import (
	"fmt"
	"slices"
	"strconv"

	"dailies/db/gallery"
	"dailies/views/part"
)

// take returns the index of the current clip among its takes, and their number; 0 if it has no
// others.
func (p Page) take() (n, of int) {
	if p.At >= len(p.Takes) {
		return 0, 0
	}
	takes := p.Takes[p.At]
	return slices.IndexFunc(takes, func(c Clip) bool { return c.TaskID == p.current().TaskID }), len(takes)
}

// Several reports whether the current clip has several takes.
func (p Page) Several() bool {
	_, of := p.take()
	return of > 1
}

// takePath returns the address of the page with a take of the current clip.
func (p Page) takePath(i int) string { return p.pathOf(p.Takes[p.At][i]) }

func (p Page) pathOf(take Clip) string {
	return p.Path + "?take=" + strconv.FormatInt(take.TaskID, 10)
}

// takeName names a take by its index.
func takeName(i int) string { return fmt.Sprintf("Take %d", i+1) }

// comparePath returns the address of the comparison of the current take with the one before
// or, of the first, with the one after.
func (p Page) comparePath() string {
	n, _ := p.take()
	other := max(0, n-1)
	if n == 0 {
		other = 1
	}
	first, second := p.Takes[p.At][min(n, other)], p.Takes[p.At][max(n, other)]
	return fmt.Sprintf("%s/compare?take=%d&take=%d", p.Path, first.TaskID, second.TaskID)
}

// Compare chooses the takes to compare: those of the videos, or else the current take and
// the one before. The page then is about the newer one. It returns false if there are none.
func (p *Page) Compare(ids []int64) bool {
	for i, takes := range p.Takes {
		if len(takes) < 2 {
			continue
		}
		at := func(id int64) int {
			return slices.IndexFunc(takes, func(c Clip) bool { return c.TaskID == id })
		}
		n := max(1, at(p.Clips[i].TaskID))
		pair := [2]int{n - 1, n}
		if len(ids) > 0 {
			if len(ids) != 2 || ids[0] == ids[1] || at(ids[0]) < 0 || at(ids[1]) < 0 {
				continue
			}
			pair = [2]int{min(at(ids[0]), at(ids[1])), max(at(ids[0]), at(ids[1]))}
		}
		p.At, p.Compared, p.Clips[i] = i, pair, takes[pair[1]]
		return true
	}
	return false
}

// Answer says which takes were made to answer the notes, as far as guests see them. answers
// are the IDs of their videos, by the ID of the note.
func (p *Page) Answer(answers map[int64][]int64) {
	p.Talk.Answered = map[int64][]part.TakeRef{}
	for note, ids := range answers {
		for i, take := range p.Takes[p.At] {
			if slices.Contains(ids, take.TaskID) {
				p.Talk.Answered[note] = append(p.Talk.Answered[note], part.TakeRef{Number: i + 1, Path: p.takePath(i), Ready: true})
			}
		}
	}
}

// hasTakes reports whether any of the videos has several takes.
func (p Page) hasTakes() bool {
	return slices.ContainsFunc(p.Takes, func(takes []Clip) bool { return len(takes) > 1 }) ||
		slices.ContainsFunc(p.Files, func(f gallery.ShownFile) bool { return f.Of != 0 })
}

// compared returns the two takes that are compared.
func (p Page) compared() []Clip {
	return []Clip{p.Takes[p.At][p.Compared[0]], p.Takes[p.At][p.Compared[1]]}
}
