package splice

import (
	"errors"
	"io"
	"sort"
	"strings"
	"time"
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

// Of a transport stream, only the beginning is read: the tables there say what it contains.
const maxTSHead = 1 << 20

// tsCodecs maps types of streams, from ISO/IEC 13818-1, table 2-34, to codecs.
var tsCodecs = map[byte]struct {
	codec string
	sound bool
}{
	0x01: {"mp1v", false}, 0x02: {"mp2v", false}, 0x10: {"mp4v.20", false}, 0x1b: {"avc1", false}, 0x24: {"hvc1", false},
	0x03: {"mp3", true}, 0x04: {"mp3", true}, 0x0f: {"mp4a.40.2", true}, 0x11: {"mp4a.40.2", true},
	0x81: {"ac-3", true}, 0x87: {"ec-3", true},
}

// isTS returns the size of the packets if the file is a transport stream: 188 bytes, or 192
// with a time before each. Otherwise it returns 0.
func isTS(file io.ReaderAt, size int64) int64 {
	for _, packet := range []int64{188, 192} {
		const packets = 3
		synced := int64(0)
		for i := range int64(packets) {
			var b [1]byte
			if n, _ := file.ReadAt(b[:], i*packet+packet-188); n == 1 && b[0] == 0x47 {
				synced++
			}
		}
		if synced == min(packets, size/packet) && synced > 0 {
			return packet
		}
	}
	return 0
}

// inspectTS returns the codecs of a transport stream. It is whole if it ends with a packet.
func inspectTS(file io.ReaderAt, size int64) (video, sound string, err error) {
	packet := isTS(file, size)
	head := make([]byte, min(size, maxTSHead))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", "", err
	}
	tables := -1 // the number under which the list of streams is sent
	for pos := int(packet) - 188; pos+188 <= len(head); pos += int(packet) {
		p := head[pos : pos+188]
		if p[0] != 0x47 {
			return video, sound, errBroken
		}
		section := tsSection(p)
		switch number := int(p[1]&0x1f)<<8 | int(p[2]); {
		case number == 0 && len(section) >= 12 && tables < 0:
			tables = int(section[10]&0x1f)<<8 | int(section[11])
		case number == tables && len(section) >= 12 && video == "" && sound == "":
			video, sound = tsStreams(section)
		}
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], size-188); size%packet != 0 || err != nil || last[0] != 0x47 {
		return video, sound, errBroken
	}
	return video, sound, nil
}

// tsSection returns the table that begins in the packet, nil if none does.
func tsSection(p []byte) []byte {
	if p[1]&0x40 == 0 || p[3]&0x10 == 0 {
		return nil
	}
	at := 4
	if p[3]&0x20 != 0 {
		at += 1 + int(p[4])
	}
	if at >= len(p) {
		return nil
	}
	if at += 1 + int(p[at]); at >= len(p) {
		return nil
	}
	return p[at:]
}

// tsStreams returns the codecs of the first streams with pictures and with sound in a list
// of streams.
func tsStreams(b []byte) (video, sound string) {
	end := min(len(b), 3+(int(b[1]&0x0f)<<8|int(b[2]))-4)
	for at := 12 + (int(b[10]&0x0f)<<8 | int(b[11])); at+5 <= end; {
		c := tsCodecs[b[at]]
		if c.sound && sound == "" {
			sound = c.codec
		} else if !c.sound && video == "" {
			video = c.codec
		}
		at += 5 + (int(b[at+3]&0x0f)<<8 | int(b[at+4]))
	}
	return video, sound
}

// isWebM reports whether an EBML file says that it is WebM.
func isWebM(file io.ReaderAt, size int64) bool {
	head, err := readElement(file, 0, size)
	if err != nil || head.id != idEBML {
		return false
	}
	b, err := head.content(file, 1<<10)
	if err != nil {
		return false
	}
	found, _ := fields(b)
	for _, f := range found {
		if f.id == idDocType {
			return string(f.body) == "webm"
		}
	}
	return false
}

// inspect selects the track for Inspect, which accepts any codec.
func (w *webm) inspect(t *track, kind uint64, id string, private []byte) error {
	t.codecs = matroskaCodec(id, private)
	switch {
	case kind == 1 && w.clip.video == nil:
		w.clip.video = t
	case kind == 2 && w.clip.audio == nil:
		w.clip.audio = t
	default:
		return nil
	}
	if t.number > 0 && t.number <= 126 {
		w.tracks[t.number] = t
	}
	return nil
}

// seekHead notes where the file says that its parts are.
func (w *webm) seekHead(e element) error {
	seeks, err := w.fields(e)
	for _, seek := range seeks {
		if seek.id != idSeek {
			continue
		}
		inside, err := fields(seek.body)
		if err != nil {
			return err
		}
		for _, f := range inside {
			if f.id == idSeekPosition && len(w.places) < maxParts {
				w.places = append(w.places, f.uint())
			}
		}
	}
	return err
}

// whole checks that each part is in the file, of size bytes, and that the packets go on until
// where the file says that it ends.
func (w *webm) whole(size int64) error {
	for _, at := range w.places {
		if at >= uint64(size-w.segment) {
			return errBroken
		}
	}
	last, any := int64(0), false
	for _, t := range w.tracks {
		for _, p := range t.packets {
			last, any = max(last, p.end()), true
		}
	}
	stated := int64(0)
	if s := w.stated * float64(w.tick); s > 0 && s < maxWebMTime {
		stated = int64(s)
	}
	if !any || endsEarly(stated, last, int64(time.Second)) {
		return errBroken
	}
	if v := w.clip.video; v != nil && v.codecs == "vp9" && len(v.packets) > 0 {
		if b := w.vp9(v.packets[0]); b != nil {
			v.codecs = vp9Codec(b[0]>>5&1 | b[0]>>4&1<<1)
		}
	}
	return nil
}
