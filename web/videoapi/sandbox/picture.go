package sandbox

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"dailies/web/picture"
	"dailies/web/videoapi"
)

// maxAddress bounds a picture's address.
const maxAddress = 8192

// mostPictures is for every model.
//
// API.md: "reference to video at most 3".
const mostPictures = 3

// pictures reads the pictures of a task from image_input, image_url and
// end_image_url, which may name the same ones twice.
//
// API.md, of image_url: "One image URL, equal to the first image_input entry."
func (in *input) pictures(m videoapi.Model, s videoapi.Scene) []string {
	list := in.texts("image_input")
	for i, name := range []string{"image_url", "end_image_url"} {
		address := in.text(name)
		switch {
		case address == "":
		case len(list) == i:
			list = append(list, address)
		case len(list) < i:
			in.fail("options.%s needs options.image_url", name)
		case list[i] != address:
			in.fail("options.%s must be the same as options.image_input[%d]", name, i)
		}
	}
	want := m.ImagesFor(s)
	want.Max = min(want.Max, mostPictures)
	if n := len(list); n < want.Min || n > want.Max {
		in.fail("%s takes %s with %s, not %d", s, inWords(want), m.ID, n)
	}
	for i, address := range list {
		if !isWeb(address) {
			in.fail("options.image_input[%d] is not an http or https address", i)
		}
	}
	return list
}

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

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxAddress && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// pictureTimeout bounds the fetching of one picture.
const pictureTimeout = 20 * time.Second

// A failure is an error whose words are the reason that a task gives.
type failure struct{ reason string }

// Error returns a sentence for the caller.
func (f *failure) Error() string { return f.reason }

// fetchPictures gets pictures one after another: decoding takes the memory of
// the whole picture.
func (s *Sandbox) fetchPictures(ctx context.Context, addresses []string) ([]image.Image, error) {
	var list []image.Image
	for i, address := range addresses {
		img, reason := s.fetchPicture(ctx, address)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if reason != "" {
			return nil, &failure{fmt.Sprintf("Picture %d %s.", i+1, reason)}
		}
		list = append(list, img)
	}
	return list, nil
}

// fetchPicture gets one picture, or a reason that follows "Picture 1". The
// reason keeps to itself what a network error says about this server.
func (s *Sandbox) fetchPicture(ctx context.Context, address string) (img image.Image, reason string) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "has an address that cannot be used"
	}
	resp, err := s.clientFor(address).Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Sprintf("could not be fetched: no answer in %v", pictureTimeout)
	case err != nil:
		s.log.Info("sandbox: picture not fetched", "host", req.URL.Hostname(), "err", withoutAddress(err))
		return nil, "could not be fetched: its address cannot be reached"
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Sprintf("could not be fetched: HTTP %d", resp.StatusCode)
	}
	return decodePicture(resp.Body)
}

const (
	// maxPictureSide is the longest side that is kept of a picture: no film is
	// wider.
	maxPictureSide = 1920

	// maxPictureMemory is enough for 50 megapixels in the usual formats, and for
	// 25 in a progressive JPEG.
	maxPictureMemory = 400 << 20

	// manyBytes is from which size of file the memory that was taken for the
	// picture is given back at once, so that the film finds room.
	manyBytes = 2 << 20
)

// decodePicture reads a picture, or returns a reason that follows "Picture 1".
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

// withoutAddress is an error of a client for the log: an address may hold what
// is nobody's business.
func withoutAddress(err error) error {
	if u := new(url.Error); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// clientFor lets a task use the result of another one, whose address may be
// one that no network knows.
func (s *Sandbox) clientFor(address string) *http.Client {
	if strings.HasPrefix(address, s.base+"/files/") {
		return &http.Client{Transport: s}
	}
	return s.fetch
}
