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
	gifControl   = 0xf9 // extension: how long a frame is shown
	gifProgram   = 0xff // extension: of a named program
)

// gifLoops are the programs whose extension says how often a GIF is repeated.
var gifLoops = []string{"NETSCAPE2.0", "ANIMEXTS1.0"}

// stripGIF walks the blocks. Comments, XMP and other programs' data go.
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
		case b[at] == gifTrailer && seen: // what is hung on behind it goes
			return append(out, gifTrailer), nil
		case size == 0:
			return nil, ErrBroken
		case keep:
			out, seen = append(out, gifEssence(b[at:at+size])...), seen || b[at] == gifImage
		}
		at += size
	}
	if !seen {
		return nil, ErrBroken
	}
	return append(out, gifTrailer), nil // it was left out
}

// colours returns how long the table of colours is that the flags announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifBlock measures the block that b begins with, 0 if it is none, and says
// whether it stays.
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

// gifEssence returns the block without further pieces that hang on behind the
// only one which an extension has that stays.
func gifEssence(b []byte) []byte {
	first := 2 // where the piece with the content begins
	if b[0] == gifExtension && b[1] == gifProgram {
		first = 14
	}
	if b[0] != gifExtension || len(b) <= first || b[first] == 0 {
		return b
	}
	return append(bytes.Clone(b[:first+1+int(b[first])]), 0)
}

// subBlocks walks the pieces from the offset on, each a length and as many
// bytes, to the empty one. It returns where they end, or 0 if they do not.
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
