package splice

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// A Film is a file that joins several cuts and is written on demand. The files of its
// clips must remain open until then.
type Film struct {
	layout
	Container Container
	Frames    int           // number of frames shown
	Length    time.Duration // of the video track
}

// A layout is a file that is composed of new bytes and of pieces of other files, which
// must remain open until it is written.
type layout struct {
	Size  int64 // bytes
	parts []part
}

// A part is a piece of a layout: the bytes of head, followed by size bytes that are
// copied from the file at an offset. file is nil if nothing is copied.
type part struct {
	head []byte
	file io.ReaderAt
	at   int64
	size int64
}

// Type returns the film's MIME type.
func (f *Film) Type() string {
	if f.Container == WebM {
		return "video/webm"
	}
	return "video/mp4"
}

// add appends the bytes of head, and then the packet unless it is nil.
func (f *layout) add(head []byte, p *placed) {
	f.Size += int64(len(head))
	if p == nil {
		f.parts = append(f.parts, part{head: head})
		return
	}
	f.Size += int64(p.size)
	if n := len(f.parts); n > 0 && len(head) == 0 {
		if last := &f.parts[n-1]; last.file == p.file && last.at+last.size == p.at {
			last.size += int64(p.size)
			return
		}
	}
	f.parts = append(f.parts, part{head, p.file, p.at, int64(p.size)})
}

// WriteTo writes the file.
func (f *layout) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriterSize(w, 256<<10)
	written := int64(0)
	for _, p := range f.parts {
		n, err := out.Write(p.head)
		written += int64(n)
		if err != nil {
			return written, err
		}
		if p.file == nil {
			continue
		}
		copied, err := io.Copy(out, io.NewSectionReader(p.file, p.at, p.size))
		written += copied
		if err == nil && copied < p.size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return written, fmt.Errorf("splice: %w", err)
		}
	}
	return written, out.Flush()
}
