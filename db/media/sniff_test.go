package media_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"dailies/db/media"
)

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
