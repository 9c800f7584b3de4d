// Package picture checks pictures by their content: those at an address, before the user
// pays for a video, and uploaded ones. From uploads, it removes all metadata that tell
// where and by whom a picture was taken.
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

// Limits for pictures. Video services refuse larger ones or fail.
const (
	MaxBytes  = 20 << 20
	MaxPixels = 50_000_000
)

// An Info describes a picture, as determined from its first bytes.
type Info struct {
	Type          string // MIME type
	Width, Height int    // pixels: of Inspect as stored, of Whole and Clean as people see them
}

// Errors of Inspect and Clean.
var (
	ErrTooManyBytes  = errors.New("the picture has more than 20 MB")
	ErrTooManyPixels = errors.New("the picture has more than 50 megapixels")
	ErrBroken        = errors.New("the picture is cut off or damaged")
)

// An OtherError means that the bytes are not a picture of an accepted type. Kind is their
// actual type, as returned by sniff.Type; it may be empty.
type OtherError struct{ Kind string }

func (e *OtherError) Error() string {
	if e.Kind == "" {
		return "not a picture"
	}
	return "not a picture that is taken, but " + e.Kind
}

// configs maps the accepted MIME types to the functions that read a picture's size.
var configs = map[string]func(io.Reader) (image.Config, error){
	"image/jpeg": jpeg.DecodeConfig,
	"image/png":  png.DecodeConfig,
	"image/webp": webp.DecodeConfig,
	"image/gif":  gif.DecodeConfig,
	"image/bmp":  bmp.DecodeConfig,
}

// Inspect reads as much of r as it needs to determine the type and size of the picture.
// The caller must limit r. Inspect returns an error of r unwrapped.
func Inspect(r io.Reader) (_ Info, err error) {
	defer recoverBroken(&err)
	source := &errorKeeper{r: r}
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

// recoverBroken is deferred to turn a panic of a decoder into ErrBroken, because decoders
// read untrusted bytes.
func recoverBroken(err *error) {
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

// errorKeeper is a reader that remembers its error other than io.EOF, because decoders do
// not distinguish it from a damaged picture.
type errorKeeper struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (f *errorKeeper) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// Clean reads a whole picture and returns it without metadata, and its size as people see it.
func Clean(r io.Reader) ([]byte, Info, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, Info{}, fmt.Errorf("picture: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, Info{}, ErrTooManyBytes
	}
	info, err := Whole(bytes.NewReader(b))
	if err != nil {
		return nil, info, err
	}
	b, err = Strip(b, info.Type)
	return b, info, err
}
