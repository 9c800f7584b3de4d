package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
)

// Limits for the input of Still.
const (
	MaxStillBytes = 512 << 10
	MaxStillSide  = 1280 // pixels
)

// stillQuality is the quality of the JPEG that Still returns.
const stillQuality = 82

// ErrNoStill means that the bytes are not a picture that Still accepts.
var ErrNoStill = errors.New("not a JPEG, PNG or WebP of a size that is taken")

// Still decodes a small picture and encodes it again as a JPEG, so that only its pixels
// remain. An error of r itself is wrapped, and is not ErrNoStill.
func Still(r io.Reader) ([]byte, Info, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxStillBytes+1))
	if err != nil {
		return nil, Info{}, fmt.Errorf("still: %w", err)
	}
	info, err := Inspect(bytes.NewReader(b))
	if err != nil || len(b) > MaxStillBytes || max(info.Width, info.Height) > MaxStillSide || !stillTypes[info.Type] {
		return nil, info, errors.Join(ErrNoStill, err)
	}
	drawn, err := decode(b)
	if err != nil {
		return nil, info, errors.Join(ErrNoStill, err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, drawn, &jpeg.Options{Quality: stillQuality}); err != nil {
		return nil, info, fmt.Errorf("still: %w", err)
	}
	info.Type = "image/jpeg"
	return out.Bytes(), info, nil
}

// stillTypes lists the types that Still accepts. image.Decode supports them because this
// package imports their decoders.
var stillTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/webp": true}
