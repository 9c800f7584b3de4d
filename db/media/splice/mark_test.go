package splice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"dailies/db/media/splice"
)

// tagsOf returns the metadata of a whole file, as ffprobe reports it. Its keys are in lower
// case, because ffmpeg writes them in capitals into WebM.
func tagsOf(t testing.TB, path string) map[string]string {
	t.Helper()
	var p struct {
		Format struct {
			Tags map[string]string `json:"tags"`
		} `json:"format"`
	}
	if err := json.Unmarshal([]byte(ask(t, "ffprobe", path, "-show_format", "-of", "json", path)), &p); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for key, value := range p.Format.Tags {
		if key = strings.ToLower(key); !slices.Contains([]string{"major_brand", "minor_version", "compatible_brands"}, key) {
			tags[key] = value
		}
	}
	return tags
}

// aigc returns a label as services write it.
func aigc(n int) string {
	return fmt.Sprintf(`{"Label":"1","ContentProducer":"001191440300708461136T1XGW3","ProduceID":"scene-%d","ReservedCode1":"","ContentPropagator":"","PropagateID":"","ReservedCode2":""}`, n)
}

// marked creates a scene with the metadata, with further arguments for ffmpeg.
func marked(t testing.TB, n int, ext string, metadata []string, more ...string) string {
	t.Helper()
	video := []string{"-c:v", "libx264", "-g", "12"}
	if ext == "webm" {
		video = []string{"-c:v", "libvpx", "-g", "12"}
	}
	for _, m := range metadata {
		video = append(video, "-metadata", m)
	}
	return encode(t, n, 24, 0.5, append(video, more...), nil, ext)
}

// joined joins whole files, and checks that the film shows their frames.
func joined(t testing.TB, paths ...string) string {
	t.Helper()
	var cuts []splice.Cut
	var pictures []string
	for _, path := range paths {
		c := read(t, path)
		cuts, pictures = append(cuts, splice.Cut{Clip: c, To: c.Frames()}), append(pictures, hashes(t, path)...)
	}
	film, err := splice.Join(cuts)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, film)
	if !slices.Equal(hashes(t, path), pictures) || read(t, path).Frames() != len(pictures) {
		t.Error("the film shows other frames than its scenes")
	}
	return path
}

func TestAFilmKeepsTheMarksOfItsScenes(t *testing.T) {
	keys := []string{"-movflags", "+use_metadata_tags"}
	tests := map[string]struct {
		ext  string
		more []string // arguments for the first scene
		rest []string // and for the others
	}{
		"MP4 with keys":               {"mp4", keys, keys},
		"MP4 with keys, moov at once": {"mp4", []string{"-movflags", "+use_metadata_tags+faststart"}, keys},
		"WebM":                        {"webm", nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			title := "title=Tea in the rain"
			first := marked(t, 0, test.ext, []string{title, "AIGC=" + aigc(1), "comment=one"}, test.more...)
			same := marked(t, 1, test.ext, []string{"AIGC=" + aigc(1), "comment=two"}, test.rest...)
			other := marked(t, 2, test.ext, []string{"AIGC=" + aigc(2), "artist=Ana"}, test.rest...)
			film := joined(t, first, same, other, first)
			want := map[string]string{"title": "Tea in the rain", "comment": "one", "artist": "Ana", "aigc": aigc(1), "aigc.2": aigc(2)}
			got := tagsOf(t, film)
			t.Logf("scenes: %q, %q, %q; film: %q", tagsOf(t, first), tagsOf(t, same), tagsOf(t, other), got)
			if got["encoder"] == "" {
				t.Error("the encoder is lost")
			}
			if delete(got, "encoder"); !maps.Equal(got, want) {
				t.Errorf("the film has %q, not %q", got, want)
			}
			if m := read(t, film).Marks(); !m.Label {
				t.Errorf("read again, it has %+v", m)
			}
			// A film may be a scene of another film.
			again := tagsOf(t, joined(t, film, marked(t, 3, test.ext, []string{"AIGC=" + aigc(3)}, test.rest...)))
			if want["aigc.3"] = aigc(3); again["aigc.3"] != aigc(3) || again["aigc"] != aigc(1) || again["aigc.2"] != aigc(2) {
				t.Errorf("a film of a film has %q", again)
			}
		})
	}
}

