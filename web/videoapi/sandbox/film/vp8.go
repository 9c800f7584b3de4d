package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"github.com/deepteams/webp"
)

// An encoder turns pictures into VP8 key frames. A lossy WebP picture is one
// such frame in a RIFF wrapper, which is taken off.
type encoder struct {
	buf  bytes.Buffer
	opts *webp.EncoderOptions
}

func newEncoder() *encoder {
	o := webp.DefaultOptions()
	o.Method = 1 // the fastest; the higher ones also differ with GOMAXPROCS
	o.Quality = 80
	o.Exact = true
	return &encoder{opts: o}
}

func (e *encoder) encode(img *image.RGBA) ([]byte, error) {
	e.buf.Reset()
	if err := webp.Encode(&e.buf, img, e.opts); err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return unwrap(e.buf.Bytes())
}

// unwrap finds the VP8 chunk in a WebP file and copies it.
func unwrap(riff []byte) ([]byte, error) {
	const header, chunk = 12, 8
	for b := riff[min(header, len(riff)):]; len(b) >= chunk; {
		size := int(binary.LittleEndian.Uint32(b[4:]))
		if size > len(b)-chunk {
			break
		}
		if string(b[:4]) == "VP8 " {
			return bytes.Clone(b[chunk : chunk+size]), nil
		}
		b = b[min(chunk+size+size%2, len(b)):]
	}
	return nil, errors.New("frame: no VP8 chunk")
}
