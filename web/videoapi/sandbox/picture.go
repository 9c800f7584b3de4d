package sandbox

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"dailies/web/picture"
	"dailies/web/videoapi"
)

// maxAddress bounds the URL of a picture, in bytes.
const maxAddress = 8192

// mostPictures bounds the pictures of a task, with every model.
//
// API.md: "reference to video at most 3".
const mostPictures = 3

// pictures returns the URLs of a task's pictures, from image_input, image_url and
// end_image_url, which may repeat each other.
//
// API.md, of image_url: "One image URL, equal to the first image_input entry."
func (o *options) pictures(s videoapi.Scene) []string {
	list := o.ImageInput
	for i, address := range []string{o.ImageURL, o.EndImageURL} {
		name := []string{"image_url", "end_image_url"}[i]
		switch {
		case address == "":
		case len(list) == i:
			list = append(list, address)
		case len(list) < i:
			o.fail("options.%s needs options.image_url", name)
		case list[i] != address:
			o.fail("options.%s must be the same as options.image_input[%d]", name, i)
		}
	}
	want := o.model.ImagesFor(s)
	want.Max = min(want.Max, mostPictures)
	if n := len(list); n < want.Min || n > want.Max {
		o.fail("%s takes %s with %s, not %d", s, inWords(want), o.model.ID, n)
	}
	for i, address := range list {
		if u, err := url.Parse(address); err != nil || len(address) > maxAddress ||
			(u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			o.fail("options.image_input[%d] is not an http or https address", i)
		}
	}
	return list
}

// inWords says how many pictures a scene takes.
func inWords(n videoapi.Images) string {
	switch {
	case n.Max <= 0:
		return "no pictures"
	case n.Min == 1 && n.Max == 1:
		return "1 picture"
	case n.Min == n.Max:
		return fmt.Sprintf("%d pictures", n.Max)
	}
	return fmt.Sprintf("%d to %d pictures", n.Min, n.Max)
}

// pictureTimeout bounds the time to fetch one picture.
const pictureTimeout = 20 * time.Second

// A pictureError is an error of a picture that makes the task fail. Its reason is
// a sentence for the caller.
type pictureError struct{ reason string }

// Error returns the sentence.
func (e *pictureError) Error() string { return e.reason }

// pictures fetches the pictures of tasks.
type pictures struct {
	base  string            // prefix of the URLs of the sandbox's own results
	own   http.RoundTripper // fetches the sandbox's own results
	fetch *http.Client      // fetches all other pictures
	log   *slog.Logger
}

// get fetches pictures one after another, because decoding needs memory for the
// whole picture.
func (s pictures) get(ctx context.Context, addresses []string) ([]image.Image, error) {
	var list []image.Image
	for i, address := range addresses {
		img, reason := s.one(ctx, address)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if reason != "" {
			return nil, &pictureError{fmt.Sprintf("Picture %d %s.", i+1, reason)}
		}
		list = append(list, img)
	}
	return list, nil
}

// one fetches one picture, or returns the rest of a sentence that begins with
// "Picture 1". Network errors are logged, not returned, because they reveal
// details of this server. The log leaves out the URL, which may contain a secret.
func (s pictures) one(ctx context.Context, address string) (img image.Image, reason string) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "has an address that cannot be used"
	}
	client := s.fetch
	if strings.HasPrefix(address, s.base+filePath) {
		client = &http.Client{Transport: s.own}
	}
	resp, err := client.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Sprintf("could not be fetched: no answer in %v", pictureTimeout)
	case err != nil:
		if u := new(url.Error); errors.As(err, &u) {
			err = u.Err
		}
		s.log.Info("sandbox: picture not fetched", "host", req.URL.Hostname(), "err", err)
		return nil, "could not be fetched: its address cannot be reached"
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Sprintf("could not be fetched: HTTP %d", resp.StatusCode)
	}
	return decodePicture(resp.Body)
}

const (
	// maxPictureSide is the longest side, in pixels, to which a picture is
	// reduced: no film is wider.
	maxPictureSide = 1920

	// maxPictureMemory, in bytes, is enough for 50 megapixels in the usual
	// formats, and for 25 in a progressive JPEG.
	maxPictureMemory = 400 << 20

	// manyBytes is the size of a file above which the memory used for decoding is
	// returned to the system at once, to leave room for rendering.
	manyBytes = 2 << 20
)

// decodePicture decodes a picture, or returns the rest of a sentence that begins
// with "Picture 1".
func decodePicture(r io.Reader) (img image.Image, reason string) {
	b, err := io.ReadAll(io.LimitReader(r, picture.MaxBytes+1))
	switch {
	case err != nil:
		return nil, "could not be fetched: the connection broke"
	case len(b) > picture.MaxBytes:
		return nil, "is larger than 20 MB"
	case len(b) > manyBytes:
		defer debug.FreeOSMemory()
	}
	drawn, err := picture.Draw(b, maxPictureSide, maxPictureMemory)
	switch {
	case errors.Is(err, picture.ErrTooManyPixels):
		return nil, "has more than 50 megapixels"
	case errors.Is(err, picture.ErrTooBig):
		return nil, "takes more memory than the sandbox has for it; please use a smaller copy"
	case err != nil:
		return nil, "is not a picture"
	}
	return drawn, ""
}
