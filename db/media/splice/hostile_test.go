package splice_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dailies/db/media/splice"
	"dailies/web/scopetest"
)

// Limits for reading one file.
const (
	maxReads  = 3 << 20
	maxMemory = 400 << 20 // bytes allocated in all, most of them only briefly
)

var errTooOften = errors.New("it is read too often")

// hostile is a file that consists of head and then repeats fill, without taking up
// memory. It counts the reads.
type hostile struct {
	head, fill []byte
	size       int64
	reads      int
}

// ReadAt implements io.ReaderAt.
func (h *hostile) ReadAt(p []byte, off int64) (int, error) {
	if h.reads++; h.reads > maxReads {
		return 0, errTooOften
	}
	want := int(max(0, min(int64(len(p)), h.size-off)))
	n := 0
	for n < want {
		at := off + int64(n)
		if at < int64(len(h.head)) {
			n += copy(p[n:want], h.head[at:])
		} else {
			n += copy(p[n:want], h.fill[(at-int64(len(h.head)))%int64(len(h.fill)):])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// element returns a WebM element with its size in eight bytes.
func element(id string, parts ...string) string {
	body := strings.Join(parts, "")
	return id + string(binary.BigEndian.AppendUint64(nil, 1<<56|uint64(len(body)))) + body
}

// atom returns an MP4 box.
func atom(kind string, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}

// u32 encodes the numbers in four bytes each.
func u32(numbers ...uint32) string {
	var b []byte
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(b)
}

// IDs and headers of WebM elements. Those named open… have an unknown size.
const (
	webmHead    = "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm"
	segment     = "\x18\x53\x80\x67"
	cluster     = "\x1f\x43\xb6\x75"
	open        = "\x01\xff\xff\xff\xff\xff\xff\xff"
	openSegment = segment + open
	openCluster = cluster + open
	emptyVoid   = "\xec\x80"
)

// sized returns the ID and size of an element with size bytes of content.
func sized(id string, size int64) string {
	return id + string(binary.BigEndian.AppendUint64(nil, 1<<56|uint64(size)))
}

// tracks is a Tracks element with one VP9 track.
var tracks = element("\x16\x54\xae\x6b", element("\xae", "\xd7\x81\x01", "\x83\x81\x01", element("\x86", "V_VP9"), element("\xe0", "\xb0\x81\x40", "\xba\x81\x40")))

// video returns an MP4 file with one track and the boxes of its sample table.
func video(scale uint32, table ...string) string {
	entry := atom("vp09", strings.Repeat("\x00", 24), "\x00\x40\x00\x40", strings.Repeat("\x00", 50))
	table = append([]string{atom("stsd", u32(0, 1), entry)}, table...)
	return atom("ftyp", "isomisom") + atom("moov", atom("mvhd", u32(0, 0, 0, 1000)), atom("trak",
		atom("tkhd", u32(0, 0, 0, 1), strings.Repeat("\x00", 68)),
		atom("mdia", atom("mdhd", u32(0, 0, 0, scale)), atom("hdlr", u32(0, 0), "vide"), atom("minf", atom("stbl", table...)))))
}

func TestReadingHostileFilesIsBounded(t *testing.T) {
	scopetest.Whole(t)
	const most = 2 << 30 // bytes, the size limit for stored videos
	for name, c := range map[string]struct{ head, fill string }{
		"empty elements":                {webmHead + openSegment, emptyVoid},
		"a cluster outside of segments": {webmHead + openCluster, emptyVoid},
		"clusters in a cluster":         {webmHead + openSegment + sized(cluster, 1<<30), openCluster + strings.Repeat(emptyVoid, 1000)},
		"tracks without end":            {webmHead + openSegment, element("\x16\x54\xae\x6b", strings.Repeat(emptyVoid, 1<<19-10))},
		"information without end":       {webmHead + openSegment, element("\x15\x49\xa9\x66", strings.Repeat(emptyVoid, 1<<19-10))},
		"entries without end":           {webmHead + openSegment, element("\x16\x54\xae\x6b", strings.Repeat(element("\xae", strings.Repeat(emptyVoid, 1<<10)), 400))},
		"empty boxes":                   {atom("ftyp", "isomisom"), atom("free")},
		"an index of empty boxes":       {atom("ftyp", "isomisom") + u32(64<<20) + "moov", atom("free")},
		"a track of empty boxes":        {atom("ftyp", "isomisom") + u32(64<<20) + "moov" + u32(64<<20-8) + "trak", atom("free")},
		"fragments of empty boxes":      {atom("ftyp", "isomisom"), atom("moof", strings.Repeat(atom("traf", atom("free")), 1<<16))},
		"large fragments":               {atom("ftyp", "isomisom"), u32(32<<20) + "moof" + strings.Repeat("\x00", 32<<20-8)},
	} {
		file := &hostile{[]byte(c.head), []byte(c.fill), most, 0}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		clip, err := splice.Read(file, most)
		runtime.ReadMemStats(&after)
		if clip != nil || errors.Is(err, errTooOften) || after.TotalAlloc-before.TotalAlloc > maxMemory {
			t.Errorf("%s: %d reads, %d MB: %v", name, file.reads, (after.TotalAlloc-before.TotalAlloc)>>20, err)
		}
		file.reads = 0
		runtime.ReadMemStats(&before)
		index, err := splice.Inspect(file, most)
		runtime.ReadMemStats(&after)
		if err == nil || index != nil && index.Frames() > 0 || errors.Is(err, errTooOften) || after.TotalAlloc-before.TotalAlloc > maxMemory {
			t.Errorf("%s: inspected with %d reads, %d MB: %v", name, file.reads, (after.TotalAlloc-before.TotalAlloc)>>20, err)
		}
	}
}

func TestHostileTimesDoNotOverflow(t *testing.T) {
	// Eight videos of 2^60 nanoseconds end at 2^63, which overflows an int64.
	endless := webmHead + element(segment, element("\x15\x49\xa9\x66", "\x2a\xd7\xb1\x81\x01"), tracks,
		element(cluster, "\xe7\x81\x00", "\xa3\x85\x81\x00\x00\x80\x00"),
		element(cluster, "\xe7\x88\x0f\xff\xff\xff\xff\xff\xff\xff", "\xa0\x8b\xa1\x85\x81\x00\x00\x80\x00\x9b\x82\x00\x01"))
	// A video of 2^31 seconds, and one of a ten-thousandth of a second.
	sizes := atom("stsz", u32(0, 1, 1)) + atom("stsc", u32(0, 1, 1, 1, 1)) + atom("stco", u32(0, 1, 0))
	long := video(1, sizes, atom("stts", u32(0, 1, 1, 1<<31)))
	short := video(10_000, sizes, atom("stts", u32(0, 1, 1, 1)))
	for name, files := range map[string][]string{
		"WebM": {endless, endless, endless, endless, endless, endless, endless, endless, endless},
		"MP4":  {long, short, long, short},
	} {
		var cuts []splice.Cut
		for _, b := range files {
			clip, err := splice.Read(strings.NewReader(b), int64(len(b)))
			if err != nil {
				continue
			}
			cuts = append(cuts, splice.Cut{Clip: clip, To: clip.Frames()})
		}
		film, err := splice.Join(cuts)
		if err == nil && (film.Length < 0 || film.Size < 0 || film.Size > 1<<20) {
			t.Errorf("%s: %v, %d bytes", name, film.Length, film.Size)
		}
	}
}

func TestPacketsDoNotShareBytes(t *testing.T) {
	const many = 1 << 17
	bomb := video(24, atom("stsz", u32(0, 1<<20, many)), atom("stts", u32(0, 1, many, 1)),
		atom("stsc", u32(0, 1, 1, 1, 1)), atom("stco", u32(0, many), strings.Repeat(u32(8), many))) + atom("mdat", strings.Repeat("x", 1<<20))
	clip, err := splice.Read(bytes.NewReader([]byte(bomb)), int64(len(bomb)))
	if err != nil {
		return
	}
	film, err := splice.Join([]splice.Cut{{Clip: clip, To: clip.Frames()}})
	if err == nil && film.Size > 2*int64(len(bomb)) {
		t.Errorf("%d bytes become %d", len(bomb), film.Size)
	}
}

// FuzzRead reads arbitrary bytes, and joins cuts of every clip that can be read. The
// film must have the announced size and the frames of the cuts.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"plain.mp4", "fragments.mp4"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(1), uint16(7))
	}
	short, err := splice.Join([]splice.Cut{{Clip: inMemory(f, rendered(f, "a", time.Second, 16)), From: 5, To: 8}})
	if err != nil {
		f.Fatal(err)
	}
	var small bytes.Buffer
	if _, err := short.WriteTo(&small); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes(), uint16(0), uint16(24))
	f.Fuzz(func(t *testing.T, b []byte, from, to uint16) {
		c, err := splice.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		cut := splice.Cut{Clip: c, From: c.Key(int(from) % c.Frames())}
		cut.To = cut.From + 1 + int(to)%(c.Frames()-cut.From)
		film, err := splice.Join([]splice.Cut{cut, cut})
		if err != nil {
			return // such as a film that is too long
		}
		n, err := film.WriteTo(io.Discard)
		if err != nil || n != film.Size || film.Frames != 2*(cut.To-cut.From) {
			t.Errorf("%d of %d bytes, %d frames of %d: %v", n, film.Size, film.Frames, 2*(cut.To-cut.From), err)
		}
	})
}

