package splice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
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
	case string(head[4:8]) == "ftyp",
		head[0] < '\t' && slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, string(head[4:8])):
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

// avcCodec returns the codec of H.264 from the decoder's configuration (avcC), after
// ISO/IEC 14496-15, E.3.
func avcCodec(entry string, config []byte) string {
	if len(config) < 4 {
		return entry
	}
	return fmt.Sprintf("%s.%02x%02x%02x", entry, config[1], config[2], config[3])
}

// hevcCodec returns the codec of H.265 from the decoder's configuration (hvcC), after
// ISO/IEC 14496-15, E.3.
func hevcCodec(entry string, config []byte) string {
	if len(config) < 13 {
		return entry
	}
	space := []string{"", "A", "B", "C"}[config[1]>>6]
	tier := "L"
	if config[1]&0x20 != 0 {
		tier = "H"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s.%s%d.%X.%s%d", entry, space, config[1]&0x1f,
		bits.Reverse32(binary.BigEndian.Uint32(config[2:])), tier, config[12])
	constraints := config[6:12]
	for len(constraints) > 0 && constraints[len(constraints)-1] == 0 {
		constraints = constraints[:len(constraints)-1]
	}
	for _, c := range constraints {
		fmt.Fprintf(&text, ".%X", c)
	}
	return text.String()
}

// av1Codec returns the codec of AV1 from the decoder's configuration (av1C), after the
// binding of AV1 to ISO/IEC 14496-12, section 5.
func av1Codec(config []byte) string {
	if len(config) < 3 {
		return "av01"
	}
	tier, depth := "M", 8
	if config[2]&0x80 != 0 {
		tier = "H"
	}
	switch {
	case config[2]&0x60 == 0x60:
		depth = 12
	case config[2]&0x40 != 0:
		depth = 10
	}
	return fmt.Sprintf("av01.%d.%02d%s.%02d", config[1]>>5, config[1]&0x1f, tier, depth)
}

// vp9Codec returns the codec of VP9 with the profile. The level, which is rarely stated, is
// the lowest.
func vp9Codec(profile byte) string {
	depth := 8
	if profile > 1 {
		depth = 10
	}
	return fmt.Sprintf("vp09.%02d.10.%02d", profile, depth)
}

// streamCodec returns the codec of an MPEG-4 stream from an esds box.
func streamCodec(entry string, esds []byte) string {
	c := cursor{b: esds}
	c.skip(4)
	if c.descriptor() != 3 {
		return entry
	}
	c.skip(2)
	flags := c.uint(1)
	if flags&0x80 != 0 {
		c.skip(2)
	}
	if flags&0x40 != 0 {
		c.skip(int(c.uint(1)))
	}
	if flags&0x20 != 0 {
		c.skip(2)
	}
	if c.descriptor() != 4 {
		return entry
	}
	kind := c.uint(1)
	c.skip(12)
	tag := c.descriptor()
	switch {
	case c.broken:
		return entry
	case kind == 0x40 && tag == 5 && len(c.b) > 1:
		object := c.b[0] >> 3
		if object == 31 {
			object = 32 + (c.b[0]&7<<3 | c.b[1]>>5)
		}
		return fmt.Sprintf("%s.40.%d", entry, object)
	}
	return fmt.Sprintf("%s.%02x", entry, kind)
}

// inspect reads the sample description for Inspect, which accepts any codec.
func (t *mp4Track) inspect(entries []box, err error) error {
	if err != nil || len(entries) == 0 {
		return errBroken
	}
	e := entries[0]
	t.codecs = plainID(strings.ToLower(strings.TrimSpace(e.kind)))
	length := pictureFields
	if t.kind == "soun" {
		length = soundFields
		if len(e.body) > 10 {
			length += []int{0, 16, 36, 0}[min(3, e.body[9])] // QuickTime has further fields
		}
	}
	if len(e.body) < length {
		return nil
	}
	if t.kind == "vide" {
		t.width, t.height = int(binary.BigEndian.Uint16(e.body[24:])), int(binary.BigEndian.Uint16(e.body[26:]))
	}
	t.codecs = entryCodec(e.kind, t.codecs, e.body[length:])
	return nil
}

// entryCodec returns the codec of a sample entry with the boxes in it, and plain for one
// whose name says all.
func entryCodec(kind, plain string, inside []byte) string {
	config := func(name string) []byte { return child(inside, name) }
	switch kind {
	case "avc1", "avc3":
		return avcCodec(kind, config("avcC"))
	case "hvc1", "hev1":
		return hevcCodec(kind, config("hvcC"))
	case "av01":
		return av1Codec(config("av1C"))
	case "vp09":
		if b := config("vpcC"); len(b) > 6 {
			return fmt.Sprintf("vp09.%02d.%02d.%02d", b[4], b[5], b[6]>>4)
		}
	case "mp4a", "mp4v":
		if b := config("esds"); b != nil {
			return streamCodec(kind, b)
		}
		return streamCodec(kind, child(config("wave"), "esds"))
	case ".mp3":
		return "mp3"
	}
	return plain
}

// matroskaCodec returns the codec with the identifier of Matroska and the decoder's
// configuration.
func matroskaCodec(id string, private []byte) string {
	switch id {
	case "V_MPEG4/ISO/AVC":
		return avcCodec("avc1", private)
	case "V_MPEGH/ISO/HEVC":
		return hevcCodec("hvc1", private)
	case "V_AV1":
		return av1Codec(private)
	}
	if known := matroskaCodecs[id]; known != "" {
		return known
	}
	if strings.HasPrefix(id, "A_AAC") {
		return "mp4a.40.2"
	}
	_, name, _ := strings.Cut(id, "_")
	return strings.ToLower(plainID(name))
}

var matroskaCodecs = map[string]string{
	"V_VP8": "vp8", "V_VP9": "vp9", "V_MPEG4/ISO/ASP": "mp4v.20", "V_MPEG2": "mp2v", "V_MPEG1": "mp1v",
	"A_OPUS": "opus", "A_VORBIS": "vorbis", "A_FLAC": "flac", "A_MPEG/L3": "mp3", "A_AC3": "ac-3", "A_EAC3": "ec-3",
}
