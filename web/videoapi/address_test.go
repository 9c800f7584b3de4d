package videoapi_test

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"dailies/web/videoapi"
)

func TestAddressesOfAService(t *testing.T) {
	for typed, want := range map[string]string{
		"https://video.example.com":           "https://video.example.com",
		"  https://Video.Example.com/ ":       "https://video.example.com",
		"video.example.com":                   "https://video.example.com",
		"video.example.com:8443/v1/":          "https://video.example.com:8443/v1",
		"HTTPS://video.example.com:443/v1///": "https://video.example.com/v1",
		"https://video.example.com:":          "https://video.example.com",
		"https://video.example.com./a/b":      "https://video.example.com/a/b",
		"https://video.example.com/a%2Fb":     "https://video.example.com/a%2Fb",
		"https://video.example.com/a@b":       "https://video.example.com/a@b",
		"https://vidéo.example/ü":             "https://xn--vido-dpa.example/%C3%BC",
		"https://ビデオ.example":                 "https://xn--kckxc9a.example",
		"https://video_service.example.com":   "https://video_service.example.com",
		"https://8.8.8.8/v1":                  "https://8.8.8.8/v1",
		"https://[2001:4860:4860::8888]:99":   "https://[2001:4860:4860::8888]:99",
	} {
		if got, fault := videoapi.ParseAddress(typed, false); got != want || fault != 0 {
			t.Errorf("%q: got %q, fault %d, want %q", typed, got, fault, want)
		}
	}
}

func TestAddressesThatAreNoService(t *testing.T) {
	for typed, want := range map[string]videoapi.AddressFault{
		"": videoapi.AddressMissing, " \t": videoapi.AddressMissing,
		"https://a.example/" + strings.Repeat("x", 500): videoapi.AddressLong,
		"https://":                                 videoapi.AddressWrong,
		"https:///v1":                              videoapi.AddressWrong,
		"ftp://video.example.com":                  videoapi.AddressWrong,
		"javascript://video.example.com":           videoapi.AddressWrong,
		"https://video example.com":                videoapi.AddressWrong,
		"https://video.example.com\\@evil.example": videoapi.AddressWrong,
		"https://video.exam\x00ple.com":            videoapi.AddressWrong,
		"https://video.exam\nple.com":              videoapi.AddressWrong,
		"https://vid\u200beo.example.com":          videoapi.AddressWrong,
		"https://\u202emoc.example":                videoapi.AddressWrong,
		"https://video!.example.com":               videoapi.AddressWrong,
		"https://video%2f.example.com":             videoapi.AddressWrong,
		"https://-video.example.com":               videoapi.AddressWrong,
		"https://.":                                videoapi.AddressWrong,
		"https://..example":                        videoapi.AddressWrong,
		"https://[fe80::1%25eth0]":                 videoapi.AddressWrong,
		"https://[::1":                             videoapi.AddressWrong,
		"https://2130706433":                       videoapi.AddressWrong,
		"https://0x7f000001":                       videoapi.AddressWrong,
		"https://127.1":                            videoapi.AddressWrong,
		"https://sandbox.invalid":                  videoapi.AddressWrong,
		"http://video.example.com":                 videoapi.AddressOpen,
		"https://user:word@video.example.com":      videoapi.AddressUser,
		"https://user@video.example.com":           videoapi.AddressUser,
		"user:word@video.example.com":              videoapi.AddressUser,
		"ftp://user:word@video.example.com:x":      videoapi.AddressUser,
		"https://@video.example.com":               videoapi.AddressUser,
		"https://video.example.com:0":              videoapi.AddressPort,
		"https://video.example.com:00000":          videoapi.AddressPort,
		"https://video.example.com:65536":          videoapi.AddressPort,
		"https://[2001:4860:4860::8888]:-1":        videoapi.AddressPort,
		"https://video.example.com:-1":             videoapi.AddressPort,
		"https://video.example.com:http":           videoapi.AddressWrong,
		"https://video.example.com?key=1":          videoapi.AddressQuery,
		"https://video.example.com/?":              videoapi.AddressQuery,
		"https://video.example.com/#":              videoapi.AddressQuery,
		"https://localhost":                        videoapi.AddressPrivate,
		"https://LOCALHOST.:9090":                  videoapi.AddressPrivate,
		"https://box.localhost":                    videoapi.AddressPrivate,
		"http://127.0.0.1:9090":                    videoapi.AddressPrivate,
		"https://127.1.2.3":                        videoapi.AddressPrivate,
		"https://0.0.0.0":                          videoapi.AddressPrivate,
		"https://10.0.0.1":                         videoapi.AddressPrivate,
		"https://172.16.0.1":                       videoapi.AddressPrivate,
		"https://192.168.1.1":                      videoapi.AddressPrivate,
		"https://169.254.169.254":                  videoapi.AddressPrivate,
		"https://100.64.0.1":                       videoapi.AddressPrivate,
		"https://224.0.0.1":                        videoapi.AddressPrivate,
		"https://[::1]":                            videoapi.AddressPrivate,
		"https://[::]":                             videoapi.AddressPrivate,
		"https://[fc00::1]":                        videoapi.AddressPrivate,
		"https://[fe80::1]":                        videoapi.AddressPrivate,
		"https://[::ffff:127.0.0.1]":               videoapi.AddressPrivate,
	} {
		if got, fault := videoapi.ParseAddress(typed, false); got != "" || fault != want {
			t.Errorf("%q: got %q, fault %d, want %d", typed, got, fault, want)
		}
	}
}

