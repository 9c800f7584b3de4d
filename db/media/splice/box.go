package splice

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A box is a unit of an MP4 file: a size, a kind of four letters, and content.
type box struct {
	kind string
	body []byte
	all  []byte // the body with the header before it
}

// boxes returns the boxes in b. It ignores up to seven bytes at the end.
func boxes(b []byte) ([]box, error) {
	var found []box
	for len(b) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(b)), 8
		switch {
		case size == 0:
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			size, head = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < uint64(head) || size > uint64(len(b)) {
			return nil, errBroken
		}
		if len(found) == maxParts {
			return nil, unsupported("too many parts")
		}
		found = append(found, box{string(b[4:8]), b[head:size], b[:size]})
		b = b[size:]
	}
	return found, nil
}

// child returns the content of the first box of the kind, nil if there is none.
func child(b []byte, kind string) []byte {
	found, _ := boxes(b)
	for _, c := range found {
		if c.kind == kind {
			return c.body
		}
	}
	return nil
}

// descend returns the content of the nested box at the path of kinds, nil if there is
// none.
func descend(b []byte, kinds ...string) []byte {
	for _, kind := range kinds {
		b = child(b, kind)
	}
	return b
}

// eachBox calls visit for every top-level box of a file with its kind, its offset, and
// the offsets at which its content begins and ends.
func eachBox(r io.ReaderAt, size int64, visit func(kind string, start, at, end int64) error) error {
	return eachBoxIn(r, 0, size, visit)
}

// eachBoxIn is like eachBox for the boxes between the offsets pos and size.
func eachBoxIn(r io.ReaderAt, pos, size int64, visit func(kind string, start, at, end int64) error) error {
	for pos+8 <= size {
		var b [16]byte
		n, err := r.ReadAt(b[:min(16, size-pos)], pos)
		if n < 8 {
			return fmt.Errorf("splice: %w", err)
		}
		length, head := int64(binary.BigEndian.Uint32(b[:])), int64(8)
		switch length {
		case 0:
			length = size - pos
		case 1:
			length, head = int64(binary.BigEndian.Uint64(b[8:])), 16
		}
		if length < head || length > size-pos {
			return errBroken
		}
		if err := visit(string(b[4:8]), pos, pos+head, pos+length); err != nil {
			return err
		}
		pos += length
	}
	return nil
}

// A cursor reads consecutive big-endian numbers. Beyond the end, it reads zeros and
// sets broken.
type cursor struct {
	b      []byte
	broken bool
}

// uint reads a number of size bytes.
func (c *cursor) uint(size int) uint64 {
	if size > len(c.b) {
		c.b, c.broken = nil, true
		return 0
	}
	n := uint64(0)
	for _, d := range c.b[:size] {
		n = n<<8 | uint64(d)
	}
	c.b = c.b[size:]
	return n
}

func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// versioned reads a number after a version and flags: in eight bytes since version 1.
func (c *cursor) versioned() uint64 {
	if c.u32()>>24 == 1 {
		return c.uint(8)
	}
	return c.uint(4)
}

// skip skips size bytes.
func (c *cursor) skip(size int) {
	if size > len(c.b) {
		c.b, c.broken = nil, true
		return
	}
	c.b = c.b[size:]
}

// table reads the header of a table: version and flags, and the number of rows. A row
// has at least row bytes.
func (c *cursor) table(row int) (version byte, rows int) {
	version = byte(c.u32() >> 24)
	n := int(c.u32())
	if n > len(c.b)/row {
		c.broken = true
		return version, 0
	}
	return version, n
}

// pack returns a box whose content is the parts.
func pack(kind string, parts ...[]byte) []byte {
	size := 8
	for _, p := range parts {
		size += len(p)
	}
	b := make([]byte, 0, size)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	b = append(b, kind...)
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// words encodes the numbers in four bytes each.
func words(numbers ...uint32) []byte {
	b := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
