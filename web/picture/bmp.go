package picture

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/image/bmp"
)

// Where things are in a BMP: a file header of 14 bytes, a header of the picture
// that says its own length, a table of colours, and the rows.
const (
	bmpHeader    = 14
	bmpOldLength = 40 // of a header that knows no transparency
	bmpSpace     = 70 // offset of the colour space, behind the masks of the colours
)

// stripBMP copies the picture and leaves out everything that is not shown: what
// is behind the rows, between them, in unused fields of the headers, and in
// bytes of a colour that mean nothing. An embedded colour profile goes too.
func stripBMP(b []byte) ([]byte, error) {
	c, err := bmp.DecodeConfig(bytes.NewReader(b)) // it takes no other layout than this
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
	clear(out[38:46]) // how large to print it
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
