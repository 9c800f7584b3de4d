package splice

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// An mp4Track is a track while its tables are read.
type mp4Track struct {
	*track
	lenient  bool // as in Clip
	id       uint32
	kind     string // vide or soun
	edits    []edit
	defaults [3]uint32 // default length, size and flags of samples in fragments
	// uncounted says that there are more packets of uncompressed sound than are described.
	uncounted bool
	decode    int64 // decoding time of the next fragment's first sample
}

// An edit is an entry of an edit list: a section of a track that is shown.
type edit struct {
	length int64 // in ticks of the film; 0 means all the rest
	from   int64 // in ticks of the track; -1 means that nothing is shown
}

// mp4 reads one file.
type mp4 struct {
	clip   *Clip
	size   int64
	scale  int64 // ticks per second of edits
	tracks []*mp4Track
	index  bool  // an index was read; it may be one that is not understood
	stated int64 // the length of a fragmented file in ticks of scale, as it says; 0 if it does not
}

func readMP4(c *Clip, size int64) error {
	m := &mp4{clip: c, size: size}
	err := eachBox(c.file, size, func(kind string, start, at, end int64) error {
		if kind != "moov" && kind != "moof" {
			return nil
		}
		b, err := m.load(at, end)
		switch {
		case err != nil:
			return err
		case kind == "moov":
			return m.movie(b)
		}
		return m.fragment(b, start)
	})
	return m.finish(err)
}

// finish applies the edit lists and selects the tracks, unless reading ended in an error.
func (m *mp4) finish(err error) error {
	c := m.clip
	for _, t := range m.tracks {
		if err == nil {
			err = t.edit(m.scale)
		}
		switch {
		case t.kind == "vide" && c.video == nil:
			c.video = t.track
		case t.kind == "soun" && c.audio == nil:
			c.audio = t.track
		}
	}
	if err != nil || c.video == nil || c.lenient {
		return err
	}
	return c.checkKeys()
}

func (m *mp4) load(at, end int64) ([]byte, error) {
	if end-at > maxIndex {
		return nil, unsupported("the index is too large")
	}
	b := make([]byte, end-at)
	if _, err := m.clip.file.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("splice: %w", err)
	}
	return b, nil
}

func (m *mp4) movie(b []byte) error {
	found, err := boxes(b)
	if err != nil || m.tracks != nil {
		return errBroken
	}
	for _, box := range found {
		switch box.kind {
		case "mvhd":
			m.scale, err = timescale(box.body)
		case "trak":
			err = m.addTrack(box.body)
		}
		if err != nil {
			return err
		}
	}
	for _, box := range found {
		if box.kind == "mvex" {
			return m.defaults(box.body)
		}
	}
	return nil
}

// timescale reads the ticks per second from an mvhd or mdhd box, which begin with the
// same fields.
func timescale(b []byte) (int64, error) {
	c := cursor{b: b}
	if c.u32()>>24 == 1 {
		c.skip(16)
	} else {
		c.skip(8)
	}
	scale := int64(c.u32())
	if c.broken || scale == 0 {
		return 0, errBroken
	}
	return scale, nil
}

func (m *mp4) addTrack(trak []byte) error {
	t := &mp4Track{track: &track{}, lenient: m.clip.lenient}
	c := cursor{b: child(trak, "tkhd")}
	times := 4
	if c.u32()>>24 == 1 {
		times = 8
	}
	c.skip(2 * times)
	t.id = c.u32()
	c.skip(4 + times + 8 + 8) // reserved, duration, reserved, layer, group, volume
	t.matrix = append(t.matrix, c.b[:min(36, len(c.b))]...)

	media := child(trak, "mdia")
	if handler := child(media, "hdlr"); len(handler) >= 12 {
		t.kind = string(handler[8:12])
	}
	if t.kind != "vide" && t.kind != "soun" {
		return nil
	}
	for _, other := range m.tracks {
		if other.kind == t.kind {
			return nil // only the first video track and the first audio track are used
		}
	}
	m.tracks = append(m.tracks, t)
	var err error
	if t.scale, err = timescale(child(media, "mdhd")); err != nil {
		return err
	}
	if err := t.readEdits(descend(trak, "edts", "elst")); err != nil {
		return err
	}
	table := descend(media, "minf", "stbl")
	if err := t.describe(child(table, "stsd")); err != nil {
		return err
	}
	return t.samples(table, m.size)
}

func (t *mp4Track) readEdits(b []byte) error {
	if b == nil {
		return nil
	}
	c := cursor{b: b}
	version, rows := c.table(12)
	for range rows {
		var e edit
		if version == 1 {
			e = edit{int64(c.uint(8)), int64(c.uint(8))}
		} else {
			e = edit{int64(c.u32()), int64(int32(c.u32()))}
		}
		if c.u32() != 1<<16 && !t.lenient {
			return unsupported("it is played at another speed")
		}
		t.edits = append(t.edits, e)
	}
	if c.broken {
		return errBroken
	}
	return nil
}

