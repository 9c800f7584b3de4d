package address_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/web/address"
)

func TestAddressesAreRepairedAsBrowsersDo(t *testing.T) {
	for text, want := range map[string]string{
		"https://cdn.example.com/a.mp4":                                          "https://cdn.example.com/a.mp4",
		"  https://cdn.example.com/a.mp4\n":                                      "https://cdn.example.com/a.mp4",
		"HTTPS://CDN.Example.com/A.mp4":                                          "https://cdn.example.com/A.mp4",
		"https://cdn.example.com/my film.mp4?x=a b":                              "https://cdn.example.com/my%20film.mp4?x=a%20b",
		"https://cdn.example.com/a.mp4?x=1&amp;y=2":                              "https://cdn.example.com/a.mp4?x=1&y=2",
		"https://cdn.example.com/a.mp4?x=1&amp;amp;y=2":                          "https://cdn.example.com/a.mp4?x=1&y=2",
		"https://cdn.example.com/a.mp4?x=1&#38;y=2":                              "https://cdn.example.com/a.mp4?x=1&y=2",
		"https://cdn.example.com/a.mp4?copy=1&copy=2":                            "https://cdn.example.com/a.mp4?copy=1&copy=2",
		`https:\/\/cdn.example.com\/a.mp4?x=1\u0026y=2`:                          "https://cdn.example.com/a.mp4?x=1&y=2",
		`https://cdn.example.com\a\b.mp4`:                                        "https://cdn.example.com/a/b.mp4",
		`https:\\cdn.example.com\b.mp4`:                                          "https://cdn.example.com/b.mp4",
		"https:/cdn.example.com/b.mp4":                                           "https://cdn.example.com/b.mp4",
		"https:////cdn.example.com/b.mp4":                                        "https://cdn.example.com/b.mp4",
		"//cdn.example.com/b.mp4":                                                "https://cdn.example.com/b.mp4",
		`"https://cdn.example.com/b.mp4"`:                                        "https://cdn.example.com/b.mp4",
		"'https://cdn.example.com/b.mp4'":                                        "https://cdn.example.com/b.mp4",
		"“https://cdn.example.com/b.mp4”":                                        "https://cdn.example.com/b.mp4",
		"`https://cdn.example.com/b.mp4`":                                        "https://cdn.example.com/b.mp4",
		"<https://cdn.example.com/b.mp4>":                                        "https://cdn.example.com/b.mp4",
		"[the film](https://cdn.example.com/b.mp4)":                              "https://cdn.example.com/b.mp4",
		`![the film](<https://cdn.example.com/b.mp4> "A film")`:                  "https://cdn.example.com/b.mp4",
		"[film](https://cdn.example.com/b_(1).mp4)":                              "https://cdn.example.com/b_(1).mp4",
		"https://cdn.example.com/100% sure.mp4":                                  "https://cdn.example.com/100%25%20sure.mp4",
		"https://cdn.example.com/a%2Fb%20c.mp4?s=%2B%3D":                         "https://cdn.example.com/a%2Fb%20c.mp4?s=%2B%3D",
		"https://cdn.example.com/a.mp4?s=5%":                                     "https://cdn.example.com/a.mp4?s=5%25",
		"https://cdn.example.com/früh.mp4?q=ö":                                   "https://cdn.example.com/fr%C3%BCh.mp4?q=%C3%B6",
		"https://bücher.example/a.mp4":                                           "https://xn--bcher-kva.example/a.mp4",
		"https://cdn.example.com/a\tb\n.mp4":                                     "https://cdn.example.com/ab.mp4",
		"https://cdn.example.com:8443/a|b{c}^.mp4":                               "https://cdn.example.com:8443/a%7Cb%7Bc%7D%5E.mp4",
		"https://cdn.example.com:/a.mp4":                                         "https://cdn.example.com/a.mp4",
		"https://[2001:DB8::1]:8080/a.mp4":                                       "https://[2001:db8::1]:8080/a.mp4",
		"https://my_bucket.example.com/a.mp4?X-Amz-Signature=ab&X-Amz-Date=2026": "https://my_bucket.example.com/a.mp4?X-Amz-Signature=ab&X-Amz-Date=2026",
		"https://cdn.example.com/a.mp4#t=1 s":                                    "https://cdn.example.com/a.mp4#t=1%20s",
		"\uFEFFhttps://cdn.example.com?x=1":                                      "https://cdn.example.com?x=1",

		"":                            "",
		"cdn.example.com/a.mp4":       "",
		"javascript:alert(1)":         "",
		"httpx://cdn.example.com":     "",
		"https://":                    "",
		"https:cdn":                   "",
		"https://two hosts.com/a.mp4": "",
		"https://a.com:port/":         "",
		"data:video/mp4;base64,AAAA":  "",
		"https://a.com/" + strings.Repeat("x", address.MaxLength): "",
	} {
		got, ok := address.Repair(text)
		if got != want || ok != (want != "") {
			t.Errorf("%.80q: got %q, %t, want %q", text, got, ok, want)
		}
	}
}

func TestAddressesAreFoundInText(t *testing.T) {
	text := `Here it is: https://a.example.com/x.mp4. Or [here](https://b.example.com/y.mp4?s=1&amp;t=2), <video src="HTTPS://c.example.com/z.mp4">`
	want := []string{"https://a.example.com/x.mp4", "https://b.example.com/y.mp4?s=1&t=2", "https://c.example.com/z.mp4"}
	if got := address.In(text, 5); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := address.In(text, 1); !slices.Equal(got, want[:1]) {
		t.Errorf("got %q", got)
	}
}

func FuzzRepair(f *testing.F) {
	for _, s := range []string{`<https:\/\/a.example.com/x y%.mp4?z=a b&amp;c=d>`, "//host/%zz", "[x](http://[::1]:1/\u00e9)", "https://u:p@h/\x00", "http:/[::]::", "http:/&A\rmp;", "http:/h/&am\rp;", "//':"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := address.Repair(text)
		if !ok {
			return
		}
		if again, ok := address.Repair(got); !ok || again != got {
			t.Errorf("%q is repaired to %q, and that to %q, %t", text, got, again, ok)
		}
		r, err := http.NewRequest(http.MethodGet, got, nil)
		if err != nil {
			t.Fatalf("%q: no request can be made: %v", got, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Host != r.URL.Host {
			t.Fatalf("%q: %v", got, err)
		}
		sent := r.URL.Scheme + "://" + r.URL.User.String()
		if r.URL.User != nil {
			sent += "@"
		}
		sent += r.URL.Host + strings.TrimSuffix(r.URL.RequestURI(), "/")
		whole, _, _ := strings.Cut(got, "#")
		if r.URL.User == nil && r.URL.Path != "" && strings.TrimSuffix(whole, "/") != sent {
			t.Errorf("%q is sent as %q", got, sent)
		}
		address.In(text, 5)
	})
}
