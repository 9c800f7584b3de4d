// Package splice joins cuts of finished videos into one film without re-encoding:
// WebM with VP8, VP9 or AV1, and MP4 with H.264, H.265 or AV1, each with or without
// audio. Inspect tells what these and other videos contain, and whether they are whole.
//
// Read finds the packets of a file, Compare checks whether several files can be
// joined, and Join plans the film. Only descriptions of the packets are held in
// memory. The film's size is known before its first byte is written, and its index
// precedes the packets, so that browsers can seek at once.
package splice

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"
)

// Limits for files that Read accepts.
const (
	maxPackets = 1 << 18      // per track: more than an hour at 60 frames a second
	maxPacket  = 64 << 20     // bytes per packet
	maxIndex   = 64 << 20     // bytes of an MP4 file's index
	maxParts   = 1 << 14      // boxes or elements in one parent that is parsed in memory
	maxReads   = 1 << 21      // calls of ReadAt
	maxBytes   = 2 * maxIndex // total bytes read
	maxHours   = 1000         // so that times in a film do not overflow at any timescale
)

// ErrUnsupported is wrapped by errors of Read about files that may be valid but cannot
// be joined with others.
var ErrUnsupported = errors.New("splice: cannot be joined")

// errBroken means that the structure of a file is inconsistent.
var errBroken = errors.New("splice: the file is damaged")

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// A Container is a file format.
type Container string

// The containers that can be joined. The values are also names for display.
const (
	WebM Container = "WebM"
	MP4  Container = "MP4"
)

// A Clip is a video file whose packets have been located.
type Clip struct {
	Container Container
	file      io.ReaderAt
	video     *track
	audio     *track // nil if the video is silent
	frames    []int  // indexes of the video packets that are shown, in display order
	marks     marks
	lenient   bool // read by Inspect, which accepts what cannot be joined
}

// A track holds the packets of the video or the audio in decoding order.
type track struct {
	number        uint64 // WebM's track number or MP4's track id
	codec         string // name for display
	codecs        string // as in RFC 6381, such as "avc1.64001f"; only for Inspect
	config        []byte // equal for two tracks if one decoder configuration fits both
	entry         []byte // the container's description of the track: a TrackEntry or a sample entry
	matrix        []byte // MP4's transformation matrix, which may rotate the picture
	width, height int    // pixels
	channels      int
	rate          int   // audio samples per second
	scale         int64 // ticks per second
	delay         int64 // ticks that a decoder drops at the beginning: WebM's CodecDelay
	defaultLength int64 // ticks of every packet: WebM's DefaultDuration; 0 if not stated
	packets       []packet
}

// A packet is one unit of decoder input: a frame, or a short piece of audio.
type packet struct {
	at     int64 // offset in the file
	size   int
	time   int64 // presentation time in ticks since the beginning of the video
	length int64 // ticks
	key    bool  // decoding can begin here
	hidden bool  // needed for decoding other frames, but not shown
}

func (p packet) end() int64 { return p.time + p.length }

// bytes returns the total size of the packets.
func (t *track) bytes() (n int64) {
	if t != nil {
		for _, p := range t.packets {
			n += int64(p.size)
		}
	}
	return n
}

// bounded reports whether all times are within maxHours.
func (t *track) bounded() bool {
	if t == nil {
		return true
	}
	most := maxHours * 3600 * t.scale
	return !slices.ContainsFunc(t.packets, func(p packet) bool {
		return p.time < -most || p.time > most || p.length < 0 || p.length > most
	})
}

// Read locates the packets of a video file of size bytes.
func Read(file io.ReaderAt, size int64) (*Clip, error) {
	var head [12]byte
	if n, err := file.ReadAt(head[:], 0); n < len(head) {
		return nil, fmt.Errorf("splice: %w", err)
	}
	c := &Clip{file: &meter{file, maxReads, maxBytes}}
	var err error
	switch {
	case string(head[:4]) == ebmlMagic:
		c.Container = WebM
		err = readWebM(c, size)
	case string(head[4:8]) == "ftyp" && string(head[8:12]) != "qt  ":
		c.Container = MP4
		err = readMP4(c, size)
	default:
		err = unsupported("neither WebM nor MP4")
	}
	if err == nil {
		err = c.finish(size)
	}
	if err != nil {
		return nil, err
	}
	c.file = file
	c.marks, _ = readMarks(file, size) // a film can be joined without those that cannot be read
	return c, nil
}

// A meter reads a file, but fails after a number of reads or bytes, so that a file
// crafted to be parsed endlessly cannot keep the program busy.
type meter struct {
	file         io.ReaderAt
	reads, bytes int // that are still allowed
}

// ReadAt implements io.ReaderAt.
func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	m.reads, m.bytes = m.reads-1, m.bytes-len(p)
	if m.reads < 0 || m.bytes < 0 {
		return 0, unsupported("too many parts")
	}
	return m.file.ReadAt(p, off)
}