// FuzzReadMarks reads the metadata of arbitrary bytes. Whatever they are, only the file
// itself can be a reason for an error.
func FuzzReadMarks(f *testing.F) {
	for _, b := range markedSeeds() {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := splice.ReadMarks(bytes.NewReader(b), int64(len(b))); err != nil {
			t.Error(err)
		}
	})
}

// FuzzLabel adds a label to arbitrary bytes. If that is possible, the result is as long as
// announced, is a video with the same frames, and has a label, so that it gets no other.
func FuzzLabel(f *testing.F) {
	for _, name := range []string{"plain.mp4", "fragments.mp4"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(rendered(f, "a", time.Second, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := splice.Label(bytes.NewReader(b), int64(len(b)), "{}")
		if err != nil {
			if !errors.Is(err, splice.ErrNoLabel) {
				t.Error(err)
			}
			return
		}
		var out bytes.Buffer
		if n, err := l.WriteTo(&out); err != nil || n != l.Size {
			t.Fatalf("%d bytes of %d: %v", n, l.Size, err)
		}
		before, err := splice.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		after, err := splice.Read(bytes.NewReader(out.Bytes()), l.Size)
		if err != nil || after.Frames() != before.Frames() || after.Length() != before.Length() {
			t.Fatalf("afterwards: %v", err)
		}
		if _, err := splice.Label(bytes.NewReader(out.Bytes()), l.Size, "{}"); !errors.Is(err, splice.ErrNoLabel) {
			t.Errorf("it gets a second label: %v", err)
		}
	})
}
