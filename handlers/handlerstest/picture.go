package handlerstest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers"
)

// Pictures starts a server that returns a picture for every path, and returns its URL.
func Pictures(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 36))
		for i := range 64 {
			img.Set(i, i%36, color.White)
		}
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, img)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Photo returns a JPEG of the size that contains, like a phone's photo, the position
// where it was taken.
func Photo(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00 " + Position
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(head, b.Bytes()[2:]...)
}

const Position = "53.5511 N 9.9937 E"

// File is a file field of a form.
type File struct {
	Field, Name string
	Content     []byte
}

// Upload sends the form as a browser without JavaScript does or, with the header
// "HX-Request-Type: partial", as the script does.
func (p *Browser) Upload(path string, form url.Values, files []File, headers ...string) *Answer {
	p.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range form {
		for _, v := range values {
			must(p.T, w.WriteField(name, v))
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile(f.Field, f.Name)
		must(p.T, err)
		_, err = part.Write(f.Content)
		must(p.T, err)
	}
	must(p.T, w.Close())
	r, err := http.NewRequestWithContext(p.T.Context(), http.MethodPost, p.Server.URL+path, &body)
	must(p.T, err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return p.do(r, "POST "+path, headers)
}

// Uploaded uploads a picture and returns its URL.
func (p *Browser) Uploaded(content []byte) string {
	p.T.Helper()
	a := p.Upload(
		"/pictures?scene=image-to-video", nil, []File{{"file.image_input.0", "harbour.jpg", content}}, "HX-Request-Type",
		"partial",
	).Is(200)
	return regexp.MustCompile(`data-address="([^"]+)"`).FindStringSubmatch(a.Text)[1]
}

// AddPicture stores a picture of the user, with its file.
func (h *Server) AddPicture(t testing.TB, userID int64) ordering.Picture {
	t.Helper()
	content := Photo(t, 400, 300)
	hash, size, err := h.Config.Media.Put(t.Context(), bytes.NewReader(content), 1<<20)
	must(t, err)
	p := ordering.Picture{
		UserID: userID, Token: secrets.NewToken(), Hash: hash, Type: "image/jpeg", Size: size, Width: 400, Height: 300,
		Name: "harbour.jpg", CreatedAt: db.Now(),
	}
	must(t, h.Store.Pictures.AddPicture(t.Context(), &p))
	return p
}

// Restart runs the app with changed settings from now on.
func (h *Server) Restart(t testing.TB, change func(*handlers.Config)) {
	t.Helper()
	*h = *h.With(t, change)
}

// SendPoster uploads the file as the cover of the video, like a browser that has drawn
// one.
func (p *Browser) SendPoster(t *testing.T, id int64, file []byte) *Answer {
	t.Helper()
	return p.Upload(fmt.Sprintf("/tasks/%d/poster", id), nil, []File{{"poster", "poster.jpg", file}}, "HX-Request-Type", "partial")
}

// FrameOf returns a PNG of the size, as a browser draws a frame of a video.
func FrameOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))))
	return out.Bytes()
}

// Begin sends the first part of an upload, and the rest when finish is called. The
// status is sent when the response arrives; 0 means that the upload was aborted.
func (p *Browser) Begin(t testing.TB, path, field string, content []byte) (finish func(), status <-chan int) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "a.jpg")
	must(t, err)
	_, err = part.Write(content)
	must(t, err)
	must(t, form.Close())
	length, cut := int64(body.Len()), body.Len()-len(content)/2
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Server.URL+path, in)
	must(t, err)
	r.ContentLength = length
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("HX-Request-Type", "partial")
	for _, c := range p.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	client, answered := &http.Client{Transport: &http.Transport{}}, make(chan int, 1)
	var all sync.WaitGroup
	all.Go(func() {
		resp, err := client.Do(r)
		in.Close() // the response may arrive before the whole body is sent
		if err != nil {
			answered <- 0
			return
		}
		resp.Body.Close()
		answered <- resp.StatusCode
	})
	_, _ = out.Write(body.Bytes()[:cut])
	t.Cleanup(func() { cancel(); out.Close(); all.Wait(); client.CloseIdleConnections() })
	return func() { _, _ = out.Write(body.Bytes()[cut:]); out.Close() }, answered
}

// Receiving returns how many files are being received at present.
func (h *Server) Receiving(t testing.TB) (n int) {
	t.Helper()
	entries, err := os.ReadDir(strings.TrimSuffix(h.Database, "dailies.db") + "media")
	must(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "begun-") {
			n++
		}
	}
	return n
}

// Noise returns a JPEG of the size, in which every part matters.
func Noise(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i, seed := 0, uint32(1); i < len(img.Pix); i++ {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = byte(seed >> 24)
	}
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

// Turned returns a JPEG that is stored with the size, and that people see turned by a quarter.
func Turned(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(head, b.Bytes()[2:]...)
}
