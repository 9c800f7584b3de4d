package picture

import (
	"bytes"
	"encoding/binary"
)

// Markers of ITU-T T.81.
const (
	markSOI  = 0xd8
	markEOI  = 0xd9
	markSOS  = 0xda
	markAPP0 = 0xe0
)

// exifHead begins the APP1 segment with EXIF data.
const exifHead = "Exif\x00\x00"

// stripJPEG copies the segments that are needed to show the picture.
func stripJPEG(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte{0xff, markSOI}) {
		return nil, ErrBroken
	}
	out, scanned, turned := append(make([]byte, 0, len(b)), b[:2]...), false, false
	for rest := b[2:]; ; {
		marker, segment, after, err := nextSegment(rest)
		switch {
		case err != nil:
			return nil, err
		case marker == markEOI && scanned: // anything after it is dropped
			return append(out, segment...), nil
		case marker == markEOI:
			return nil, ErrBroken
		case marker == markSOS:
			var scan []byte
			scan, after = cutScan(after)
			out, scanned = append(append(out, segment...), scan...), true
			if len(after) == 0 { // truncated, but every browser shows it
				return append(out, 0xff, markEOI), nil
			}
		case marker == markAPP0+1 && bytes.HasPrefix(segment[4:], []byte(exifHead)):
			if o := orientation(segment[4+len(exifHead):]); o != 1 && !turned {
				out, turned = append(out, orientationSegment(o)...), true
			}
		case needed(marker, segment):
			out = append(out, withoutPreview(marker, segment)...)
		}
		rest = after
	}
}

func orientationSegment(turned int) []byte {
	exif := append([]byte(exifHead), orientationEXIF(turned)...)
	return append([]byte{0xff, markAPP0 + 1, 0, byte(2 + len(exif))}, exif...)
}

// nextSegment returns the first segment of b: its marker, its bytes including marker and
// length, and the rest. Markers may be preceded by any number of 0xff.
func nextSegment(b []byte) (marker byte, segment, rest []byte, err error) {
	for len(b) >= 2 && b[0] == 0xff && b[1] == 0xff {
		b = b[1:]
	}
	switch {
	case len(b) < 2 || b[0] != 0xff:
		return 0, nil, nil, ErrBroken
	case b[1] == markEOI:
		return markEOI, b[:2], b[2:], nil
	case b[1] < 0xc0 || b[1] >= 0xd0 && b[1] <= markSOI || len(b) < 4: // markers without a length are invalid here
		return 0, nil, nil, ErrBroken
	}
	length := 2 + int(binary.BigEndian.Uint16(b[2:]))
	if length < 4 || length > len(b) {
		return 0, nil, nil, ErrBroken
	}
	return b[1], b[:length], b[length:], nil
}

// cutScan splits off the compressed data after a scan's header. It extends to the next
// marker; stuffed bytes and restart markers are part of the data.
func cutScan(b []byte) (scan, rest []byte) {
	for i := 0; i+1 < len(b); i++ {
		if b[i] != 0xff {
			continue
		}
		if next := b[i+1]; next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7) {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// needed reports whether the picture would look different without the segment. The
// application segments that are not needed contain EXIF, XMP, IPTC, and more pictures.
func needed(marker byte, segment []byte) bool {
	switch marker {
	case markAPP0:
		return bytes.HasPrefix(segment[4:], []byte("JFIF\x00"))
	case markAPP0 + 2:
		return bytes.HasPrefix(segment[4:], []byte("ICC_PROFILE\x00"))
	case markAPP0 + 14:
		return bytes.HasPrefix(segment[4:], []byte("Adobe"))
	}
	return marker < markAPP0
}

// adobeLength is the length of Adobe's segment, which specifies the colour transform.
const adobeLength = 16

// jfifLength is the length of a JFIF segment without a thumbnail.
const jfifLength = 18

// withoutPreview returns the segment without the thumbnail that a JFIF segment may
// contain, which may show parts that were cropped from the picture, and without extra
// bytes after Adobe's data.
func withoutPreview(marker byte, segment []byte) []byte {
	if marker == markAPP0+14 && len(segment) > adobeLength {
		head := bytes.Clone(segment[:adobeLength])
		head[2], head[3] = 0, adobeLength-2
		return head
	}
	if marker != markAPP0 || len(segment) <= jfifLength {
		return segment
	}
	head := bytes.Clone(segment[:jfifLength])
	head[2], head[3] = 0, jfifLength-2
	head[jfifLength-2], head[jfifLength-1] = 0, 0
	return head
}
