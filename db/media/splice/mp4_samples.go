package splice

import "io"

// maxTime bounds times in ticks, so that sums of them do not overflow.
const maxTime = 1 << 52

// samples reads the tables of the packets' durations, sizes and offsets. In a
// fragmented file they are empty.
func (t *mp4Track) samples(table []byte, size int64) error {
	c := cursor{b: child(table, "stsz")}
	c.skip(4)
	sameSize, count := c.u32(), int(c.u32())
	if c.b == nil && count == 0 {
		return nil
	}
	switch {
	case sameSize == 0 && count > len(c.b)/4:
		return errBroken
	case count > maxPackets && t.lenient && t.kind == "soun" && sameSize > 0:
		t.uncounted = true
		return t.chunksFit(table, count, int64(sameSize), size)
	case count > maxPackets:
		return unsupported("too many packets")
	}
	t.packets = make([]packet, count)
	for i := range t.packets {
		if t.packets[i].size = int(sameSize); sameSize == 0 {
			t.packets[i].size = int(c.u32())
		}
	}
	t.times(child(table, "stts"))
	t.offsets(child(table, "ctts"))
	t.keys(child(table, "stss"))
	return t.places(table, size)
}

// runs decodes a run-length table and calls visit for every packet with its number.
func (t *mp4Track) runs(b []byte, visit func(p *packet, n uint32)) {
	c := cursor{b: b}
	_, rows := c.table(8)
	i := 0
	for range rows {
		for n, v := c.u32(), c.u32(); n > 0 && i < len(t.packets); n-- {
			visit(&t.packets[i], v)
			i++
		}
	}
}

func (t *mp4Track) times(b []byte) {
	now := int64(0)
	t.runs(b, func(p *packet, n uint32) {
		p.time, p.length = now, int64(n)
		now += int64(n)
	})
	t.decode = now
}

// offsets adds the composition offsets, so that times become presentation times.
func (t *mp4Track) offsets(b []byte) {
	if b != nil {
		t.runs(b, func(p *packet, n uint32) { p.time += int64(int32(n)) })
	}
}

// keys marks the key frames. Without a table, every frame is one.
func (t *mp4Track) keys(b []byte) {
	if b == nil {
		for i := range t.packets {
			t.packets[i].key = true
		}
		return
	}
	c := cursor{b: b}
	_, rows := c.table(4)
	for range rows {
		if n := int(c.u32()); n > 0 && n <= len(t.packets) {
			t.packets[n-1].key = true
		}
	}
}

// places computes the packets' offsets in the file.
func (t *mp4Track) places(table []byte, size int64) error {
	i := 0
	err := t.chunks(table, func(at int64, each int) error {
		for n := 0; n < each && i < len(t.packets); n++ {
			if err := t.packets[i].place(at, size); err != nil {
				return err
			}
			at += int64(t.packets[i].size)
			i++
		}
		if i == len(t.packets) {
			return io.EOF
		}
		return nil
	})
	if err == nil && i < len(t.packets) {
		return errBroken
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// chunksFit checks that so many packets of one size are within the file, without a
// description of each: uncompressed sound has one for every number.
func (t *mp4Track) chunksFit(table []byte, left int, each, size int64) error {
	err := t.chunks(table, func(at int64, count int) error {
		count = min(count, left)
		if at < 0 || at > size || int64(count) > (size-at)/each {
			return errBroken
		}
		if left -= count; left == 0 {
			return io.EOF
		}
		return nil
	})
	if err == io.EOF {
		return nil
	}
	return err
}

// chunks calls visit with the offset of each chunk and the number of packets in it, from a
// table of chunk offsets and one of the number of packets per chunk. visit may return
// io.EOF to end that.
func (t *mp4Track) chunks(table []byte, visit func(at int64, packets int) error) error {
	wide, b := 4, child(table, "stco")
	if b == nil {
		wide, b = 8, child(table, "co64")
	}
	chunks := cursor{b: b}
	_, count := chunks.table(wide)
	runs := cursor{b: child(table, "stsc")}
	_, rows := runs.table(12)
	each, next := 0, runs.u32() // packets per chunk; first chunk to which the next row applies
	for chunk := uint32(1); chunk <= uint32(count); chunk++ {
		for rows > 0 && chunk >= next {
			each = int(runs.u32())
			if runs.u32() != 1 && !t.lenient {
				return unsupported("its description changes")
			}
			if rows--; rows > 0 {
				next = runs.u32()
			}
		}
		if err := visit(int64(chunks.uint(wide)), each); err != nil {
			return err
		}
	}
	return nil
}

// place sets the packet's offset in a file of size bytes.
func (p *packet) place(at, size int64) error {
	if p.at = at; at < 0 || at > size-int64(p.size) {
		return errBroken
	}
	if p.size > maxPacket {
		return unsupported("a packet is too large")
	}
	return nil
}

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
