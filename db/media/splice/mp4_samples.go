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
