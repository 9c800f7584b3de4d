package splice

import (
	"encoding/binary"
	"slices"
)

// mp4Codecs maps the kinds of MP4's sample entries to the codecs.
var mp4Codecs = map[string]string{
	"avc1": "H.264", "avc3": "H.264", "hvc1": "H.265", "hev1": "H.265", "av01": "AV1", "vp09": "VP9",
	"mp4a": "AAC", "Opus": "Opus",
}

// Sizes of the fixed fields of a sample entry, which precede the boxes in it.
const (
	pictureFields = 78
	soundFields   = 28
)

// describe reads the sample description (stsd). It must have exactly one entry, which
// names the codec and holds the decoder configuration.
func (t *mp4Track) describe(b []byte) error {
	c := cursor{b: b}
	c.skip(8)
	entries, err := boxes(c.b)
	if t.lenient {
		return t.inspect(entries, err)
	}
	if err != nil || len(entries) != 1 {
		return unsupported("its description changes")
	}
	e := entries[0]
	t.codec = mp4Codecs[e.kind]
	length := pictureFields
	if t.kind == "soun" {
		length = soundFields
	}
	if t.codec == "" || len(e.body) < length {
		return unsupported("an unknown codec")
	}
	f := e.body
	if t.kind == "vide" {
		t.width, t.height = int(binary.BigEndian.Uint16(f[24:])), int(binary.BigEndian.Uint16(f[26:]))
	} else {
		if binary.BigEndian.Uint16(f[8:]) != 0 {
			return unsupported("sound as in QuickTime")
		}
		t.channels, t.rate = int(binary.BigEndian.Uint16(f[16:])), int(binary.BigEndian.Uint16(f[24:]))
	}
	children, err := boxes(f[length:])
	entry := [][]byte{f[:length]}
	t.config = []byte(e.kind)
	for _, c := range children {
		set := c.all
		switch c.kind {
		case "btrt", "free", "uuid":
			continue // bit rates may differ between files that can be joined
		case "esds":
			if set = aac(c.body); set == nil {
				return unsupported("an unknown codec")
			}
			// The entry itself often says stereo, whatever the real number is.
			if n := int(set[1] >> 3 & 15); n > 0 && n < 7 {
				t.channels = n
			}
		}
		t.config = append(t.config, set...)
		entry = append(entry, c.all)
	}
	t.entry = pack(e.kind, entry...)
	return err
}

// aac returns the configuration of an AAC decoder from an esds box, nil for another
// codec. The bit rates around it may differ between files that can be joined.
func aac(esds []byte) []byte {
	c := cursor{b: esds}
	c.skip(4)
	if c.descriptor() != 3 {
		return nil
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
	if c.descriptor() != 4 || !slices.Contains([]uint64{0x40, 0x66, 0x67, 0x68}, c.uint(1)) {
		return nil
	}
	c.skip(12)
	if c.descriptor() != 5 || c.broken || len(c.b) < 2 {
		return nil
	}
	return c.b
}

// descriptor enters an MPEG-4 descriptor and returns its tag. It limits the cursor to
// the descriptor's content; as each descriptor is nested in the previous one, nothing
// after it is needed.
func (c *cursor) descriptor() uint64 {
	tag, length := c.uint(1), 0
	for range 4 {
		b := c.uint(1)
		length = length<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			break
		}
	}
	c.b = c.b[:min(length, len(c.b))]
	return tag
}

// checkKeys clears the key flag of frames at which decoding cannot begin: with H.264
// and H.265, files also flag frames after which others refer to earlier ones.
func (c *Clip) checkKeys() error {
	t := c.video
	prefix := 0
	children, _ := boxes(t.entry[8+pictureFields:])
	for _, b := range children {
		switch {
		case b.kind == "avcC" && len(b.body) > 4:
			prefix = int(b.body[4]&3) + 1
		case b.kind == "hvcC" && len(b.body) > 21:
			prefix = int(b.body[21]&3) + 1
		}
	}
	if t.codec != "H.264" && t.codec != "H.265" {
		return nil
	}
	if prefix == 0 {
		return unsupported("no set-up of the decoder")
	}
	for i := range t.packets {
		if p := &t.packets[i]; p.key {
			p.key = c.decodableFrom(*p, prefix)
		}
	}
	return nil
}

// decodableFrom reports whether the frame and all that follow can be decoded without
// earlier frames: whether its first slice belongs to an IDR or BLA picture. prefix is the
// size of the length before each NAL unit.
func (c *Clip) decodableFrom(p packet, prefix int) bool {
	for pos, tries := 0, 0; pos+prefix < p.size && tries < 64; tries++ {
		var b [5]byte
		if _, err := c.file.ReadAt(b[:prefix+1], p.at+int64(pos)); err != nil {
			return false
		}
		length := cursor{b: b[:prefix]}
		kind := b[prefix]
		if c.video.codec == "H.264" {
			if kind &= 0x1f; kind >= 1 && kind <= 5 {
				return kind == 5
			}
		} else if kind = kind >> 1 & 0x3f; kind < 32 {
			return kind >= 16 && kind <= 20
		}
		pos += prefix + int(length.uint(prefix))
	}
	return false
}
