package picture

import (
	"encoding/binary"
	"slices"
)

// Flags in the first byte of a VP8X chunk.
const (
	webpEXIF = 0x08
	webpXMP  = 0x04
)

var (
	webpChunks = []string{"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"}
	// webpFrame lists the chunks that are kept in a frame of an animation.
	webpFrame = []string{"VP8 ", "VP8L", "ALPH"}
)

// stripWebP copies the chunks in webpChunks from the RIFF container. A chunk is a name, a
// length, and the content, padded to an even size.
func stripWebP(b []byte) ([]byte, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return nil, ErrBroken
	}
	size := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if size < 12 || size > int64(len(b)) {
		return nil, ErrBroken
	}
	out, err := webpCopy(make([]byte, 12, size+64), b[12:size], webpChunks)
	if err != nil {
		return nil, err
	}
	copy(out, "RIFF\x00\x00\x00\x00WEBP")
	if o := webpOrientation(b[12:size]); o != 1 && len(out) >= 30 && string(out[12:16]) == "VP8X" {
		out[20] |= webpEXIF
		out = appendRIFF(out, "EXIF", orientationEXIF(o))
	}
	if len(out) == 12 {
		return nil, ErrBroken
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, nil
}

// webpCopy appends the chunks of b that have one of the names to out.
func webpCopy(out, b []byte, names []string) ([]byte, error) {
	for len(b) > 0 {
		name, content, rest, err := cutRIFF(b)
		switch {
		case err != nil:
			return nil, err
		case !slices.Contains(names, name):
		case name == "VP8X" && len(content) >= 10:
			content = slices.Clone(content)
			content[0] &^= webpEXIF | webpXMP
			out = appendRIFF(out, name, content)
		case name == "ANMF" && len(content) >= 16:
			frame, err := webpCopy(slices.Clone(content[:16]), content[16:], webpFrame)
			if err != nil {
				return nil, err
			}
			out = appendRIFF(out, name, frame)
		case name == "VP8X" || name == "ANMF":
			return nil, ErrBroken
		case name == "ANIM" && len(content) > 6:
			out = appendRIFF(out, name, content[:6])
		default:
			out = appendRIFF(out, name, content)
		}
		b = rest
	}
	return out, nil
}

// webpOrientation returns the orientation from the EXIF chunk. Some programs begin its
// content with exifHead, as in a JPEG.
func webpOrientation(b []byte) int {
	for len(b) > 0 {
		name, content, rest, err := cutRIFF(b)
		if err != nil {
			return 1
		}
		if name == "EXIF" {
			if len(content) > len(exifHead) && string(content[:len(exifHead)]) == exifHead {
				content = content[len(exifHead):]
			}
			return orientation(content)
		}
		b = rest
	}
	return 1
}

func cutRIFF(b []byte) (name string, content, rest []byte, err error) {
	if len(b) < 8 {
		return "", nil, nil, ErrBroken
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	if size > int64(len(b)-8) {
		return "", nil, nil, ErrBroken
	}
	end := min(8+size+size%2, int64(len(b)))
	return string(b[:4]), b[8 : 8+size], b[end:], nil
}

func appendRIFF(out []byte, name string, content []byte) []byte {
	out = append(out, name...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(content)))
	out = append(out, content...)
	if len(content)%2 == 1 {
		out = append(out, 0)
	}
	return out
}
