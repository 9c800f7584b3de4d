package splice

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrNoLabel is wrapped by errors of Label about a file that is to stay as it is.
var ErrNoLabel = errors.New("splice: no label is added")

func noLabel(why string) error { return fmt.Errorf("%w: %s", ErrNoLabel, why) }

// A Labelled is a file with a label, which is written on demand. The file that it is made
// of must remain open until then.
type Labelled struct{ layout }

// Label returns the file of size bytes with the text under the key AIGC: in MP4 as the
// entry of moov/udta/meta with a list of keys, in WebM as a tag. Everything else in the file
// stays. That also means that it returns ErrNoLabel if the file has a label already, has
// Content Credentials, which are a signature of all its bytes, or is not understood well
// enough to be sure that each frame is still found.
func Label(file io.ReaderAt, size int64, text string) (*Labelled, error) {
	source := &faultKeeper{file: file}
	before, err := Read(source, size)
	if source.err != nil {
		return nil, fmt.Errorf("splice: %w", source.err)
	}
	if err != nil {
		return nil, noLabel(err.Error())
	}
	switch m := before.Marks(); {
	case m.Label:
		return nil, noLabel("it has one")
	case m.Credentials:
		return nil, noLabel("it has Content Credentials")
	case before.marks.partial:
		return nil, noLabel("its metadata is not understood")
	}
	r := &meter{source, maxReads, maxBytes}
	var changes []change
	if before.Container == MP4 {
		changes, err = labelMP4(r, size, before.marks, text)
	} else {
		changes, err = labelWebM(r, size, text)
	}
	var after *Labelled
	if err == nil {
		after = &Labelled{edited(source, size, changes)}
		err = after.verify(before, text)
	}
	if source.err != nil {
		return nil, fmt.Errorf("splice: %w", source.err)
	}
	if err != nil {
		return nil, noLabel(err.Error())
	}
	return after, nil
}

// verify reads the file with the label, and compares it with what it was: the same frames
// and sounds, from the same bytes, and the same metadata.
func (l *Labelled) verify(before *Clip, text string) error {
	after, err := Read(l, l.Size)
	if err != nil {
		return err
	}
	if d := before.differs(after); d != nil || !l.same(before.video, after.video) || !l.same(before.audio, after.audio) {
		return unsupported("its frames would change")
	}
	left := slices.Clone(before.marks.entries)
	labels := 0
	for _, e := range after.marks.entries {
		if i := slices.IndexFunc(left, func(o entry) bool { return o.key == e.key && bytes.Equal(o.data, e.data) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else if e.key == labelKey && bytes.Contains(e.data, []byte(text)) {
			labels++
		}
	}
	if len(left) > 0 || labels != 1 || after.marks.partial || !bytes.Equal(before.marks.xmp, after.marks.xmp) {
		return unsupported("its metadata would change")
	}
	return nil
}

// same reports whether a track of the labelled file has the packets of the track before,
// from the same bytes.
func (l *Labelled) same(before, after *track) bool {
	if before == nil || after == nil {
		return before == after
	}
	if before.number != after.number || before.scale != after.scale || before.delay != after.delay {
		return false
	}
	return slices.EqualFunc(before.packets, after.packets, func(b, a packet) bool {
		at, ok := l.origin(a.at, int64(a.size))
		a.at = at
		return ok && a == b
	})
}

// A change replaces the bytes between two offsets of a file.
type change struct {
	at, end int64
	by      []byte
}

// edited returns the file of size bytes after the changes, which must not overlap.
func edited(file io.ReaderAt, size int64, changes []change) layout {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var l layout
	pos := int64(0)
	for _, c := range changes {
		l.parts = append(l.parts, part{nil, file, pos, c.at - pos}, part{head: c.by})
		l.Size += c.at - pos + int64(len(c.by))
		pos = c.end
	}
	l.parts = append(l.parts, part{nil, file, pos, size - pos})
	l.Size += size - pos
	return l
}

// ReadAt implements io.ReaderAt.
func (l *layout) ReadAt(p []byte, off int64) (n int, err error) {
	pos := int64(0) // of the part
	for _, q := range l.parts {
		length := int64(len(q.head)) + q.size
		for n < len(p) && off+int64(n) >= pos && off+int64(n) < pos+length {
			inside := off + int64(n) - pos
			if inside < int64(len(q.head)) {
				n += copy(p[n:], q.head[inside:])
				continue
			}
			inside -= int64(len(q.head))
			read, err := q.file.ReadAt(p[n:n+int(min(int64(len(p)-n), q.size-inside))], q.at+inside)
			n += read
			if err != nil && (err != io.EOF || read == 0) {
				return n, err
			}
		}
		pos += length
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// origin returns the offset, in the file that the layout is made of, of size bytes at an
// offset of the layout. It reports whether all are from one piece of that file.
func (l *layout) origin(off, size int64) (at int64, ok bool) {
	pos := int64(0)
	for _, q := range l.parts {
		pos += int64(len(q.head))
		if off >= pos && off+size <= pos+q.size {
			return q.at + off - pos, true
		}
		pos += q.size
	}
	return 0, false
}
