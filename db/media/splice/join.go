package splice

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A Cut is the frames From up to, but not including, To of a clip. From is one of
// the clip's Keys.
type Cut struct {
	Clip     *Clip
	From, To int
}

// ErrNoCut says that a cut keeps no frame, or begins where decoding cannot.
var ErrNoCut = errors.New("splice: the cut is not possible")

// ErrDiffers says that the clips cannot be joined: Compare has found a difference.
var ErrDiffers = errors.New("splice: the clips differ")

// A placed packet has its times in the film, in ticks of the film's track.
type placed struct {
	packet
	file io.ReaderAt
	cut  int // index
}

// A plan is what a film consists of before it is laid out.
type plan struct {
	cuts   []Cut
	scale  int64   // ticks a second of the pictures
	begins []int64 // when each cut begins, and at the end when the film ends
	video  []placed
	audio  []placed // in ticks of the first clip's sound
}

// Join plans one film of the cuts, in their order. Each cut's sound begins with
// its pictures.
//
// What a frame refers to stays in the film even if it is shown only after the end
// of the cut. It is then hidden, so that the film shows exactly the frames of the
// cuts.
func Join(cuts []Cut) (*Film, error) {
	var clips []*Clip
	for _, c := range cuts {
		if c.From < 0 || c.From >= c.To || c.To > c.Clip.Frames() || c.Clip.Key(c.From) != c.From {
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
	p := &plan{cuts: cuts, scale: filmScale(clips)}
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

// filmScale returns the ticks a second in which all pictures' times are whole
// numbers, if possible, and in which a single tick is too short to be seen.
func filmScale(clips []*Clip) int64 {
	var scales []int64
	for _, c := range clips {
		scales = append(scales, c.video.scale)
	}
	scale := common(scales)
	const coarse = 10_000
	if scale < coarse {
		scale *= (coarse + scale - 1) / scale
	}
	return scale
}

// end returns when the film ends.
func (p *plan) end() int64 { return p.begins[len(p.begins)-1] }

// pictures places the pictures of each cut after those of the one before.
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

// pictures returns the packets of the cut's pictures in the order of decoding,
// with those that are only needed to decode others hidden.
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

// sound places the sound of each cut where its pictures begin. Packets follow each
// other without a gap as long as that puts none of them further from its place
// than half a packet or half a frame, so nothing adds up from cut to cut.
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

// firstSound returns the packet with which the film's sound begins: the one that is
// heard as the first picture shows, or in MP4 the one before that, with which the
// decoder warms up and which an edit list hides.
func (c Cut) firstSound() int {
	v, a := c.Clip.video, c.Clip.audio
	from := rescale(c.Clip.frame(c.From).time, v.scale, a.scale)
	later := func(p packet) bool { return p.time > from }
	if c.Clip.Container == WebM { // its times are never negative
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
