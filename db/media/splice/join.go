package splice

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A Cut selects the frames from From up to, but not including, To of a clip. From must
// be one of the clip's Keys, and for Join not such that the cut BeginsWithin.
type Cut struct {
	Clip     *Clip
	From, To int
}

// Part returns the frames of the clip from start up to, but not including, finish, and at
// least one. It begins at the last key frame that is not after start. A finish outside the
// clip means the clip's end. A nil clip has no frames.
func (c *Clip) Part(start, finish int) Cut {
	if c == nil {
		return Cut{}
	}
	if finish <= 0 || finish > c.Frames() {
		finish = c.Frames()
	}
	return Cut{Clip: c, From: c.Key(max(0, min(start, finish-1))), To: finish}
}

// BeginsWithin reports whether the cut begins within a group of pictures of which an edit list
// hides the beginning, as files have it that were cut without encoding. Players do not agree
// on what a film shows that has such a part, so it is not joined.
func (c Cut) BeginsWithin() bool {
	if c.Clip == nil || c.Clip.Container != MP4 {
		return false
	}
	v, start := c.Clip.video, c.Clip.frames[c.From]
	for start > 0 && !v.packets[start].key {
		start--
	}
	return v.packets[start].hidden
}

// ErrNoCut means that a cut selects no frame, or begins where decoding cannot begin.
var ErrNoCut = errors.New("splice: the cut is not possible")

// ErrDiffers means that the clips cannot be joined because Compare finds a difference.
var ErrDiffers = errors.New("splice: the clips differ")

// A placed packet has a position in the film. Its times are in ticks of the film's
// track; file and at tell where its bytes are.
type placed struct {
	packet
	file io.ReaderAt
	cut  int // index of the cut
}

// A plan holds the packets of a film before they are laid out in a container.
type plan struct {
	cuts   []Cut
	scale  int64   // ticks per second of the video track
	begins []int64 // begin of each cut, and finally the end of the film
	video  []placed
	audio  []placed // in ticks of the first clip's audio track
	marks  marks
}

// Join plans a film of the cuts, in their order. The audio of each cut begins with its
// video.
//
// Frames that others are decoded from stay in the film even if they belong after the
// end of the cut. They are then hidden, so that the film shows exactly the frames of
// the cuts.
//
// The film keeps the metadata of its clips: of several values for one key the first, and
// of different AI labels all.
func Join(cuts []Cut) (*Film, error) { return JoinLabelled(cuts, "") }

// JoinLabelled is like Join. If no clip has an AI label, the film gets the one with the
// text, unless that is empty.
func JoinLabelled(cuts []Cut, label string) (*Film, error) {
	var clips []*Clip
	for _, c := range cuts {
		if c.From < 0 || c.From >= c.To || c.To > c.Clip.Frames() || c.Clip.Key(c.From) != c.From || c.BeginsWithin() {
			return nil, fmt.Errorf("%w: frames %d to %d of %d", ErrNoCut, c.From, c.To, c.Clip.Frames())
		}
		clips = append(clips, c.Clip)
	}
	if len(cuts) == 0 {
		return nil, ErrNoCut
	}
	if Compare(clips) != nil {
		return nil, ErrDiffers
	}
	p := &plan{cuts: cuts, scale: filmScale(clips), marks: joinMarks(clips)}
	if label != "" && !p.marks.found().Label {
		p.marks.label(clips[0].Container, label)
	}
	p.pictures()
	if clips[0].audio != nil {
		p.sound()
	}
	f := &Film{Container: clips[0].Container, Length: time.Duration(rescale(p.end(), p.scale, int64(time.Second)))}
	for _, c := range cuts {
		f.Frames += c.To - c.From
	}
	if f.Container == WebM {
		p.webm(f)
		return f, nil
	}
	return f, p.mp4(f)
}

// filmScale returns the ticks per second of the film's video track: if possible, such
// that the times of all frames are whole numbers, and with ticks too short to notice.
func filmScale(clips []*Clip) int64 {
	var scales []int64
	for _, c := range clips {
		scales = append(scales, c.video.scale)
	}
	scale := commonScale(scales)
	const coarse = 10_000
	if scale < coarse {
		scale *= (coarse + scale - 1) / scale
	}
	return scale
}

