package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"dailies/db/media/sniff"
	"dailies/web/picture"
)

// secret stands for metadata that must be removed from a picture.
const secret = "53.5511 N 9.9937 E"

// drawn returns a small picture with a pattern.
func drawn() image.Image {
	img := image.NewPaletted(image.Rect(0, 0, 24, 16), color.Palette{color.Black, color.White, color.RGBA{200, 40, 40, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 3)
	}
	return img
}

// plain returns a picture of the MIME type without metadata.
func plain(t testing.TB, kind string) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/jpeg":
		err = jpeg.Encode(&b, drawn(), nil)
	case "image/png":
		err = png.Encode(&b, drawn())
	case "image/gif":
		err = gif.Encode(&b, drawn(), nil)
	case "image/bmp":
		err = bmp.Encode(&b, drawn())
	case "image/webp":
		b.WriteString(losslessWebP)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := 54 + 3; kind == "image/bmp" && i < 54+1024; i += 4 {
		b.Bytes()[i] = 0 // unused bytes of the colour table, which most programs set to 0
	}
	return b.Bytes()
}

// losslessWebP is a picture of one pixel.
const losslessWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// turnedEXIF returns EXIF data with the orientation and the secret.
func turnedEXIF(order binary.AppendByteOrder, turned uint16) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*\x00\x00\x00\x08")
	}
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x8825) // the GPS directory
	b = order.AppendUint16(b, 4)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint32(b, 38)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, turned)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, 0)
	return append(b, secret...)
}

func segment(marker byte, content string) []byte {
	return append([]byte{0xff, marker, byte((len(content) + 2) >> 8), byte(len(content) + 2)}, content...)
}

func chunk(name, content string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func riff(name, content string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(content)))
	return append(append(b, content...), make([]byte, len(content)%2)...)
}

// insert returns b with the pieces inserted at the offset.
func insert(b []byte, at int, pieces ...[]byte) []byte {
	return bytes.Join([][]byte{b[:at], bytes.Join(pieces, nil), b[at:]}, nil)
}

// taken returns pictures like those from cameras and programs, with the secret in all
// kinds of metadata.
func taken(t testing.TB) map[string][]byte {
	little, big := string(turnedEXIF(binary.LittleEndian, 6)), string(turnedEXIF(binary.BigEndian, 6))
	j, p, g := plain(t, "image/jpeg"), plain(t, "image/png"), plain(t, "image/gif")
	body := losslessWebP[12:]
	webp := append(riff("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"), body...)
	webp = append(append(webp, riff("EXIF", little)...), riff("XMP ", secret)...)
	webp = append(riff("RIFF", "WEBP"+string(webp)), secret...)
	comment := "\x21\xfe" + string(rune(len(secret))) + secret + "\x00"
	xmp := "\x21\xff\x0bXMP DataXMP" + string(rune(len(secret))) + secret + "\x00"
	loop := "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
	return map[string][]byte{
		"image/jpeg": append(insert(j, 2,
			segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x02\x03"+secret), segment(0xe1, "Exif\x00\x00"+little),
			segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret), segment(0xed, "Photoshop 3.0\x00"+secret),
			segment(0xe2, "MPF\x00"+secret), segment(0xe2, "ICC_PROFILE\x00\x01\x01colours"), segment(0xfe, secret),
			segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01")), "a film hangs on here "+secret...),
		"image/png": append(insert(p, 33, chunk("eXIf", big), chunk("tEXt", "Comment\x00"+secret), chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret),
			chunk("zTXt", secret), chunk("tIME", "1234567"), chunk("gAMA", "\x00\x00\xb1\x8f"), chunk("prVt", secret)), secret...),
		"image/webp": webp,
		"image/gif":  append(insert(g, 13+3*4, []byte(comment), []byte(xmp), []byte(loop)), secret...),
		"image/bmp":  append(plain(t, "image/bmp"), secret...),
	}
}

