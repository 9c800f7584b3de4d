package splice

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// ErrCut is wrapped by errors of Inspect about files that break off: that end before what
// their index describes, or whose index is damaged.
var ErrCut = errors.New("splice: the file is not whole")

// A Format is a file format that Inspect knows.
type Format string

// The formats.
const (
	IsMP4  Format = "mp4"
	IsMOV  Format = "mov" // QuickTime
	IsWebM Format = "webm"
	IsMKV  Format = "mkv" // Matroska other than WebM
	IsTS   Format = "ts"  // an MPEG transport stream
)

// An Index describes a video file, as read from the index in the file.
type Index struct {
	Format        Format
	Video, Sound  string // codecs as in RFC 6381, such as "avc1.64001f"; empty if there are no pictures, or no sound
	Width, Height int    // pixels, before the rotation
	Rotation      int    // degrees by which players turn the picture clockwise: 0, 90, 180 or 270
	clip          *Clip  // its video is nil if the times of the frames are not known
}

// Inspect reads the index of a video file of size bytes to its end. The work is bounded
// whatever the file contains. It returns an error that wraps
//   - ErrCut if the file is not whole,
//   - ErrUnsupported if it is of another format, or too long to describe each packet; it may
//     be whole, and the Index has what is known nevertheless,
//
// or else the error of the file.
func Inspect(file io.ReaderAt, size int64) (*Index, error) {
	source := &faultKeeper{file: file}
	x := &Index{clip: &Clip{file: &meter{source, maxReads, maxBytes}, lenient: true}}
	err := x.read(size)
	switch {
	case source.err != nil:
		return nil, fmt.Errorf("splice: %w", source.err)
	case errors.Is(err, errBroken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: %w", ErrCut, err)
	}
	x.describe(err == nil)
	x.clip.file = file
	return x, err
}

func (x *Index) read(size int64) error {
	c := x.clip
	var head [12]byte
	if _, err := c.file.ReadAt(head[:], 0); err != nil {
		return err
	}
	var err error
	switch {
	case string(head[:4]) == ebmlMagic:
		c.Container, x.Format = WebM, IsMKV
		if isWebM(c.file, size) {
			x.Format = IsWebM
		}
		err = readWebM(c, size)
	case string(head[4:8]) == "ftyp" && string(head[8:12]) != "qt  ":
		c.Container, x.Format = MP4, IsMP4
		err = inspectMP4(c, size)
	case string(head[4:8]) == "ftyp", head[0] < '\t' && slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, string(head[4:8])):
		c.Container, x.Format = MP4, IsMOV
		err = inspectMP4(c, size)
	case isTS(c.file, size) > 0:
		x.Format = IsTS
		x.Video, x.Sound, err = inspectTS(c.file, size)
		return err
	default:
		return unsupported("no format of videos")
	}
	return err
}

// describe derives the Index from the tracks. Without whole, the times of the frames are not
// known.
func (x *Index) describe(whole bool) {
	c := x.clip
	if v := c.video; v != nil && (len(v.packets) > 0 || !whole) {
		x.Video, x.Width, x.Height, x.Rotation = v.codecs, v.width, v.height, v.rotation()
	}
	if a := c.audio; a != nil {
		x.Sound = a.codecs
	}
	if c.video != nil && (!whole || c.finish(0) != nil) {
		c.video, c.audio, c.frames = nil, nil, nil
	}
}

// rotation returns by how many degrees the matrix of an MP4 file turns the picture clockwise.
func (t *track) rotation() int {
	c := cursor{b: t.matrix}
	a, b := int32(c.u32()), int32(c.u32())
	switch {
	case a == 0 && b > 0:
		return 90
	case a < 0 && b == 0:
		return 180
	case a == 0 && b < 0:
		return 270
	}
	return 0
}

// Frames returns the number of frames that are shown, 0 if it is not known.
func (x *Index) Frames() int { return len(x.clip.frames) }

// Time returns the presentation time of a frame, or the end of the last one for Frames().
// Frames must not be 0.
func (x *Index) Time(frame int) time.Duration { return x.clip.Time(frame) }

// FrameAt returns the frame that is shown at the time: the last one after the end, and the
// first one before the beginning. Frames must not be 0.
func (x *Index) FrameAt(at time.Duration) int { return x.clip.FrameAt(at) }

// Length returns when the video and the audio have ended, 0 if it is not known.
func (x *Index) Length() time.Duration {
	if x.Frames() == 0 {
		return 0
	}
	return x.clip.Length()
}

// Varies reports whether frames are shown for different times: whether one of them is more
// than half a frame away from its place at an even rate.
func (x *Index) Varies() bool {
	last := x.Frames() - 1
	if last < 2 {
		return false
	}
	first := x.clip.frame(0).time
	even := float64(x.clip.frame(last).time-first) / float64(last)
	for i := range last {
		if off := float64(x.clip.frame(i).time-first) - float64(i)*even; max(off, -off) > even/2 {
			return true
		}
	}
	return false
}

// UsualLength returns for how long most frames are shown, 0 if there are fewer than two.
func (x *Index) UsualLength() time.Duration {
	count, most := map[int64]int{}, int64(0)
	for i := range x.Frames() - 1 {
		length := x.clip.frame(i+1).time - x.clip.frame(i).time
		if count[length]++; count[length] > count[most] || count[length] == count[most] && length < most {
			most = length
		}
	}
	if most <= 0 {
		return 0
	}
	return time.Duration(rescale(most, x.clip.video.scale, int64(time.Second)))
}

// plainID returns the identifier of a codec in characters that may stand in a list of codecs.
func plainID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return -1
	}, id[:min(len(id), 32)])
}