// end returns the end of the film in ticks of the video track.
func (p *plan) end() int64 { return p.begins[len(p.begins)-1] }

// pictures places the video packets of each cut after those of the previous cut.
func (p *plan) pictures() {
	begin := int64(0)
	for i, c := range p.cuts {
		p.begins = append(p.begins, begin)
		v := c.Clip.video
		from := c.Clip.frame(c.From).time
		in := func(t int64) int64 { return begin + rescale(t-from, v.scale, p.scale) }
		for _, q := range c.pictures() {
			end := in(q.end())
			q.time = in(q.time)
			q.length = end - q.time
			p.video = append(p.video, placed{q, c.Clip.file, i})
		}
		begin = in(c.Clip.frame(c.To - 1).end())
	}
	p.begins = append(p.begins, begin)
}

// pictures returns the video packets of the cut in decoding order. Packets that are
// only needed to decode others are hidden.
func (c Cut) pictures() []packet {
	v := c.Clip.video
	start := c.Clip.frames[c.From]
	for !v.packets[start].key {
		start--
	}
	shown := map[int]bool{}
	end := start
	for _, i := range c.Clip.frames[c.From:c.To] {
		shown[i] = true
		end = max(end, i+1)
	}
	var kept []packet
	for i := start; i < end; i++ {
		p := v.packets[i]
		p.hidden = !shown[i]
		kept = append(kept, p)
	}
	return kept
}

// sound places the audio packets of each cut so that its audio begins with its video.
// Packets follow each other without a gap as long as this moves none of them by more
// than half a packet or half a frame, so that deviations do not accumulate from cut to
// cut.
func (p *plan) sound() {
	scale := p.cuts[0].Clip.audio.scale
	end := int64(math.MinInt64 / 2)
	for i, c := range p.cuts {
		v, a := c.Clip.video, c.Clip.audio
		begin, until := rescale(p.begins[i], p.scale, scale), rescale(p.begins[i+1], p.scale, scale)
		from := rescale(c.Clip.frame(c.From).time, v.scale, scale)
		frame := (until - begin) / int64(c.To-c.From)
		packets := a.packets
		if i == 0 {
			packets = packets[c.firstSound():]
		}
		for _, q := range packets {
			length := rescale(q.end(), a.scale, scale) - rescale(q.time, a.scale, scale)
			q.time = begin + rescale(q.time, a.scale, scale) - from
			q.length = length
			off := min(length, frame) / 2
			if i > 0 && q.time < begin-length/2 || q.time < end-off {
				continue
			}
			if q.time <= end+off {
				q.time = end
			}
			if q.time+length/2 > until {
				break
			}
			end = q.time + length
			p.audio = append(p.audio, placed{q, c.Clip.file, i})
		}
	}
}

// firstSound returns the index of the packet with which the film's audio begins: the
// one that is heard when the first frame is shown. In MP4, the film begins one packet
// earlier, for the decoder's priming; an edit list hides that packet.
func (c Cut) firstSound() int {
	v, a := c.Clip.video, c.Clip.audio
	from := rescale(c.Clip.frame(c.From).time, v.scale, a.scale)
	later := func(p packet) bool { return p.time > from }
	if c.Clip.Container == WebM { // which has no negative times
		later = func(p packet) bool { return p.time >= from-a.delay }
	}
	i := slices.IndexFunc(a.packets, later)
	switch {
	case i < 0:
		return len(a.packets)
	case c.Clip.Container == WebM:
		return i
	}
	return max(0, i-2)
}

// An Aspect is a property in which all clips of a film must agree.
type Aspect int

// The aspects, in the order in which they are compared.
const (
	InContainer Aspect = iota
	InCodec
	InSize
	InConfig // encoder settings for which the decoder would have to be reconfigured
	InAudio
)

// A Difference says why clips cannot be joined.
type Difference struct {
	Aspect Aspect
	Clip   int    // index of the clip that differs from the first one
	First  string // value of the first clip, for display
	Other  string // value of the other clip, which may look the same, such as "AAC"
}

