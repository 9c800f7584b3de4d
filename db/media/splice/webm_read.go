package splice

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"
)

// webmCodecs are the codecs of WebM, by the names in its tracks.
var webmCodecs = map[string]string{"V_VP8": "VP8", "V_VP9": "VP9", "V_AV1": "AV1", "A_OPUS": "Opus", "A_VORBIS": "Vorbis"}

// webmScale is the number of ticks a second in which the packets of WebM files
// are kept.
const webmScale = int64(time.Second)

// maxWebMTime bounds times in ticks, so that sums of them do not overflow.
const maxWebMTime = 1 << 60

// webm reads one file.
type webm struct {
	clip    *Clip
	tick    int64             // nanoseconds, of the times in the file
	left    int64             // bytes that descriptions may still have
	cluster int64             // time of the cluster that is being read, in nanoseconds
	tracks  map[uint64]*track // those that are joined
}

func readWebM(c *Clip, size int64) error {
	w := &webm{clip: c, tick: 1_000_000, left: 1 << 20, tracks: map[uint64]*track{}}
	return w.each(element{end: size}, func(e element) error {
		switch e.id {
		case idEBML:
			return w.header(e)
		case idSegment:
			if err := w.each(e, w.part); err != nil {
				return err
			}
			w.lengths()
			return io.EOF // a second segment would be another film
		}
		return nil
	})
}

