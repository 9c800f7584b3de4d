package picture

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/image/bmp"
)

// A BMP consists of a file header of 14 bytes, a picture header that begins with its own
// length, a colour table, and the rows.
const (
	bmpHeader    = 14
	bmpOldLength = 40 // length of a picture header without transparency
	bmpSpace     = 70 // offset of the colour space, after the colour masks
)

// stripBMP copies the picture and clears or drops everything that is not shown: bytes
// after the rows, padding between them, unused fields of the headers, and unused bytes of
// colours. It also removes an embedded colour profile.
func stripBMP(b []byte) ([]byte, error) {
	c, err := bmp.DecodeConfig(bytes.NewReader(b)) // it accepts only this layout
	if err != nil {
		return nil, ErrBroken
	}
	pixels, depth := int(binary.LittleEndian.Uint32(b[10:])), int(binary.LittleEndian.Uint16(b[28:]))
	row := (c.Width*depth + 7) / 8
	stride := (row + 3) / 4 * 4
	size := int64(pixels) + int64(stride)*int64(c.Height)
	if size > int64(len(b)) {
		return nil, ErrBroken
	}
	out := bytes.Clone(b[:size])
	old := binary.LittleEndian.Uint32(out[bmpHeader:]) == bmpOldLength
	binary.LittleEndian.PutUint32(out[2:], uint32(size))
	clear(out[6:10]) // reserved
	binary.LittleEndian.PutUint32(out[34:], uint32(size)-uint32(pixels))
	clear(out[38:46]) // print resolution
	colours := out[bmpHeader+bmpOldLength : pixels]
	if !old {
		head := bmpHeader + int(binary.LittleEndian.Uint32(out[bmpHeader:]))
		clear(out[bmpSpace:head])
		copy(out[bmpSpace:], "BGRs")
		colours = out[head:pixels]
	}
	for i := 3; i < len(colours); i += 4 {
		colours[i] = 0
	}
	for y := range c.Height {
		line := out[pixels+y*stride:][:stride]
		clear(line[row:])
		for i := 3; old && depth == 32 && i < row; i += 4 {
			line[i] = 0
		}
	}
	return out, nil
}