// Scenes as iTunes marks them stay so. With a scene that has keys, all get keys.
func TestAFilmKeepsTheMarksOfITunes(t *testing.T) {
	one := marked(t, 0, "mp4", []string{"title=Tea", "artist=Ana"})
	two := marked(t, 1, "mp4", []string{"title=Rain", "comment=wet"})
	film := joined(t, one, two)
	got := tagsOf(t, film)
	if got["title"] != "Tea" || got["artist"] != "Ana" || got["comment"] != "wet" || got["encoder"] == "" {
		t.Errorf("the film has %q", got)
	}
	b, err := os.ReadFile(film)
	if err != nil || !bytes.Contains(b, []byte("mdirappl")) || !bytes.Contains(b, []byte("\xa9ART")) {
		t.Errorf("its entries are not as iTunes has them: %v", err)
	}
	keyed := marked(t, 2, "mp4", []string{"title=Sun", "AIGC=" + aigc(4)}, "-movflags", "+use_metadata_tags")
	for _, path := range []string{joined(t, one, keyed), joined(t, keyed, one)} {
		if got := tagsOf(t, path); got["artist"] != "Ana" || got["aigc"] != aigc(4) || got["title"] == "" {
			t.Errorf("with keys, the film has %q", got)
		}
	}
}

func TestScenesWithoutMarksMakeAFilmWithout(t *testing.T) {
	for _, ext := range []string{"mp4", "webm"} {
		path := marked(t, 0, ext, nil, "-fflags", "+bitexact", "-flags:v", "+bitexact")
		if tags := tagsOf(t, joined(t, path, path)); len(tags) > 0 && ext == "mp4" || tags["aigc"] != "" {
			t.Errorf("a film has %q", tags)
		}
		if m := read(t, path).Marks(); m != (splice.Marks{}) {
			t.Errorf("the scene has %+v", m)
		}
	}
}

// Parts of files with metadata.
const (
	fileType    = "\x00\x00\x00\x10ftypisom\x00\x00\x02\x00"
	credentials = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"
	xmp         = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"
	tagsID      = "\x12\x54\xc3\x67"
	attachments = "\x19\x41\xa4\x69"
)

// keyed returns a meta box with one entry under each key.
func keyed(keys ...string) string {
	var list, items string
	for i, key := range keys {
		list += atom("mdta", key)
		items += atom(u32(uint32(i+1)), atom("data", u32(1, 0), "value of "+key))
	}
	return atom("meta", u32(0), atom("hdlr", u32(0, 0), "mdta", u32(0, 0, 0), "\x00"), atom("keys", u32(0, uint32(len(keys))), list), atom("ilst", items))
}

// named returns an entry as iTunes has it, with a name of its own.
func named(name string) string {
	return atom("----", atom("mean", u32(0), "com.apple.iTunes"), atom("name", u32(0), name), atom("data", u32(1, 0), "{}"))
}

func iTunes(items ...string) string {
	return atom("meta", u32(0), atom("hdlr", u32(0, 0), "mdirappl", strings.Repeat("\x00", 9)), atom("ilst", items...))
}

// tag returns a tag of the whole file, with a value under each name.
func tag(names ...string) string {
	parts := []string{"\x63\xc0\x80"}
	for _, name := range names {
		parts = append(parts, element("\x67\xc8", element("\x45\xa3", name), element("\x44\x87", "value of "+name)))
	}
	return element("\x73\x73", parts...)
}

func markedWebM(parts ...string) string { return webmHead + element(segment, parts...) }

