package splice

// Flags in the headers of fragments tell which optional fields are present. hasBase,
// hasEntry and the default… flags are those of tfhd, the other has… flags those of trun.
const (
	hasBase     = 0x1
	hasOffset   = 0x1
	hasFirst    = 0x4
	hasEntry    = 0x2
	hasDuration = 0x100
	hasSize     = 0x200
	hasFlags    = 0x400
	hasShift    = 0x800

	defaultDuration = 0x8
	defaultSize     = 0x10
	defaultFlags    = 0x20

	notSync = 0x10000 // flag of a sample: decoding cannot begin here
)

// defaults reads the defaults for samples in fragments: length, size and flags.
func (m *mp4) defaults(mvex []byte) error {
	found, err := boxes(mvex)
	for _, b := range found {
		c := cursor{b: b.body}
		if b.kind == "mehd" {
			m.stated = int64(min(c.versioned(), maxTime))
		}
		if b.kind != "trex" {
			continue
		}
		c.skip(4)
		id := c.u32()
		c.skip(4)
		if t := m.track(id); t != nil {
			t.defaults = [3]uint32{c.u32(), c.u32(), c.u32()}
		}
	}
	return err
}

func (m *mp4) track(id uint32) *mp4Track {
	for _, t := range m.tracks {
		if t.id == id {
			return t
		}
	}
	return nil
}

// fragment reads a fragment's part of the index (moof), which begins at the offset start.
func (m *mp4) fragment(b []byte, start int64) error {
	found, err := boxes(b)
	for _, traf := range found {
		if traf.kind != "traf" || err != nil {
			continue
		}
		var parts []box
		if parts, err = boxes(traf.body); err == nil {
			err = m.inFragment(parts, start)
		}
	}
	return err
}

// inFragment reads the samples of one track in a fragment (traf).
func (m *mp4) inFragment(parts []box, start int64) error {
	var t *mp4Track
	var defaults [3]uint32
	next := start // where the next run begins unless it has an offset
	base := start
	for _, part := range parts {
		c := cursor{b: part.body}
		switch part.kind {
		case "tfhd":
			flags := c.u32()
			if t = m.track(c.u32()); t == nil {
				return nil
			}
			if flags&hasBase != 0 {
				base = int64(c.uint(8))
				next = base
			}
			if flags&hasEntry != 0 && c.u32() != 1 && !t.lenient {
				return unsupported("its description changes")
			}
			defaults = t.defaults
			for i, has := range []uint32{defaultDuration, defaultSize, defaultFlags} {
				if flags&has != 0 {
					defaults[i] = c.u32()
				}
			}
		case "tfdt":
			if t != nil {
				if c.u32()>>24 == 1 {
					t.decode = int64(c.uint(8))
				} else {
					t.decode = int64(c.u32())
				}
			}
		case "trun":
			if t == nil {
				return errBroken
			}
			var err error
			if next, err = t.run(&c, defaults, base, next, m.size); err != nil {
				return err
			}
		}
		if c.broken || t != nil && (t.decode < 0 || t.decode > maxTime) {
			return errBroken
		}
	}
	return nil
}

// run reads a run (trun) of consecutive samples, which begins at the offset at unless
// it has an offset of its own, relative to base. It returns where the samples end.
func (t *mp4Track) run(c *cursor, defaults [3]uint32, base, at, size int64) (end int64, err error) {
	flags := c.u32() & 0xffffff
	count := int(c.u32())
	if flags&hasOffset != 0 {
		at = base + int64(int32(c.u32()))
	}
	first := defaults[2]
	if flags&hasFirst != 0 {
		first = c.u32()
	}
	if count > maxPackets-len(t.packets) {
		return 0, unsupported("too many packets")
	}
	for i := range count {
		now := defaults
		if i == 0 {
			now[2] = first
		}
		for k, has := range []uint32{hasDuration, hasSize, hasFlags} {
			if flags&has != 0 {
				now[k] = c.u32()
			}
		}
		shift := int64(0)
		if flags&hasShift != 0 {
			shift = int64(int32(c.u32()))
		}
		p := packet{size: int(now[1]), time: t.decode + shift, length: int64(now[0]), key: now[2]&notSync == 0}
		if c.broken {
			return 0, errBroken
		}
		if err := p.place(at, size); err != nil {
			return 0, err
		}
		t.packets = append(t.packets, p)
		at += int64(p.size)
		t.decode += int64(now[0])
	}
	return at, nil
}
