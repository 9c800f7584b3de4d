package picture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Whole reads the picture to its end, as a decoder does, and returns its type and its size as
// people see it: upright. It returns ErrBroken if a part of it is missing or damaged. The
// memory that it takes does not grow with the pixels, except for WebP. The caller must limit
// r; an error of r is returned unwrapped.
func Whole(r io.Reader) (info Info, err error) {
	defer recoverBroken(&err)
	source := &errorKeeper{r: r}
	var head bytes.Buffer
	if info, err = Inspect(io.TeeReader(source, &head)); err != nil {
		return info, err
	}
	turned, err := decoders[info.Type](bufio.NewReaderSize(io.MultiReader(&head, source), 64<<10), info)
	switch {
	case source.err != nil:
		return info, source.err
	case err != nil:
		return info, errors.Join(ErrBroken, err)
	}
	if turned >= 5 && turned <= 8 { // by a quarter
		info.Width, info.Height = info.Height, info.Width
	}
	return info, nil
}

// decoders maps the accepted MIME types to the functions that read a picture of the size to its
// end. They return its orientation, as orientation does.
var decoders = map[string]func(*bufio.Reader, Info) (turned int, err error){
	"image/jpeg": wholeJPEG,
	"image/png":  wholePNG,
	"image/webp": wholeWebP,
	"image/gif":  wholeGIF,
	"image/bmp":  wholeBMP,
}
