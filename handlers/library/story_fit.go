package library

import (
	"cmp"

	"dailies/db/media/splice"
	libraryview "dailies/views/library"
)

// misfits returns, for each scene that does not fit the others, why not. The others are
// those of which most agree, or else the ones that agree with the first scene.
func (rl *reel) misfits() []libraryview.Misfit {
	kinds := map[*splice.Clip]int{} // how many scenes agree with the clip, the first of its kind
	of := make([]*splice.Clip, len(rl.scenes))
	var most *splice.Clip
	for i, s := range rl.scenes {
		if s.cut.Clip == nil {
			continue
		}
		of[i] = s.cut.Clip
		for j := range i {
			if of[j] != nil && splice.Compare([]*splice.Clip{of[j], s.cut.Clip}) == nil {
				of[i] = of[j]
				break
			}
		}
		kinds[of[i]]++
	}
	for _, clip := range of {
		if clip != nil && (most == nil || kinds[clip] > kinds[most]) {
			most = clip
		}
	}
	var misfits []libraryview.Misfit
	for i, s := range rl.scenes {
		m := libraryview.Misfit{ID: s.ID, Scene: i + 1}
		switch {
		case s.cut.Clip == nil && len(rl.scenes) > 0:
			m.Kind = libraryview.WrongFile
		case s.cut.BeginsWithin():
			m.Kind = libraryview.WrongStart
			if keys := s.cut.Clip.Keys(); len(keys) > 1 {
				m.Frame = keys[1] + 1
			}
		case of[i] != most:
			d := splice.Compare([]*splice.Clip{most, s.cut.Clip})
			m.First, m.Other = d.First, d.Other
			m.Kind = map[splice.Aspect]libraryview.MisfitKind{
				splice.InContainer: libraryview.WrongContainer, splice.InCodec: libraryview.WrongPictures, splice.InSize: libraryview.WrongSize,
				splice.InConfig: libraryview.WrongPictures, splice.InAudio: libraryview.WrongSound,
			}[d.Aspect]
			if d.Aspect == splice.InSize && shape(most) != shape(s.cut.Clip) {
				m.Kind, m.First, m.Other = libraryview.WrongShape, shape(most), shape(s.cut.Clip)
			}
		default:
			continue
		}
		misfits = append(misfits, m)
	}
	return misfits
}

// shape says how the clip lies: "wide", "upright" or "square".
func shape(c *splice.Clip) string {
	width, height := c.Size()
	return map[int]string{-1: "upright", 0: "square", 1: "wide"}[cmp.Compare(width, height)]
}
