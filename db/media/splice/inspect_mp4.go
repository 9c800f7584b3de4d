package splice

import (
	"errors"
	"sort"
	"strings"
)

// maxExtents limits the boxes at the top level whose places are noted.
const maxExtents = 1 << 16

// An extent is a box at the top level of a file.
type extent struct {
	kind string
	end  int64
}

// inspectMP4 reads the index of an MP4 or QuickTime file, and checks that what it describes
// is there. Bytes after the end that are no box do not matter.
func inspectMP4(c *Clip, size int64) error {
	m := &mp4{clip: c, size: size}
	var all []extent
	var inside error
	err := eachBox(c.file, size, func(kind string, start, at, end int64) error {
		if len(all) < maxExtents {
			all = append(all, extent{kind, end})
		}
		inside = m.inspect(kind, start, at, end)
		return inside
	})
	if inside == nil && errors.Is(err, errBroken) && m.index && len(all) > 0 && !namesBox(c, all[len(all)-1].end) {
		err = nil
	}
	switch err = m.finish(err); {
	case err != nil:
		return err
	case !m.index:
		return errBroken
	case m.tracks == nil:
		return unsupported("neither pictures nor sound")
	}
	if err := m.inPlace(all); err != nil {
		return err
	}
	return m.reached()
}

// inspect reads a box at the top level.
func (m *mp4) inspect(kind string, start, at, end int64) error {
	if kind != "moov" && kind != "moof" && kind != "sidx" {
		return nil
	}
	b, err := m.load(at, end)
	switch {
	case err != nil:
		return err
	case kind == "moov" && m.index:
		return nil // some writers leave an earlier index behind
	case kind == "moov":
		m.index = true
		return m.movie(b)
	case kind == "moof":
		return m.fragment(b, start)
	}
	return m.segments(b, end)
}

// namesBox reports whether what stands at the offset has the name of a box.
func namesBox(c *Clip, at int64) bool {
	var head [8]byte
	if n, _ := c.file.ReadAt(head[:], at); n < len(head) {
		return false
	}
	return strings.Trim(string(head[4:]), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ") == ""
}

// segments checks that the segments that a sidx box lists are in the file. They begin after
// the box, at the offset end.
func (m *mp4) segments(b []byte, end int64) error {
	c := cursor{b: b}
	version := c.u32() >> 24
	c.skip(8)
	wide := 4
	if version > 0 {
		wide = 8
	}
	c.skip(wide)
	first := c.uint(wide)
	c.skip(2)
	total := int64(min(first, uint64(m.size)))
	for range c.uint(2) {
		total += int64(c.u32() & (1<<31 - 1))
		c.skip(8)
	}
	if c.broken || total > m.size-end {
		return errBroken
	}
	return nil
}

// inPlace checks that no packet reaches beyond the box in which it begins, and that none is
// in an index. A box that was cut to fit does not say that more belongs to it.
func (m *mp4) inPlace(all []extent) error {
	if len(all) == maxExtents {
		return nil
	}
	for _, t := range m.tracks {
		for _, p := range t.packets {
			i := sort.Search(len(all), func(i int) bool { return all[i].end > p.at })
			if p.size == 0 {
				continue
			}
			if i == len(all) || p.at+int64(p.size) > all[i].end || all[i].kind == "moov" || all[i].kind == "moof" {
				return errBroken
			}
		}
	}
	return nil
}

// reached checks that there are packets, and that a fragmented file goes on until where it
// says that it ends.
func (m *mp4) reached() error {
	const second = 1_000_000
	last, known := int64(0), false
	for _, t := range m.tracks {
		for _, p := range t.packets {
			last = max(last, rescale(p.end(), t.scale, second))
		}
		known = known || len(t.packets) > 0 || t.uncounted
	}
	if !known {
		return errBroken
	}
	if m.scale > 0 && endsEarly(rescale(m.stated, m.scale, second), last, second) {
		return errBroken
	}
	return nil
}

// endsEarly reports whether a file that says how long it is ends so much earlier, in ticks
// of which second are one second, that a part of it must be missing.
func endsEarly(stated, last, second int64) bool {
	return stated-last > max(second, stated/4)
}
