package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
)

// What a still may have.
const (
	MaxStillBytes = 512 << 10
	MaxStillSide  = 1280 // pixels
)

// stillQuality is that of the JPEG that Still returns.
const stillQuality = 82

// ErrNoStill says that the bytes are no picture that Still takes.
var ErrNoStill = errors.New("not a JPEG, PNG or WebP of a size that is taken")

// Still reads a small picture whole and returns it drawn anew, as a JPEG: of
// what came only what is seen is left. An error of r itself is returned as it
// is.
func Still(r io.Reader) ([]byte, Info, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxStillBytes+1))
	if err != nil {
		return nil, Info{}, fmt.Errorf("still: %w", err)
	}
	info, err := Inspect(bytes.NewReader(b))
	if err != nil || len(b) > MaxStillBytes || max(info.Width, info.Height) > MaxStillSide || !stills[info.Type] {
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

// stills are the types that Still takes; image.Decode knows them because this
// package imports their decoders.
var stills = map[string]bool{"image/jpeg": true, "image/png": true, "image/webp": true}
