package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db/media"
)

func atom(name, content string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))) + name + content
}

func longAtom(name, content string) string {
	head := append([]byte{0, 0, 0, 1}, name...)
	return string(binary.BigEndian.AppendUint64(head, uint64(16+len(content)))) + content
}

// element returns an EBML element. Its length field is one byte, which says "unknown"
// unless known is set.
func element(id, content string, known bool) string {
	if !known {
		return id + "\xff" + content
	}
	return id + string([]byte{0x80 | byte(len(content))}) + content
}

var (
	mp4     = atom("ftyp", "isom....") + atom("moov", "index") + atom("mdat", strings.Repeat("p", 50))
	header  = element("\x1a\x45\xdf\xa3", "\x42\x82\x84webm", true)
	tracks  = element("\x16\x54\xae\x6b", "VP8", true)
	cluster = element("\x1f\x43\xb6\x75", strings.Repeat("p", 50), true)
	segment = "\x18\x53\x80\x67"
)

func TestIntactAcceptsOnlyCompleteVideos(t *testing.T) {
	for name, tt := range map[string]struct {
		kind, content string
		whole         bool
	}{
		"mp4":                          {"video/mp4", mp4, true},
		"mp4, its index last":          {"video/mp4", atom("ftyp", "isom") + atom("mdat", "pp") + atom("moov", "i"), true},
		"mp4 in fragments":             {"video/mp4", atom("ftyp", "isom") + atom("moov", "i") + atom("moof", "f") + atom("mdat", "p"), true},
		"mp4 with a long atom":         {"video/mp4", atom("ftyp", "isom") + atom("moov", "i") + longAtom("mdat", "pictures"), true},
		"mp4 to the end":               {"video/mp4", atom("ftyp", "isom") + atom("moov", "i") + "\x00\x00\x00\x00mdatpictures", true},
		"mp4 and zeros":                {"video/mp4", mp4 + "\x00\x00\x00", true},
		"mp4 and something else":       {"video/mp4", mp4 + "\x7f\x00\x00\x00\x01\x02\x03\x04 more", true},
		"quicktime":                    {"video/quicktime", atom("wide", "") + atom("mdat", "p") + atom("moov", "i"), true},
		"mp4, cut in its pictures":     {"video/mp4", mp4[:len(mp4)-1], false},
		"mp4, cut before its index":    {"video/mp4", atom("ftyp", "isom") + atom("mdat", "pp"), false},
		"mp4 without pictures":         {"video/mp4", atom("ftyp", "isom") + atom("moov", "i"), false},
		"mp4, an atom too short":       {"video/mp4", atom("ftyp", "isom") + "\x00\x00\x00\x04moov", false},
		"mp4, an atom of no end":       {"video/mp4", atom("ftyp", "isom") + "\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff", false},
		"mp4, nothing":                 {"video/mp4", "", false},
		"webm":                         {"video/webm", header + element(segment, tracks+cluster, true), true},
		"webm of no known length":      {"video/webm", header + element(segment, tracks+element("\x1f\x43\xb6\x75", "pp", false), false), true},
		"webm and something else":      {"video/webm", header + element(segment, tracks+cluster, true) + "\x00\x00\x00", true},
		"webm, cut in its pictures":    {"video/webm", (header + element(segment, tracks+cluster, true))[:79], false},
		"webm, cut, of unknown length": {"video/webm", (header + element(segment, tracks+cluster, false))[:70], false},
		"webm without pictures":        {"video/webm", header + element(segment, tracks, true), false},
		"webm, its header alone":       {"video/webm", header, false},
		"webm, no header":              {"video/webm", element(segment, tracks+cluster, true), false},
		"a picture is not looked at":   {"image/webp", "RIFF", true},
	} {
		t.Run(name, func(t *testing.T) {
			err := media.Intact(tt.kind)(strings.NewReader(tt.content), int64(len(tt.content)))
			if (err == nil) != tt.whole || err != nil && !errors.Is(err, media.ErrCut) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestIncompleteFilesAreNotStored(t *testing.T) {
	p := inFolder(t)
	s := p.open(t)
	for _, check := range []media.Check{media.Length(3), media.Intact("video/webm")} {
		if _, _, err := s.Put(t.Context(), strings.NewReader("four"), 1000, check); !errors.Is(err, media.ErrCut) {
			t.Errorf("got %v", err)
		}
	}
	if left := p.files(t); len(left) != 0 {
		t.Errorf("%q is left", left)
	}
	if _, _, err := s.Put(t.Context(), strings.NewReader("four"), 1000, media.Length(4), media.Length(-1)); err != nil {
		t.Error(err)
	}
}

func FuzzIntact(f *testing.F) {
	f.Add([]byte(mp4))
	f.Add([]byte(header + element(segment, tracks+cluster, true)))
	f.Add([]byte("\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, kind := range []string{"video/mp4", "video/webm"} {
			err := media.Intact(kind)(bytes.NewReader(content), int64(len(content)))
			if err == nil && len(content) < 16 {
				t.Errorf("%q is a film", content)
			}
		}
	})
}

func TestWalkSeesEveryFile(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		want := []string{put(t, s, "one"), put(t, s, "two")}
		writeFile(t, p.received+"/begun-123", "half")
		writeFile(t, p.blobs+"/stray.txt", "what is this")
		writeFile(t, p.blobs+"/"+want[0], "in the wrong place")
		writeFile(t, p.blobs+"-of-others", "not in the prefix")
		var hashes, strays []string
		err := s.Walk(t.Context(), func(b media.Blob) error {
			if b.Hash == "" {
				strays = append(strays, b.Path)
			} else if hashes = append(hashes, b.Hash); b.Size != 3 || time.Since(b.At).Abs() > time.Hour {
				t.Errorf("got %+v", b)
			}
			return nil
		})
		slices.Sort(want)
		slices.Sort(hashes)
		if err != nil || !slices.Equal(hashes, want) || len(strays) != 2 {
			t.Errorf("got %q and %q, %v", hashes, strays, err)
		}
		enough := errors.New("enough")
		if err := s.Walk(t.Context(), func(media.Blob) error { return enough }); !errors.Is(err, enough) {
			t.Error(err)
		}
	})
	if err := media.At(t.TempDir()+"/none").Walk(t.Context(), func(media.Blob) error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	inEach(t, func(t *testing.T, p place) {
		s := p.open(t)
		hash := put(t, s, "the film")
		path := filepath.Join(p.blobs, hash[:2], hash[2:])
		for _, content := range []string{"the fil", "tha film", "the film and more"} {
			writeFile(t, path, content)
			if err := s.Verify(t.Context(), hash, 8); !errors.Is(err, media.ErrDamaged) {
				t.Errorf("%q: got %v", content, err)
			}
		}
	})
}

func TestFreeSpaceIsKnown(t *testing.T) {
	if free, err := inFolder(t).open(t).Free(); err != nil || free == 0 {
		t.Errorf("got %d, %v", free, err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSniffJudgesByTheBytes(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want string
	}{
		"mp4, isom":               {ftyp("isom", "isom", "iso2", "avc1", "mp41"), "video/mp4"},
		"mp4, mp42":               {ftyp("mp42", "mp42"), "video/mp4"},
		"mp4, fragments":          {ftyp("iso5", "iso5", "iso6", "mp41"), "video/mp4"},
		"mp4, of a phone":         {ftyp("M4V ", "M4V ", "mp42"), "video/mp4"},
		"mp4, unknown but fits":   {ftyp("zzzz", "abcd", "mp42"), "video/mp4"},
		"mp4, brand cut off":      {ftyp("zzzz", "abcd", "mp42")[:18], ""},
		"quicktime":               {ftyp("qt  ", "qt  "), "video/quicktime"},
		"old quicktime":           {"\x00\x00\x00\x08wide\x00\x00\x10\x00mdat", "video/quicktime"},
		"avif":                    {ftyp("avif", "mif1", "miaf", "iso8"), ""},
		"heic":                    {ftyp("heic", "mif1", "heic"), ""},
		"sound":                   {ftyp("M4A ", "isom", "mp42"), ""},
		"unknown brand":           {ftyp("zzzz", "yyyy"), ""},
		"brand outside its atom":  {"\x00\x00\x00\x10ftypzzzz\x00\x00\x00\x00mp42", ""},
		"atom of no size":         {"\x00\x00\x00\x00ftypisom\x00\x00\x00\x00", ""},
		"webm":                    {ebml("\x84webm"), "video/webm"},
		"webm, long length":       {ebml("\x01\x00\x00\x00\x00\x00\x00\x04webm"), "video/webm"},
		"matroska":                {ebml("\x88matroska"), "video/x-matroska"},
		"ebml alone":              {"\x1a\x45\xdf\xa3", "video/x-matroska"},
		"ebml, cut in the middle": {ebml(""), "video/x-matroska"},
		"transport stream":        {strings.Repeat("G"+strings.Repeat("\x00", 187), 2), "video/mp2t"},
		"… with times":            {strings.Repeat("\x01\x02\x03\x04G"+strings.Repeat("\x00", 187), 2), "video/mp2t"},
		"a word with G":           {"GIVE", ""},
		"jpeg":                    {encode(t, "jpeg"), "image/jpeg"},
		"png":                     {encode(t, "png"), "image/png"},
		"gif":                     {encode(t, "gif"), "image/gif"},
		"webp":                    {"RIFF\x00\x01\x00\x00WEBPVP8 ", "image/webp"},
		"wave":                    {"RIFF\x00\x01\x00\x00WAVEfmt ", ""},
		"page":                    {"<!DOCTYPE html><html><video>", ""},
		"drawing":                 {"<svg xmlns='http://www.w3.org/2000/svg'><script>", ""},
		"text with the word free": {"Get free films", ""},
		"json":                    {`{"code":-1,"message":"expired"}`, ""},
		"pdf":                     {"%PDF-1.7", ""},
		"program":                 {"\x7fELF\x02\x01\x01", ""},
		"picture of the old":      {"BM\x00\x00\x00\x00", ""},
		"nothing":                 {"", ""},
		"seven bytes":             {"\x00\x00\x00\x20fty", ""},
		"eight bytes":             {"\x00\x00\x00\x20ftyp", ""},
	} {
		if got := media.Sniff([]byte(c.head)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte(ftyp("isom", "mp42")))
	f.Add([]byte(ebml("\x84webm")))
	f.Fuzz(func(t *testing.T, head []byte) {
		switch got := media.Sniff(head); got {
		case "", "video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/mp2t", "image/jpeg", "image/png", "image/webp", "image/gif":
		default:
			t.Errorf("%q", got)
		}
	})
}

func ftyp(major string, compatible ...string) string {
	body := "ftyp" + major + "\x00\x00\x02\x00" + strings.Join(compatible, "")
	return "\x00\x00\x00" + string(rune(4+len(body))) + body
}

// ebml returns the start of an EBML file. docType is the length and the content of
// its element DocType.
func ebml(docType string) string {
	return "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82" + docType
}

func encode(t *testing.T, format string) string {
	t.Helper()
	var b bytes.Buffer
	picture := image.NewRGBA(image.Rect(0, 0, 2, 2))
	encoders := map[string]func() error{
		"jpeg": func() error { return jpeg.Encode(&b, picture, nil) },
		"png":  func() error { return png.Encode(&b, picture) },
		"gif":  func() error { return gif.Encode(&b, picture, nil) },
	}
	if err := encoders[format](); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What cannot be stored is told apart, to say what came.
func TestKindNamesWhatIsNotStored(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{encode(t, "gif"), "image/gif"},
		{"#EXTM3U\n#EXT-X-VERSION:3\n", "application/vnd.apple.mpegurl"},
		{"\xef\xbb\xbf#EXTM3U\n", "application/vnd.apple.mpegurl"},
		{"<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>", "application/dash+xml"},
		{"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "application/xml"},
		{`{"code":-1}`, "application/json"},
		{"<!DOCTYPE html><html>", "text/html"},
		{ftyp("M4A ", "isom", "mp42"), "audio/mp4"},
		{"ID3\x04\x00\x00\x00\x00\x00\x00", "audio/mpeg"},
		{"\xff\xfb\x10\xc4\x00\x00", "audio/mpeg"},
		{"\xff\xf1\x50\x80\x00\x00", "audio/mpeg"},
		{"RIFF\x00\x01\x00\x00WAVEfmt ", "audio/wave"},
		{"RIFF\x00\x01\x00\x00AVI LIST", "video/avi"},
		{"fLaC\x00\x00", "audio/flac"},
		{"OggS\x00\x02", "application/ogg"},
		{"PK\x03\x04\x14\x00", "application/zip"},
		{"%PDF-1.7", "application/pdf"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"},
		{"\xff\xfe<\x00h\x00t\x00m\x00l\x00", ""},
		{"Not yet", ""},
	} {
		if got := media.Kind([]byte(c.head)); got != c.want {
			t.Errorf("%q: %q, want %q", c.head, got, c.want)
		}
	}
}
