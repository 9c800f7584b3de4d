package splice

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"time"
)

// webmCodecs maps WebM's codec IDs to the codecs.
var webmCodecs = map[string]string{"V_VP8": "VP8", "V_VP9": "VP9", "V_AV1": "AV1", "A_OPUS": "Opus", "A_VORBIS": "Vorbis"}

// webmScale is the number of ticks per second used for the packets of WebM files.
const webmScale = int64(time.Second)

// maxWebMTime bounds times in ticks, so that sums of them do not overflow.
const maxWebMTime = 1 << 60

// webm reads one file.
type webm struct {
	clip    *Clip
	tick    int64             // unit of the times in the file, in nanoseconds
	left    int64             // bytes of metadata that may still be read
	cluster int64             // time of the current cluster in nanoseconds
	tracks  map[uint64]*track // the selected tracks by number
	stated  float64           // the length of the file in ticks, as it says; 0 if it does not
	segment int64             // offset of the segment's content
	places  []uint64          // where elements are, as the file says, from segment on; only for Inspect
}

func readWebM(c *Clip, size int64) error {
	w := &webm{clip: c, tick: 1_000_000, left: 1 << 20, tracks: map[uint64]*track{}}
	return w.each(element{end: size}, func(e element) error {
		switch e.id {
		case idEBML:
			return w.header(e)
		case idSegment:
			w.segment = e.at
			if err := w.each(e, w.part); err != nil {
				return err
			}
			w.lengths()
			if c.lenient {
				return cmp.Or(w.whole(size), io.EOF)
			}
			return io.EOF // a second segment would be another video
		}
		return nil
	})
}

// each calls visit for every element in the parent. visit may return io.EOF to end the
// iteration early.
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
		if e.open { // e.end is only an upper bound
			pos = w.after(e)
		}
	}
}

// after returns the end of an element of unknown size: a segment ends with the file, a
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

// isPart reports whether elements with the ID are direct children of a segment.
func isPart(id uint32) bool {
	return slices.Contains([]uint32{idSeekHead, idInfo, idTracks, idCluster, idCues, idChapters, idTags, idAttachments}, id)
}

// fields returns the children of an element with metadata. The size of all such
// elements together is limited.
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
		if f.id == idDocType && string(f.body) != "webm" && !w.clip.lenient {
			return unsupported("not WebM but %q", f.body)
		}
	}
	return err
}

// part reads a child of the segment.
func (w *webm) part(e element) error {
	switch e.id {
	case idSeekHead:
		if w.clip.lenient {
			return w.seekHead(e)
		}
	case idInfo:
		fields, err := w.fields(e)
		for _, f := range fields {
			if n := f.uint(); f.id == idTimestampScale && n > 0 && n <= 1e9 {
				w.tick = int64(n)
			}
			if f.id == idDuration {
				w.stated = f.float()
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

// track reads a TrackEntry. It selects the first video track and the first audio track.
func (w *webm) track(f field) error {
	entry, err := fields(f.body)
	if err != nil {
		return err
	}
	t := &track{scale: webmScale}
	var kind uint64
	var id string
	var private []byte
	for _, f := range entry {
		keep := true
		switch f.id {
		case idTrackNumber:
			t.number = f.uint()
		case idTrackType:
			kind = f.uint()
		case idCodecID:
			t.codec, id = webmCodecs[string(f.body)], string(f.body)
		case idCodecPrivate:
			t.config, private = append(t.config, f.body...), f.body
		case idCodecDelay:
			t.delay = int64(min(f.uint(), 1e9))
		case idDefaultDuration:
			t.defaultLength = int64(min(f.uint(), 1e9))
			keep = false // may differ between clips; webmTrack adds it if it does not
		case idVideo, idAudio:
			err = errors.Join(err, t.described(f))
		case idEncodings:
			if !w.clip.lenient {
				return unsupported("the packets are encoded once more")
			}
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
	case w.clip.lenient:
		return w.inspect(t, kind, id, private)
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

// described reads the properties of the video or the audio in a TrackEntry. Those that
// have no field of their own in track become part of config.
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

// group reads a BlockGroup: a block with its properties.
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

// block adds the packet of a block to its track. It returns nil if the track is not
// selected.
func (w *webm) block(e element, simple bool) (*packet, error) {
	var head [5]byte // track number, time, flags, and the first byte of the packet
	if _, err := w.clip.file.ReadAt(head[:min(5, e.end-e.at)], e.at); err != nil {
		return nil, errBroken
	}
	t := w.tracks[uint64(head[0]&0x7f)]
	if head[0]&0x80 == 0 || t == nil {
		return nil, nil
	}
	if e.end-e.at < 4 {
		return nil, errBroken
	}
	if e.end-e.at > maxPacket || len(t.packets) == maxPackets {
		return nil, unsupported("too many packets")
	}
	if head[3]&0x06 != 0 && !w.clip.lenient {
		return nil, unsupported("several packets in one block")
	}
	time := w.cluster + int64(int16(uint16(head[1])<<8|uint16(head[2])))*w.tick - t.delay
	p := packet{at: e.at + 4, size: int(e.end - e.at - 4), time: time, key: simple && head[3]&0x80 != 0}
	// A VP8 frame has its own flag for whether it is shown.
	p.hidden = head[3]&0x08 != 0 || t.codec == "VP8" && p.size > 0 && head[4]&0x10 == 0
	t.packets = append(t.packets, p)
	return &t.packets[len(t.packets)-1], nil
}

// lengths sets the lengths of the packets: each lasts until the next one. Without a
// later one, it has the track's default duration, else its stated length, else that of
// the packet before. For VP9, lengths also completes the track's config.
func (w *webm) lengths() {
	for _, t := range w.tracks {
		last := int64(time.Second / 24)
		for i := range t.packets {
			p := &t.packets[i]
			switch {
			case i+1 < len(t.packets) && t.packets[i+1].time >= p.time:
				p.length = t.packets[i+1].time - p.time
			case t.defaultLength > 0:
				p.length = t.defaultLength
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

// vp9 returns the profile and colour bits from the header of the first frame.
func (w *webm) vp9(p packet) []byte {
	var head [5]byte
	if n, _ := w.clip.file.ReadAt(head[:], p.at); n < len(head) || !bytes.Equal(head[1:4], []byte{0x49, 0x83, 0x42}) {
		return nil
	}
	return []byte{head[0] & 0xf0, head[4] & 0xf0}
}