// each calls visit for every element in the parent. io.EOF ends it early.
func (w *webm) each(parent element, visit func(element) error) error {
	for pos := parent.at; ; {
		e, err := readElement(w.clip.file, pos, parent.end)
		if err == nil {
			err = visit(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		pos = e.end
		if e.open { // visited to its end, wherever that was
			pos = w.after(e)
		}
	}
}

// after returns where an element without a size ends: a segment with the file, a
// cluster where the next element of the segment begins.
func (w *webm) after(e element) int64 {
	pos := e.at
	for e.id == idCluster {
		child, err := readElement(w.clip.file, pos, e.end)
		if err != nil || child.open || isPart(child.id) {
			break
		}
		pos = child.end
	}
	if e.id == idCluster {
		return pos
	}
	return e.end
}

// isPart reports whether elements with the ID stand directly in a segment.
func isPart(id uint32) bool {
	return slices.Contains([]uint32{idSeekHead, idInfo, idTracks, idCluster, idCues, idChapters, idTags, idAttachments}, id)
}

// fields returns the elements in one that describes the file.
func (w *webm) fields(e element) ([]field, error) {
	b, err := e.content(w.clip.file, w.left)
	if err != nil {
		return nil, err
	}
	w.left -= int64(len(b))
	return fields(b)
}

func (w *webm) header(e element) error {
	fields, err := w.fields(e)
	for _, f := range fields {
		if f.id == idDocType && string(f.body) != "webm" {
			return unsupported("not WebM but %q", f.body)
		}
	}
	return err
}

// part reads an element of the segment.
func (w *webm) part(e element) error {
	switch e.id {
	case idInfo:
		fields, err := w.fields(e)
		for _, f := range fields {
			if n := f.uint(); f.id == idTimestampScale && n > 0 && n <= 1e9 {
				w.tick = int64(n)
			}
		}
		return err
	case idTracks:
		fields, err := w.fields(e)
		for _, f := range fields {
			if f.id == idTrackEntry && err == nil {
				err = w.track(f)
			}
		}
		return err
	case idCluster:
		return w.each(e, func(child element) error {
			if e.open && isPart(child.id) {
				return io.EOF
			}
			return w.inCluster(child)
		})
	}
	return nil
}

// track takes the first track of pictures and the first of sound.
func (w *webm) track(f field) error {
	entry, err := fields(f.body)
	if err != nil {
		return err
	}
	t := &track{scale: webmScale}
	var kind uint64
	for _, f := range entry {
		keep := true
		switch f.id {
		case idTrackNumber:
			t.number = f.uint()
		case idTrackType:
			kind = f.uint()
		case idCodecID:
			t.codec = webmCodecs[string(f.body)]
		case idCodecPrivate:
			t.config = append(t.config, f.body...)
		case idCodecDelay:
			t.delay = int64(min(f.uint(), 1e9))
		case idDefaultDuration:
			t.usual = int64(min(f.uint(), 1e9))
			keep = false // other scenes may have another one
		case idVideo, idAudio:
			err = errors.Join(err, t.described(f))
		case idEncodings:
			return unsupported("the packets are encoded once more")
		case idCRC:
			keep = false
		}
		if keep {
			t.entry = append(t.entry, f.all...)
		}
	}
	switch {
	case err != nil:
		return err
	case kind == 1 && w.clip.video == nil:
		w.clip.video = t
	case kind == 2 && w.clip.audio == nil:
		w.clip.audio = t
	default:
		return nil
	}
	if t.codec == "" || t.number == 0 || t.number > 126 {
		return unsupported("an unknown codec")
	}
	w.tracks[t.number] = t
	return nil
}

// described reads what a track says of its pictures or its sound. What the
// pictures' sizes are is compared by itself; the rest is part of the set-up.
func (t *track) described(f field) error {
	children, err := fields(f.body)
	for _, f := range children {
		switch f.id {
		case idPixelWidth:
			t.width = int(min(f.uint(), 1<<16))
		case idPixelHeight:
			t.height = int(min(f.uint(), 1<<16))
		case idSampling:
			t.rate = int(max(0, min(f.float(), 1e6)))
		case idChannels:
			t.channels = int(min(f.uint(), 64))
		case idCRC:
		default:
			t.config = append(t.config, f.all...)
		}
	}
	return err
}

func (w *webm) inCluster(e element) error {
	switch e.id {
	case idTimestamp:
		b, err := e.content(w.clip.file, 8)
		if err != nil {
			return err
		}
		n := field{body: b}.uint()
		if n > uint64(maxWebMTime/w.tick) {
			return errBroken
		}
		w.cluster = int64(n) * w.tick
	case idSimpleBlock:
		_, err := w.block(e, true)
		return err
	case idBlockGroup:
		return w.group(e)
	}
	return nil
}

// group reads a block with what is said about it.
func (w *webm) group(e element) error {
	var p *packet
	length, key := int64(0), true
	err := w.each(e, func(child element) error {
		switch child.id {
		case idBlock:
			var err error
			p, err = w.block(child, false)
			return err
		case idReferenceBlock:
			key = false
		case idBlockDuration:
			b, err := child.content(w.clip.file, 8)
			length = int64(min(field{body: b}.uint(), 1e6)) * w.tick
			return err
		}
		return nil
	})
	if p != nil {
		p.key, p.length = key, length
	}
	return err
}

// block adds the packet of a block to its track. It returns nil where the track
// is not joined.
func (w *webm) block(e element, simple bool) (*packet, error) {
	var head [5]byte // track, time, flags, and the first byte of the packet
	if _, err := w.clip.file.ReadAt(head[:min(5, e.end-e.at)], e.at); err != nil {
		return nil, errBroken
	}
	t := w.tracks[uint64(head[0]&0x7f)]
	if head[0]&0x80 == 0 || t == nil {
		return nil, nil
	}
	if e.end-e.at < 4 || e.end-e.at > maxPacket || len(t.packets) == maxPackets {
		return nil, errBroken
	}
	if head[3]&0x06 != 0 {
		return nil, unsupported("several packets in one block")
	}
	time := w.cluster + int64(int16(uint16(head[1])<<8|uint16(head[2])))*w.tick - t.delay
	p := packet{at: e.at + 4, size: int(e.end - e.at - 4), time: time, key: simple && head[3]&0x80 != 0}
	// A frame of VP8 says itself whether it is shown.
	p.hidden = head[3]&0x08 != 0 || t.codec == "VP8" && p.size > 0 && head[4]&0x10 == 0
	t.packets = append(t.packets, p)
	return &t.packets[len(t.packets)-1], nil
}

// lengths gives the packets their lengths, where the file says none: until the
// next one, and the last one as long as the one before.
func (w *webm) lengths() {
	for _, t := range w.tracks {
		last := int64(time.Second / 24)
		for i := range t.packets {
			p := &t.packets[i]
			switch {
			case i+1 < len(t.packets) && t.packets[i+1].time >= p.time:
				p.length = t.packets[i+1].time - p.time
			case t.usual > 0:
				p.length = t.usual
			case p.length == 0:
				p.length = last
			}
			last = p.length
		}
		if t == w.clip.video && t.codec == "VP9" && len(t.packets) > 0 {
			t.config = append(t.config, w.vp9(t.packets[0])...)
		}
	}
}

// vp9 returns what the first frame says about its profile and colours.
func (w *webm) vp9(p packet) []byte {
	var head [5]byte
	if n, _ := w.clip.file.ReadAt(head[:], p.at); n < len(head) || !bytes.Equal(head[1:4], []byte{0x49, 0x83, 0x42}) {
		return nil
	}
	return []byte{head[0] & 0xf0, head[4] & 0xf0}
}
