// Package picture judges pictures by their bytes: those that an address leads
// to, before a video is paid for, and those that people upload, from which it
// takes everything that tells where and by whom they were taken.
package picture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime/debug"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"dailies/db/media/sniff"
)

// What is taken: above it, services of this kind refuse or fail.
const (
	MaxBytes  = 20 << 20
	MaxPixels = 50_000_000
)

// An Info is what a picture's first bytes say about it.
type Info struct {
	Type          string // MIME type, judged by the bytes
	Width, Height int    // pixels, as stored
}

// Errors of Inspect and Clean.
var (
	ErrTooManyBytes  = errors.New("the picture has more than 20 MB")
	ErrTooManyPixels = errors.New("the picture has more than 50 megapixels")
	ErrBroken        = errors.New("the picture is cut off or damaged")
)

// An OtherError says that the bytes are no picture that is taken. Kind is what
// they are instead, as sniff.Type names it, or empty.
type OtherError struct{ Kind string }

func (e *OtherError) Error() string {
	if e.Kind == "" {
		return "not a picture"
	}
	return "not a picture that is taken, but " + e.Kind
}

// configs read the size of each type that is taken.
var configs = map[string]func(io.Reader) (image.Config, error){
	"image/jpeg": jpeg.DecodeConfig,
	"image/png":  png.DecodeConfig,
	"image/webp": webp.DecodeConfig,
	"image/gif":  gif.DecodeConfig,
	"image/bmp":  bmp.DecodeConfig,
}

// Inspect reads as much of r as it takes to know what the picture is. The
// caller bounds r. An error of r itself is returned as it is.
func Inspect(r io.Reader) (_ Info, err error) {
	defer caught(&err)
	source := &failing{r: r}
	head := bufio.NewReaderSize(source, sniff.Length)
	first, _ := head.Peek(sniff.Length)
	if source.err != nil && len(first) < sniff.Length {
		return Info{}, source.err
	}
	kind := sniff.Type(first)
	config, taken := configs[kind]
	if !taken {
		return Info{}, &OtherError{kind}
	}
	c, err := config(head)
	switch {
	case source.err != nil:
		return Info{}, source.err
	case err != nil || c.Width <= 0 || c.Height <= 0:
		return Info{}, ErrBroken
	}
	return Info{kind, c.Width, c.Height}, tooLarge(c.Width, c.Height)
}

// caught makes the panic of a decoder, whose bytes may come from anybody, ErrBroken.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: panic: %v\n%s", ErrBroken, p, debug.Stack())
	}
}

func tooLarge(width, height int) error {
	if int64(width)*int64(height) > MaxPixels {
		return ErrTooManyPixels
	}
	return nil
}

// failing remembers an error of the reader that is not its end, which decoders
// report as a damaged picture.
type failing struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// Clean reads a whole picture and returns it without metadata.
func Clean(r io.Reader) ([]byte, Info, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, Info{}, fmt.Errorf("picture: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, Info{}, ErrTooManyBytes
	}
	info, err := Inspect(bytes.NewReader(b))
	if err != nil {
		return nil, info, err
	}
	b, err = Strip(b, info.Type)
	return b, info, err
}
