package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
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