// hidden returns pictures with the secret outside of metadata: after the pixels, or in a
// part of the file that is longer than necessary.
func hidden(t testing.TB) map[string][]byte {
	j, p, g, b := plain(t, "image/jpeg"), plain(t, "image/png"), plain(t, "image/gif"), plain(t, "image/bmp")
	// deep has 32 bits per pixel, one byte of which is unused. wide has rows of 24 bits
	// that are padded to 32.
	var deep, wide bytes.Buffer
	for out, img := range map[*bytes.Buffer]image.Image{&deep: image.NewNRGBA(image.Rect(0, 0, len(secret), 1)), &wide: image.NewGray16(image.Rect(0, 0, 1, 2*len(secret)))} {
		if err := bmp.Encode(out, img); err != nil {
			t.Fatal(err)
		}
	}
	unseen, padding := deep.Bytes(), wide.Bytes()
	for i := range secret {
		unseen[54+4*i+3], padding[54+4*i+3] = secret[i], secret[i]
	}
	vp8x := string(riff("VP8X", "\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	anim := string(riff("ANIM", "\x00\x00\x00\x00\x00\x00"+secret))
	return map[string][]byte{
		"jpeg: behind Adobe's": insert(j, 2, segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01"+secret)),
		"png: in the end":      append(bytes.Clone(p[:len(p)-12]), chunk("IEND", secret)...),
		"png: long gamma":      insert(p, 33, chunk("gAMA", "\x00\x00\xb1\x8f"+secret)),
		"gif: behind the loop": insert(g, 13+3*4, []byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00"+string(rune(len(secret)))+secret+"\x00")),
		"gif: behind a pause":  insert(g, 13+3*4, []byte("\x21\xf9\x04\x00\x00\x00\x00"+string(rune(len(secret)))+secret+"\x00")),
		"bmp: behind":          append(bytes.Clone(b), secret...),
		"bmp: in the header":   append(append(bytes.Clone(b[:34]), secret[:12]...), b[46:]...),
		"bmp: unseen":          unseen,
		"bmp: between rows":    padding,
		"webp: long moving":    riff("RIFF", "WEBP"+vp8x+anim+losslessWebP[12:]),
	}
}

// fourth returns every fourth byte after the headers of a BMP.
func fourth(b []byte) (some []byte) {
	for i := 57; i < len(b); i += 4 {
		some = append(some, b[i])
	}
	return some
}

func TestNothingHidesInAPicture(t *testing.T) {
	for name, b := range hidden(t) {
		clean, _, err := picture.Clean(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if bytes.Contains(clean, []byte(secret[:8])) || bytes.Contains(fourth(clean), []byte(secret)) {
			t.Errorf("%s: the secret is still there", name)
		}
		same(t, name, b, clean)
		if again, _, err := picture.Clean(bytes.NewReader(clean)); err != nil || !bytes.Equal(again, clean) {
			t.Errorf("%s: cleaned twice it is another: %v", name, err)
		}
	}
}

func TestNothingTellsWhereAPictureWasTaken(t *testing.T) {
	for kind, b := range taken(t) {
		clean, info, err := picture.Clean(bytes.NewReader(b))
		if err != nil || info.Type != kind {
			t.Errorf("%s: %+v, %v", kind, info, err)
			continue
		}
		for _, part := range []string{secret, "Photoshop", "MPF", "xap", "Comment", "XMP", "tIME"} {
			if bytes.Contains(clean, []byte(part)) {
				t.Errorf("%s: %q is still there", kind, part)
			}
		}
		same(t, kind, b, clean)
		again, _, err := picture.Clean(bytes.NewReader(clean))
		if err != nil || !bytes.Equal(again, clean) {
			t.Errorf("%s: cleaned twice it is another: %v", kind, err)
		}
	}
}

func TestStripKeepsWhatAffectsTheLook(t *testing.T) {
	all := taken(t)
	for kind, parts := range map[string][]string{
		"image/jpeg": {"\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00", "ICC_PROFILE\x00\x01\x01colours", "Adobe", "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06"},
		"image/png":  {"gAMA", "eXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06"},
		"image/webp": {"VP8X\x0a\x00\x00\x00\x08", "EXIF\x1a\x00\x00\x00MM"},
		"image/gif":  {"NETSCAPE2.0\x03\x01"},
	} {
		clean, _, err := picture.Clean(bytes.NewReader(all[kind]))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !bytes.Contains(clean, []byte(part)) {
				t.Errorf("%s: %q is gone", kind, part)
			}
		}
	}
	for _, kind := range []string{"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"} {
		b := plain(t, kind)
		if clean, err := picture.Strip(b, kind); err != nil || !bytes.Equal(clean, b) {
			t.Errorf("%s: a clean picture is changed, %v", kind, err)
		}
	}
}

func TestDamagedPicturesAreRefused(t *testing.T) {
	for kind, b := range taken(t) {
		for _, cut := range []int{3, 13, len(plain(t, kind)) / 2} {
			if _, _, err := picture.Clean(bytes.NewReader(b[:min(cut, len(b))])); err == nil && kind != "image/bmp" && cut < 14 {
				t.Errorf("%s: %d bytes are taken for a picture", kind, cut)
			}
		}
	}
	if _, err := picture.Strip(nil, "image/svg+xml"); err == nil {
		t.Error("a drawing is taken")
	}
	large := append(plain(t, "image/jpeg"), make([]byte, picture.MaxBytes)...)
	if _, _, err := picture.Clean(bytes.NewReader(large)); !errors.Is(err, picture.ErrTooManyBytes) {
		t.Errorf("20 MB and more: %v", err)
	}
	wide := plain(t, "image/bmp")
	binary.LittleEndian.PutUint32(wide[18:], 100_000)
	binary.LittleEndian.PutUint32(wide[22:], 100_000)
	if _, _, err := picture.Clean(bytes.NewReader(wide)); !errors.Is(err, picture.ErrTooManyPixels) {
		t.Errorf("ten gigapixels: %v", err)
	}
}

func TestOtherFileTypesAreIdentified(t *testing.T) {
	for head, want := range map[string]string{
		"<!DOCTYPE html><html>": "text/html", "<?xml version='1.0'?>\n<svg xmlns=": "image/svg+xml", "<svg>": "image/svg+xml",
		"\x00\x00\x00\x1cftypheic": "image/heic", "\x00\x00\x00\x1cftypavif": "image/avif", "\x00\x00\x00\x1cftypisom": "video/mp4",
		"II*\x00": "image/tiff", "MM\x00*": "image/tiff", "%PDF-1.7": "application/pdf", "\x1a\x45\xdf\xa3": "video/x-matroska",
		"": "", "hello": "", "\x7fELF": "", "BM": "image/bmp",
	} {
		if got := sniff.Type([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
		var other *picture.OtherError
		if _, err := picture.Inspect(strings.NewReader(head)); want != "image/bmp" && (!errors.As(err, &other) || other.Kind != want) {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// same fails the test unless both pictures have the same pixels.
func same(t *testing.T, name string, a, b []byte) {
	t.Helper()
	one, _, err := image.Decode(bytes.NewReader(a))
	if err != nil {
		return
	}
	two, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		t.Errorf("%s: cannot be shown any more: %v", name, err)
		return
	}
	if one.Bounds() != two.Bounds() {
		t.Errorf("%s: %v is now %v", name, one.Bounds(), two.Bounds())
		return
	}
	for y := one.Bounds().Min.Y; y < one.Bounds().Max.Y; y++ {
		for x := one.Bounds().Min.X; x < one.Bounds().Max.X; x++ {
			if one.At(x, y) != two.At(x, y) {
				t.Errorf("%s: another colour at %d, %d", name, x, y)
				return
			}
		}
	}
}

// FuzzClean checks for arbitrary bytes that the result of Clean is the same picture, and
// that cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for kind, b := range taken(f) {
		f.Add(b)
		f.Add(plain(f, kind))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		clean, info, err := picture.Clean(bytes.NewReader(b))
		if err != nil {
			return
		}
		if len(clean) > len(b)+64 {
			t.Errorf("%d bytes became %d", len(b), len(clean))
		}
		again, after, err := picture.Clean(bytes.NewReader(clean))
		if err != nil || after != info {
			t.Fatalf("%+v became %+v, %v", info, after, err)
		}
		if !bytes.Equal(again, clean) {
			t.Error("cleaned twice it is another")
		}
		if info.Width*info.Height < 1<<16 {
			same(t, info.Type, b, clean)
		}
	})
}
