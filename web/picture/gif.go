package picture

import (
	"bytes"
	"slices"
)

// Blocks of GIF89a.
const (
	gifImage     = 0x2c
	gifExtension = 0x21
	gifTrailer   = 0x3b
	gifControl   = 0xf9 // label of the graphic control extension, with a frame's duration
	gifProgram   = 0xff // label of an application extension
)

// gifLoops lists the application extensions that contain the number of repetitions.
var gifLoops = []string{"NETSCAPE2.0", "ANIMEXTS1.0"}

// stripGIF copies the blocks without comments, XMP and other applications' data.
func stripGIF(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte("GIF8")) || len(b) < 13 {
		return nil, ErrBroken
	}
	at := 13 + colours(b[10])
	if at > len(b) {
		return nil, ErrBroken
	}
	out, seen := append(make([]byte, 0, len(b)), b[:at]...), false
	for at < len(b) {
		size, keep := gifBlock(b[at:])
		switch {
		case b[at] == gifTrailer && seen: // anything after it is dropped
			return append(out, gifTrailer), nil
		case size == 0:
			return nil, ErrBroken
		case keep:
			out, seen = append(out, gifTrim(b[at:at+size])...), seen || b[at] == gifImage
		}
		at += size
	}
	if !seen {
		return nil, ErrBroken
	}
	return append(out, gifTrailer), nil // the file had none
}

// colours returns the length in bytes of the colour table that the flags announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifBlock returns the size of the block at the beginning of b, 0 if it is invalid, and
// whether to keep it.
func gifBlock(b []byte) (size int, keep bool) {
	switch {
	case b[0] == gifImage && len(b) >= 10:
		return subBlocks(b, 11+colours(b[9])), true
	case b[0] == gifExtension && len(b) >= 3:
		loops := b[1] == gifProgram && len(b) >= 14 && slices.Contains(gifLoops, string(b[3:14]))
		return subBlocks(b, 2), b[1] == gifControl || loops
	}
	return 0, false
}

// gifTrim returns the block. If it is an extension, only its first sub-block is kept,
// because the extensions that are kept have only one.
func gifTrim(b []byte) []byte {
	first := 2 // offset of the sub-block with the content
	if b[0] == gifExtension && b[1] == gifProgram {
		first = 14
	}
	if b[0] != gifExtension || len(b) <= first || b[first] == 0 {
		return b
	}
	return append(bytes.Clone(b[:first+1+int(b[first])]), 0)
}

// subBlocks skips the sub-blocks from the offset to the empty one that ends them; each is
// a length and as many bytes. It returns the offset after them, or 0 if there is no end.
func subBlocks(b []byte, at int) int {
	for at < len(b) {
		length := int(b[at])
		at += 1 + length
		if length == 0 {
			return at
		}
	}
	return 0
}