// Compare returns the first Difference because of which the clips cannot be joined
// into one film, nil if they can.
func Compare(clips []*Clip) *Difference {
	for i, c := range clips {
		if d := clips[0].differs(c); d != nil {
			d.Clip = i
			return d
		}
	}
	return nil
}

func (c *Clip) differs(o *Clip) *Difference {
	v, w := c.video, o.video
	switch {
	case c.Container != o.Container:
		return &Difference{Aspect: InContainer, First: string(c.Container), Other: string(o.Container)}
	case v.codec != w.codec:
		return &Difference{Aspect: InCodec, First: v.codec, Other: w.codec}
	case v.width != w.width || v.height != w.height:
		return &Difference{Aspect: InSize, First: v.size(), Other: w.size()}
	case !bytes.Equal(v.config, w.config) || !bytes.Equal(v.matrix, w.matrix):
		return &Difference{Aspect: InConfig, First: v.codec, Other: w.codec}
	case !c.audio.sameAudio(o.audio):
		return &Difference{Aspect: InAudio, First: c.audio.audioName(), Other: o.audio.audioName()}
	}
	return nil
}

func (t *track) size() string { return fmt.Sprintf("%d × %d", t.width, t.height) }

// sameAudio reports whether both audio tracks are missing, or the same decoder
// configuration plays both.
func (t *track) sameAudio(o *track) bool {
	if t == nil || o == nil {
		return t == o
	}
	return t.codec == o.codec && t.rate == o.rate && t.channels == o.channels && t.delay == o.delay && bytes.Equal(t.config, o.config)
}

// audioName describes an audio track for display, such as "AAC, 48000 Hz, stereo". It
// returns "" if there is none.
func (t *track) audioName() string {
	switch {
	case t == nil:
		return ""
	case t.channels == 1:
		return fmt.Sprintf("%s, %d Hz, mono", t.codec, t.rate)
	case t.channels == 2:
		return fmt.Sprintf("%s, %d Hz, stereo", t.codec, t.rate)
	}
	return fmt.Sprintf("%s, %d Hz, %d channels", t.codec, t.rate, t.channels)
}

// A Film is a file that joins several cuts and is written on demand. The files of its
// clips must remain open until then.
type Film struct {
	layout
	Container Container
	Frames    int           // number of frames shown
	Length    time.Duration // of the video track
}

// A layout is a file that is composed of new bytes and of pieces of other files, which
// must remain open until it is written.
type layout struct {
	Size  int64 // bytes
	parts []part
}

// A part is a piece of a layout: the bytes of head, followed by size bytes that are
// copied from the file at an offset. file is nil if nothing is copied.
type part struct {
	head []byte
	file io.ReaderAt
	at   int64
	size int64
}

// Type returns the film's MIME type.
func (f *Film) Type() string {
	if f.Container == WebM {
		return "video/webm"
	}
	return "video/mp4"
}

// add appends the bytes of head, and then the packet unless it is nil.
func (f *layout) add(head []byte, p *placed) {
	f.Size += int64(len(head))
	if p == nil {
		f.parts = append(f.parts, part{head: head})
		return
	}
	f.Size += int64(p.size)
	if n := len(f.parts); n > 0 && len(head) == 0 {
		if last := &f.parts[n-1]; last.file == p.file && last.at+last.size == p.at {
			last.size += int64(p.size)
			return
		}
	}
	f.parts = append(f.parts, part{head, p.file, p.at, int64(p.size)})
}

// WriteTo writes the file.
func (f *layout) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriterSize(w, 256<<10)
	written := int64(0)
	for _, p := range f.parts {
		n, err := out.Write(p.head)
		written += int64(n)
		if err != nil {
			return written, err
		}
		if p.file == nil {
			continue
		}
		copied, err := io.Copy(out, io.NewSectionReader(p.file, p.at, p.size))
		written += copied
		if err == nil && copied < p.size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return written, fmt.Errorf("splice: %w", err)
		}
	}
	return written, out.Flush()
}
