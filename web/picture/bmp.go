package picture

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/image/bmp"
)

// redrawBMP writes the picture anew from its pixels. A BMP has room for other
// things before and behind them, at the end of each row, and in the byte of a
// pixel that is not shown.
func redrawBMP(b []byte) ([]byte, error) {
	if len(b) < 30 {
		return nil, ErrBroken
	}
	// The decoder takes the memory for the pixels before it looks for them.
	c, err := bmp.DecodeConfig(bytes.NewReader(b))
	if err != nil || int64(c.Width)*int64(c.Height)*int64(binary.LittleEndian.Uint16(b[28:]))/8 > int64(len(b)) {
		return nil, ErrBroken
	}
	drawn, err := bmp.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, ErrBroken
	}
	var out bytes.Buffer
	if err := bmp.Encode(&out, drawn); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