// markedSeeds returns files without pictures, with all kinds of metadata.
func markedSeeds() map[string]string {
	attached := func(parts ...string) string {
		return markedWebM(element(attachments, element("\x61\xa7", parts...)))
	}
	return map[string]string{
		"keys":             fileType + atom("moov", atom("udta", keyed("title", "AIGC"))),
		"keys in moov":     fileType + atom("moov", keyed("AIGC")),
		"as QuickTime":     fileType + atom("moov", atom("meta", keyed("AIGC")[12:])),
		"iTunes":           fileType + atom("moov", atom("udta", iTunes(named("AIGC")))),
		"credentials":      fileType + atom("uuid", credentials, "manifest"),
		"XMP":              fileType + atom("uuid", xmp, `<x:xmpmeta xmlns:TC260="http://www.tc260.org.cn/ns/AIGC/1.0/">`),
		"XMP in udta":      fileType + atom("moov", atom("udta", atom("XMP_", "Iptc4xmpExt:DigitalSourceType=.../trainedAlgorithmicMedia"))),
		"further label":    fileType + atom("moov", atom("udta", keyed("AIGC.2"))),
		"broken udta":      fileType + atom("moov", atom("udta", "\xff\xff\xff\xff????")) + atom("uuid", credentials),
		"tags":             markedWebM(element(tagsID, tag("TITLE", "AIGC"))),
		"tag of a track":   markedWebM(element(tagsID, element("\x73\x73", element("\x63\xc0", "\x63\xc5\x81\x05"), tag("AIGC")[2+8+3:]))),
		"broken tags":      markedWebM(element(tagsID, "\x73\x73\x10\xff"), element(tagsID, tag("AIGC"))),
		"attached":         attached(element("\x46\x60", "application/c2pa"), element("\x46\x5c", "manifest")),
		"attached as data": attached(element("\x46\x60", "application/octet-stream"), element("\x46\x5c", "\x00\x00\x01\x00jumb....")),
		"other":            fileType + atom("moov", atom("udta", keyed("title", "AIGCX", "AIGC.x"))) + atom("uuid", strings.Repeat("x", 16)),
		"other tags":       markedWebM(element(tagsID, tag("TITLE")), element(attachments, element("\x61\xa7", element("\x46\x60", "font/ttf")))),
		"many entries":     fileType + atom("moov", atom("udta", keyed(append(slices.Repeat([]string{"x"}, 10_000), "AIGC")...))),
		"many iTunes":      fileType + atom("moov", atom("udta", iTunes(append(slices.Repeat([]string{named("x")}, 20_000), named("AIGC"))...))),
		"many tags":        markedWebM(element(tagsID, tag(append(slices.Repeat([]string{"x"}, 20_000), "AIGC")...))),
		"huge text":        markedWebM(element(tagsID, tag("x"+strings.Repeat("y", 3<<20)), tag("AIGC"))),
		"huge entry":       fileType + atom("moov", atom("udta", iTunes(named(strings.Repeat("y", 3<<20)), named("AIGC")))),
		"huge label":       markedWebM(element(tagsID, tag("AIGC"+strings.Repeat("\x00", 3<<20)))),
	}
}

func TestMarksAreFoundWhereverTheyAre(t *testing.T) {
	for name, file := range markedSeeds() {
		want := splice.Marks{Label: true}
		switch name {
		case "credentials", "broken udta", "attached", "attached as data":
			want = splice.Marks{Credentials: true}
		case "other", "other tags", "huge label":
			want = splice.Marks{}
		}
		if got, err := splice.ReadMarks(strings.NewReader(file), int64(len(file))); got != want || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// errDisk is an error of a disk, not of what is in a file.
var errDisk = errors.New("the disk is broken")

type brokenDisk struct{}

func (brokenDisk) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

func TestReadMarksTellsAFileThatCannotBeRead(t *testing.T) {
	if _, err := splice.ReadMarks(brokenDisk{}, 1000); !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

func TestAFilmHasNoCredentials(t *testing.T) {
	b, err := os.ReadFile("testdata/plain.mp4")
	if err != nil {
		t.Fatal(err)
	}
	signed := string(b) + atom("uuid", credentials, "manifest") + atom("uuid", xmp, "trainedAlgorithmicMedia")
	c, err := splice.Read(strings.NewReader(signed), int64(len(signed)))
	if err != nil || c.Marks() != (splice.Marks{Label: true, Credentials: true}) {
		t.Fatalf("%+v, %v", c.Marks(), err)
	}
	film, err := splice.Join([]splice.Cut{{Clip: c, To: c.Frames()}})
	if err != nil {
		t.Fatal(err)
	}
	var joined bytes.Buffer
	if _, err := film.WriteTo(&joined); err != nil {
		t.Fatal(err)
	}
	m, err := splice.ReadMarks(bytes.NewReader(joined.Bytes()), int64(joined.Len()))
	if m != (splice.Marks{Label: true}) || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
}