func TestPrivateAddressesOfAServiceWhereTheyAreAllowed(t *testing.T) {
	for typed, want := range map[string]string{
		"http://127.0.0.1:9090/":     "http://127.0.0.1:9090",
		"http://localhost:9090":      "http://localhost:9090",
		"http://video.example.com":   "http://video.example.com",
		"http://[::1]:80":            "http://[::1]",
		"https://[::ffff:10.0.0.1]":  "https://10.0.0.1",
		"http://sandbox.invalid":     "",
		"http://a:b@127.0.0.1:9090":  "",
		"http://127.0.0.1:0":         "",
		"http://127.0.0.1:9090/?a=b": "",
	} {
		if got, fault := videoapi.ParseAddress(typed, true); got != want || (fault == 0) != (want != "") {
			t.Errorf("%q: got %q, fault %d, want %q", typed, got, fault, want)
		}
	}
}

// A public address may be one of this machine.
func TestAddressesOfThisMachineAreRefused(t *testing.T) {
	all, err := net.InterfaceAddrs()
	if err != nil || len(all) == 0 {
		t.Skip("this machine names no address")
	}
	for _, one := range all {
		ip := netip.MustParsePrefix(one.String()).Addr().Unmap()
		host := ip.String()
		if ip.Is6() {
			host = "[" + host + "]"
		}
		if got, fault := videoapi.ParseAddress("https://"+host, false); fault != videoapi.AddressPrivate {
			t.Errorf("%s: got %q, fault %d", host, got, fault)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"https://video.example.com/v1/", "a:b@c", "https://[::1]:0/", "https://ビデオ.example", "127.0.0.1:9090", "https://a.example/%2e%2e/?#"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, typed string, allowPrivate bool) {
		got, fault := videoapi.ParseAddress(typed, allowPrivate)
		if (got == "") != (fault != 0) {
			t.Fatalf("%q: got %q with fault %d", typed, got, fault)
		}
		if fault != 0 {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Port() == "0" || u.Host == "" || len(got) > videoapi.MaxAddress || strings.HasSuffix(got, "/") {
			t.Fatalf("%q: accepted %q", typed, got)
		}
		if u.Scheme != "https" && (u.Scheme != "http" || !allowPrivate) {
			t.Fatalf("%q: accepted the scheme of %q", typed, got)
		}
		for _, r := range got {
			if r <= ' ' || r > '~' {
				t.Fatalf("%q: accepted %q", typed, got)
			}
		}
		if again, fault := videoapi.ParseAddress(got, allowPrivate); again != got || fault != 0 {
			t.Fatalf("%q became %q, and that %q, %d", typed, got, again, fault)
		}
	})
}
