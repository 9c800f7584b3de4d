package picture_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
	"dailies/handlers/picture"
)

func TestShareLinksLeadToTheFile(t *testing.T) {
	for typed, want := range map[string]string{
		"https://drive.google.com/file/d/1AbC-dEf_GhIjKl/view?usp=sharing":                          "https://drive.google.com/uc?export=download&id=1AbC-dEf_GhIjKl",
		"https://drive.google.com/file/d/1AbC-dEf_GhIjKl/view?usp=drive_link&amp;resourcekey=0-x_Y": "https://drive.google.com/uc?export=download&id=1AbC-dEf_GhIjKl&resourcekey=0-x_Y",
		"<https://drive.google.com/file/u/1/d/1AbC-dEf_GhIjKl/view>":                                "https://drive.google.com/uc?export=download&id=1AbC-dEf_GhIjKl",
		"https://www.dropbox.com/scl/fi/abc/my photo.jpg?rlkey=xyz&st=1&dl=0":                       "https://www.dropbox.com/scl/fi/abc/my%20photo.jpg?rlkey=xyz&st=1&dl=1",
		"https://www.dropbox.com/s/abc/a.jpg?dl=0":                                                  "https://www.dropbox.com/s/abc/a.jpg?dl=1",
		"https://www.dropbox.com/s/abc/a.jpg?dl=1":                                                  "",
		"https://drive.google.com/drive/folders/1AbC-dEf_GhIjKl":                                    "",
		"https://drive.google.com.evil.example/file/d/1AbC-dEf_GhIjKl/view":                         "",
		"https://example.com/a.jpg?dl=0":                                                            "",
		"@mara":                                                                                     "", "": "", "{{photo}}": "",
	} {
		got, shared := picture.PictureLink(typed)
		if shared != (want != "") || shared && got != want {
			t.Errorf("%s: %s, %t", typed, got, shared)
		}
	}
}

// What people paste is repaired as browsers do, and the service is sent what was checked.
func TestPastedPictureLinksAreRepaired(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		if !slices.Contains([]string{"/my%20photo.jpg?x=a%20b&y=c", "/100%25.jpg"}, r.URL.RequestURI()) {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(handlerstest.Photo(t, 400, 300))
	}))
	t.Cleanup(s.Close)
	for pasted, want := range map[string]string{
		s.URL + "/my photo.jpg?x=a b&amp;y=c":                "/my%20photo.jpg?x=a%20b&y=c",
		`"` + s.URL + `/my photo.jpg?x=a b&amp;y=c"`:         "/my%20photo.jpg?x=a%20b&y=c",
		"<" + s.URL + "/my%20photo.jpg?x=a%20b&y=c>":         "/my%20photo.jpg?x=a%20b&y=c",
		"![the photo](" + s.URL + "/my photo.jpg?x=a b&y=c)": "/my%20photo.jpg?x=a%20b&y=c",
		s.URL + "/100%.jpg":                                  "/100%25.jpg",
	} {
		p.Get("/create/picture?url=" + url.QueryEscape(pasted)).Is(200).Hides("data-bad").Has(fmt.Sprintf("[data-address=%q]", s.URL+want))
		id := handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pasted)))
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if task.Pictures[0] != s.URL+want {
			t.Errorf("%s: the service is sent %s", pasted, task.Pictures[0])
		}
	}
	for _, uri := range asked {
		if strings.ContainsAny(uri, " <>\"") {
			t.Errorf("asked for %s", uri)
		}
	}
}

func FuzzPictureLink(f *testing.F) {
	f.Add("<https://drive.google.com/file/d/1AbC-dEf_GhIjKl/view?usp=sharing>")
	f.Add("https://www.dropbox.com/s/abc/a b.jpg?dl=0&dl=0")
	f.Fuzz(func(t *testing.T, typed string) {
		link, shared := picture.PictureLink(typed)
		again, more := picture.PictureLink(link)
		if shared && (again != link && !more) {
			t.Errorf("%q becomes %q, and then %q", typed, link, again)
		}
	})
}
