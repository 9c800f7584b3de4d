package splice

import "encoding/binary"

// unity is the transformation matrix that leaves the picture as it is.
var unity = words(1<<16, 0, 0, 0, 1<<16, 0, 0, 0, 1<<30)

// moov returns the film's index. The packets begin at the offset start in the file.
// With wide, offsets have 64 bits.
func (p *plan) moov(tracks []*mp4Out, start int64, wide bool) []byte {
	parts := [][]byte{pack("mvhd", words(0, 0, 0, uint32(p.scale), uint32(p.end()), 1<<16, 1<<24, 0, 0), unity,
		make([]byte, 24), words(uint32(len(tracks)+1)))}
	for i, t := range tracks {
		parts = append(parts, t.trak(uint32(i+1), uint32(p.end()), start, wide))
	}
	if entries := p.marks.mp4(); entries != nil {
		parts = append(parts, pack("udta", entries))
	}
	return pack("moov", parts...)
}

// trak describes one track of a film that is length ticks long.
func (t *mp4Out) trak(id, length uint32, start int64, wide bool) []byte {
	name, kind := "VideoHandler\x00", pack("vmhd", words(1, 0, 0))
	volume, matrix := uint32(0), t.from.matrix
	if t.kind == "soun" {
		name, kind, volume = "SoundHandler\x00", pack("smhd", words(0, 0)), 1<<24
	}
	if len(matrix) != len(unity) {
		matrix = unity
	}
	return pack("trak",
		pack("tkhd", words(3, 0, 0, id, 0, length, 0, 0, 0, volume), matrix, words(uint32(t.from.width)<<16, uint32(t.from.height)<<16)),
		pack("edts", t.elst()),
		pack("mdia",
			pack("mdhd", words(0, 0, 0, uint32(t.scale), uint32(t.end), 0x55c4<<16)),
			pack("hdlr", words(0, 0), []byte(t.kind), make([]byte, 12), []byte(name)),
			pack("minf", kind,
				pack("dinf", pack("dref", words(0, 1), pack("url ", words(1)))),
				t.stbl(start, wide))))
}

func (t *mp4Out) elst() []byte {
	rows := words(0, uint32(len(t.edits)))
	for _, e := range t.edits {
		rows = append(rows, words(uint32(e.length), uint32(e.from), 1<<16)...)
	}
	return pack("elst", rows)
}

// stbl returns the tables of the packets' durations, sizes and offsets.
func (t *mp4Out) stbl(start int64, wide bool) []byte {
	var keys, sizes []uint32
	var times, shifts runs
	for i, p := range t.packets {
		end := t.end
		if i+1 < len(t.packets) {
			end = t.decode[i+1]
		}
		times.add(uint32(end - t.decode[i]))
		if t.shift != nil {
			shifts.add(uint32(t.shift[i]))
		}
		sizes = append(sizes, uint32(p.size))
		if p.key {
			keys = append(keys, uint32(i+1))
		}
	}
	parts := [][]byte{
		pack("stsd", words(0, 1), t.from.entry),
		pack("stts", times.rows()),
	}
	if t.shift != nil {
		parts = append(parts, pack("ctts", shifts.rows()))
	}
	if len(keys) < len(t.packets) {
		parts = append(parts, pack("stss", words(0, uint32(len(keys))), words(keys...)))
	}
	parts = append(parts, pack("stsc", t.perChunk()), pack("stsz", words(0, 0, uint32(len(sizes))), words(sizes...)))
	places := words(0, uint32(len(t.chunks)))
	for _, c := range t.chunks {
		if wide {
			places = binary.BigEndian.AppendUint64(places, uint64(start+c.at))
		} else {
			places = binary.BigEndian.AppendUint32(places, uint32(start+c.at))
		}
	}
	if wide {
		return pack("stbl", append(parts, pack("co64", places))...)
	}
	return pack("stbl", append(parts, pack("stco", places))...)
}

// perChunk returns the table of the numbers of packets per chunk (stsc).
func (t *mp4Out) perChunk() []byte {
	var rows []uint32
	last := 0
	for i, c := range t.chunks {
		if c.count != last {
			rows = append(rows, uint32(i+1), uint32(c.count), 1)
			last = c.count
		}
	}
	return append(words(0, uint32(len(rows)/3)), words(rows...)...)
}

// runs is a run-length encoding of numbers.
type runs []struct{ count, value uint32 }

func (r *runs) add(value uint32) {
	if n := len(*r); n > 0 && (*r)[n-1].value == value {
		(*r)[n-1].count++
		return
	}
	*r = append(*r, struct{ count, value uint32 }{1, value})
}

func (r runs) rows() []byte {
	rows := words(0, uint32(len(r)))
	for _, run := range r {
		rows = append(rows, words(run.count, run.value)...)
	}
	return rows
}