// edit applies the edit list to the packets: it shifts their times. Frames outside the
// edit become hidden because others may be decoded from them, and audio after its end
// is dropped.
func (t *mp4Track) edit(scale int64) error {
	late := int64(0)
	edits := t.edits
	for len(edits) > 0 && edits[0].from < 0 {
		late += rescale(max(0, edits[0].length), scale, t.scale)
		edits = edits[1:]
	}
	if len(edits) > 1 && !t.lenient {
		return unsupported("it is cut itself")
	}
	from, to := int64(0), int64(math.MaxInt64)
	if len(edits) > 1 {
		from = max(0, edits[0].from)
	}
	if len(edits) == 1 {
		from = edits[0].from
		if n := rescale(edits[0].length, scale, t.scale); edits[0].length > 0 && n < math.MaxInt64-from {
			to = from + n
		}
	}
	if late > maxTime || from > maxTime {
		return errBroken
	}
	kept := t.packets[:0]
	for _, p := range t.packets {
		if t.kind == "soun" && p.time >= to {
			continue
		}
		p.hidden = t.kind == "vide" && (p.time < from || p.time >= to)
		p.time += late - from
		kept = append(kept, p)
	}
	t.packets = kept
	return nil
}

// A box is a unit of an MP4 file: a size, a kind of four letters, and content.
type box struct {
	kind string
	body []byte
	all  []byte // the body with the header before it
}

// boxes returns the boxes in b. It ignores up to seven bytes at the end.
func boxes(b []byte) ([]box, error) {
	var found []box
	for len(b) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(b)), 8
		switch {
		case size == 0:
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			size, head = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < uint64(head) || size > uint64(len(b)) {
			return nil, errBroken
		}
		if len(found) == maxParts {
			return nil, unsupported("too many parts")
		}
		found = append(found, box{string(b[4:8]), b[head:size], b[:size]})
		b = b[size:]
	}
	return found, nil
}

// child returns the content of the first box of the kind, nil if there is none.
func child(b []byte, kind string) []byte {
	found, _ := boxes(b)
	for _, c := range found {
		if c.kind == kind {
			return c.body
		}
	}
	return nil
}

// descend returns the content of the nested box at the path of kinds, nil if there is
// none.
func descend(b []byte, kinds ...string) []byte {
	for _, kind := range kinds {
		b = child(b, kind)
	}
	return b
}

// eachBox calls visit for every top-level box of a file with its kind, its offset, and
// the offsets at which its content begins and ends.
func eachBox(r io.ReaderAt, size int64, visit func(kind string, start, at, end int64) error) error {
	return eachBoxIn(r, 0, size, visit)
}

// eachBoxIn is like eachBox for the boxes between the offsets pos and size.
func eachBoxIn(r io.ReaderAt, pos, size int64, visit func(kind string, start, at, end int64) error) error {
	for pos+8 <= size {
		var b [16]byte
		n, err := r.ReadAt(b[:min(16, size-pos)], pos)
		if n < 8 {
			return fmt.Errorf("splice: %w", err)
		}
		length, head := int64(binary.BigEndian.Uint32(b[:])), int64(8)
		switch length {
		case 0:
			length = size - pos
		case 1:
			length, head = int64(binary.BigEndian.Uint64(b[8:])), 16
		}
		if length < head || length > size-pos {
			return errBroken
		}
		if err := visit(string(b[4:8]), pos, pos+head, pos+length); err != nil {
			return err
		}
		pos += length
	}
	return nil
}

// A cursor reads consecutive big-endian numbers. Beyond the end, it reads zeros and
// sets broken.
type cursor struct {
	b      []byte
	broken bool
}

// uint reads a number of size bytes.
func (c *cursor) uint(size int) uint64 {
	if size > len(c.b) {
		c.b, c.broken = nil, true
		return 0
	}
	n := uint64(0)
	for _, d := range c.b[:size] {
		n = n<<8 | uint64(d)
	}
	c.b = c.b[size:]
	return n
}

func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// versioned reads a number after a version and flags: in eight bytes since version 1.
func (c *cursor) versioned() uint64 {
	if c.u32()>>24 == 1 {
		return c.uint(8)
	}
	return c.uint(4)
}

// skip skips size bytes.
func (c *cursor) skip(size int) {
	if size > len(c.b) {
		c.b, c.broken = nil, true
		return
	}
	c.b = c.b[size:]
}

// table reads the header of a table: version and flags, and the number of rows. A row
// has at least row bytes.
func (c *cursor) table(row int) (version byte, rows int) {
	version = byte(c.u32() >> 24)
	n := int(c.u32())
	if n > len(c.b)/row {
		c.broken = true
		return version, 0
	}
	return version, n
}

// pack returns a box whose content is the parts.
func pack(kind string, parts ...[]byte) []byte {
	size := 8
	for _, p := range parts {
		size += len(p)
	}
	b := make([]byte, 0, size)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = append(b, kind...)
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// words encodes the numbers in four bytes each.
func words(numbers ...uint32) []byte {
	b := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
