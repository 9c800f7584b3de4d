package splice

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

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
	fmt.Fprintf(&text, "%s.%s%d.%X.%s%d", entry, space, config[1]&0x1f, bits.Reverse32(binary.BigEndian.Uint32(config[2:])), tier, config[12])
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
