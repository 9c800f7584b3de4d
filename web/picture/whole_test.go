package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dailies/web/picture"
)

// samples returns pictures of the standard library and of golang.org/x/image, by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, args := range [][]string{{"env", "GOROOT"}, {"list", "-m", "-f", "{{.Dir}}", "golang.org/x/image"}} {
		dir, err := exec.Command("go", args...).Output()
		if err != nil {
			t.Skipf("there is no go command: %v", err)
		}
		base := strings.TrimSpace(string(dir))
		for _, pattern := range []string{"src/image/testdata/*", "src/image/png/testdata/pngsuite/*.png", "testdata/*"} {
			found, err := filepath.Glob(filepath.Join(base, pattern))
			must(t, err)
			for _, file := range found {
				if info, err := os.Stat(file); err != nil || info.IsDir() {
					continue
				}
				b, err := os.ReadFile(file)
				must(t, err)
				all[filepath.Base(file)] = b
			}
		}
	}
	return all
}

func TestPicturesAreReadAsDecodersReadThem(t *testing.T) {
	kinds := map[string]int{}
	for name, b := range samples(t) {
		info, err := picture.Whole(bytes.NewReader(b))
		var other *picture.OtherError
		if errors.As(err, &other) {
			continue
		}
		config, _, broken := image.DecodeConfig(bytes.NewReader(b))
		if broken == nil {
			_, _, broken = image.Decode(bytes.NewReader(b))
		}
		if (err == nil) != (broken == nil) || err == nil && (info.Width != config.Width || info.Height != config.Height) {
			t.Errorf("%s: %v, %v; a decoder says %v", name, info, err, broken)
		}
		if err == nil {
			kinds[info.Type]++
		}
	}
	if kinds["image/jpeg"] < 15 || kinds["image/png"] < 15 || kinds["image/webp"] < 10 || kinds["image/gif"] < 3 || kinds["image/bmp"] < 3 {
		t.Errorf("too few were read: %v", kinds)
	}
}

// A picture that breaks off anywhere is damaged, also if somebody has put an end to it.
func TestACutPictureIsDamaged(t *testing.T) {
	samples := samples(t)
	for _, name := range []string{
		"video-001.jpeg", "video-001.progressive.jpeg", "video-001.restart2.jpeg", "video-001.separate.dc.progression.jpeg", "video-005.gray.q50.progressive.jpeg",
		"video-001.png", "video-001.gif", "video-001.interlaced.gif", "video-001.bmp", "video-001.lossy.webp", "gopher-doc.8bpp.lossless.webp", "gopher-doc.with-alpha.lossless.webp",
	} {
		b := samples[name]
		if len(b) == 0 {
			t.Fatalf("there is no %s", name)
		}
		for _, part := range []int{14, 8, 4, 3, 2} {
			for cut, half := range map[string][]byte{
				"cut":       b[:len(b)*(part-1)/part],
				"cut early": b[:max(len(b)/part, 700)],
			} {
				if _, err := picture.Whole(bytes.NewReader(half)); !errors.Is(err, picture.ErrBroken) {
					t.Errorf("%s %s at 1/%d: %v", name, cut, part, err)
				}
				if strings.HasSuffix(name, ".jpeg") {
					if _, err := picture.Whole(bytes.NewReader(append(bytes.Clone(half), 0xff, 0xd9))); err == nil && !strings.Contains(name, "progress") {
						t.Errorf("%s %s at 1/%d, with an end: %v", name, cut, part, err)
					}
				}
			}
		}
		if strings.HasSuffix(name, ".jpeg") { // the rest did not arrive
			zeros := append(bytes.Clone(b[:len(b)/2]), make([]byte, len(b)/2)...)
			if _, err := picture.Whole(bytes.NewReader(zeros)); err == nil {
				t.Errorf("%s with zeros in place of its second half is whole", name)
			}
		}
	}
}

func TestASizeIsThatOfTheUprightPicture(t *testing.T) {
	for kind, b := range taken(t) {
		info, err := picture.Whole(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		want := picture.Info{Type: kind, Width: 16, Height: 24}
		switch kind {
		case "image/gif", "image/bmp": // have no orientation
			want.Width, want.Height = 24, 16
		case "image/webp":
			want.Width, want.Height = info.Width, info.Height
		}
		if info != want {
			t.Errorf("%s: %+v", kind, info)
		}
	}
}

// Frames of an animation are read to their end, too.
func TestACutAnimationIsDamaged(t *testing.T) {
	frame := drawn().(*image.Paletted)
	var b bytes.Buffer
	must(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame, frame}, Delay: []int{5, 5, 5}}))
	if _, err := picture.Whole(bytes.NewReader(b.Bytes())); err != nil {
		t.Error(err)
	}
	if _, err := picture.Whole(bytes.NewReader(b.Bytes()[:b.Len()-20])); !errors.Is(err, picture.ErrBroken) {
		t.Errorf("cut: %v", err)
	}
	still := plain(t, "image/webp")
	anmf := append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0}, still[12:]...)
	animation := func(frames ...[]byte) []byte {
		content := "WEBP" + string(riff("VP8X", "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00")) + string(riff("ANIM", "\x00\x00\x00\x00\x00\x00"))
		for _, frame := range frames {
			content += string(riff("ANMF", string(frame)))
		}
		return riff("RIFF", content)
	}
	if _, err := picture.Whole(bytes.NewReader(animation(anmf, anmf))); err != nil {
		t.Errorf("webp: %v", err)
	}
	damaged := bytes.Clone(anmf)
	damaged = damaged[:16+8+6]
	damaged[16+4] = 6 // a chunk that says that it is shorter
	if _, err := picture.Whole(bytes.NewReader(animation(anmf, damaged))); !errors.Is(err, picture.ErrBroken) {
		t.Errorf("a damaged frame: %v", err)
	}
}

// A picture that counts as whole has a size that can be shown. The target does not compare with
// Go's decoder: decoders treat data that no encoder writes in different ways.
func FuzzWhole(f *testing.F) {
	for _, kind := range []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"} {
		f.Add(plain(f, kind))
	}
	for _, name := range []string{"video-005.gray.q50.progressive.jpeg", "video-001.progressive.jpeg"} {
		if b := samples(f)[name]; len(b) > 0 {
			if _, err := picture.Whole(bytes.NewReader(b)); err != nil {
				f.Errorf("%s, which decoders draw: %v", name, err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := picture.Whole(bytes.NewReader(b))
		if err == nil && (info.Width <= 0 || info.Height <= 0 || info.Width*info.Height > picture.MaxPixels) {
			t.Errorf("%+v", info)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A small file cannot make the server decode more pixels than a picture may have.
func TestAFrameHasNoMorePixelsThanAPicture(t *testing.T) {
	b := plain(t, "image/gif")
	at := bytes.IndexByte(b[13:], 0x2c) + 13
	for b[at] != 0x2c || b[at+5] != 24 {
		at++
	}
	copy(b[at+5:], []byte{0xff, 0xff, 0xff, 0xff})
	if _, err := picture.Whole(bytes.NewReader(b)); !errors.Is(err, picture.ErrBroken) {
		t.Error(err)
	}
}