// finish validates the tracks that were read from a file of size bytes, and derives
// the display order of the frames.
func (c *Clip) finish(size int64) error {
	v := c.video
	if v == nil || len(v.packets) == 0 {
		return unsupported("no pictures")
	}
	if !v.packets[0].key && !c.lenient {
		return unsupported("it does not begin with a key frame")
	}
	for _, t := range []*track{v, c.audio} {
		if size -= t.bytes(); size < 0 && !c.lenient {
			return errBroken // packets that share bytes could make a film of any size
		}
		if !t.bounded() {
			return unsupported("too long")
		}
	}
	for i, p := range v.packets {
		if !p.hidden {
			c.frames = append(c.frames, i)
		}
	}
	sort.SliceStable(c.frames, func(a, b int) bool { return v.packets[c.frames[a]].time < v.packets[c.frames[b]].time })
	if len(c.frames) == 0 {
		return unsupported("no pictures")
	}
	// A frame is shown until the next one.
	for i, at := range c.frames[:len(c.frames)-1] {
		v.packets[at].length = v.packets[c.frames[i+1]].time - v.packets[at].time
	}
	if a := c.audio; a != nil {
		if len(a.packets) == 0 {
			c.audio = nil
		} else if n := len(a.packets); n > 1 {
			// The stated length of the last packet is often cut short, although a
			// decoder outputs all of it.
			a.packets[n-1].length = a.packets[n-2].length
		}
	}
	return nil
}

// Size returns the size of the pictures in pixels.
func (c *Clip) Size() (width, height int) { return c.video.width, c.video.height }

// Frames returns the number of frames that are shown.
func (c *Clip) Frames() int { return len(c.frames) }

// Packets returns the number of packets, whose descriptions are held in memory.
func (c *Clip) Packets() int {
	n := len(c.video.packets)
	if c.audio != nil {
		n += len(c.audio.packets)
	}
	return n
}

func (c *Clip) frame(i int) packet { return c.video.packets[c.frames[i]] }

// Time returns the presentation time of a frame. For Frames(), it returns the end of
// the last frame.
func (c *Clip) Time(frame int) time.Duration {
	ticks := int64(0)
	if frame < len(c.frames) {
		ticks = c.frame(frame).time
	} else {
		ticks = c.frame(len(c.frames) - 1).end()
	}
	return time.Duration(rescale(ticks, c.video.scale, int64(time.Second)))
}

// FrameAt returns the frame that is shown at the time: the last one after the end, and the
// first one before the beginning.
func (c *Clip) FrameAt(at time.Duration) int {
	after := sort.Search(len(c.frames), func(frame int) bool { return c.Time(frame) > at })
	return max(0, after-1)
}

// Length returns when the video and the audio have ended.
func (c *Clip) Length() time.Duration {
	length := c.Time(c.Frames())
	if c.audio != nil {
		last := c.audio.packets[len(c.audio.packets)-1]
		length = max(length, time.Duration(rescale(last.end(), c.audio.scale, int64(time.Second))))
	}
	return length
}

// Keys returns the frames at which a cut can begin, in ascending order. They always
// include the first frame.
func (c *Clip) Keys() []int {
	keys := []int{0}
	for i := 1; i < len(c.frames); i++ {
		if c.frame(i).key {
			keys = append(keys, i)
		}
	}
	return keys
}

// Key returns the last of Keys that is not after the frame.
func (c *Clip) Key(frame int) int {
	keys := c.Keys()
	i, found := slices.BinarySearch(keys, frame)
	if !found {
		i--
	}
	return keys[max(0, i)]
}

// rescale converts a time from one timescale (ticks per second) to another, rounded to
// the nearest tick. It returns math.MaxInt64 on overflow.
func rescale(ticks, from, to int64) int64 {
	if from == to {
		return ticks
	}
	if ticks < 0 {
		return -rescale(-ticks, from, to)
	}
	high, low := bits.Mul64(uint64(ticks), uint64(to))
	low, carry := bits.Add64(low, uint64(from)/2, 0)
	if high += carry; high >= uint64(from) {
		return math.MaxInt64
	}
	n, _ := bits.Div64(high, low, uint64(from))
	return int64(min(n, math.MaxInt64))
}

// commonScale returns the least common multiple of the timescales, in which all of their
// times are whole numbers of ticks. If that exceeds a million ticks per second, it
// returns a million, or the timescale itself if all are equal.
func commonScale(scales []int64) int64 {
	const finest = 1_000_000
	all := int64(1)
	for _, s := range scales {
		if all = all / gcd(all, s) * s; all > finest {
			if len(scales) == 1 || equal(scales) {
				return scales[0]
			}
			return finest
		}
	}
	return all
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func equal(scales []int64) bool {
	for _, s := range scales {
		if s != scales[0] {
			return false
		}
	}
	return true
}
