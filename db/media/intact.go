package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"dailies/db/media/sniff"
)

// ErrCut means that a file is incomplete: it ends before its own structure does, or
// lacks a part that every video has.
var ErrCut = errors.New("the file is not whole")

// Length returns a check that a file has as many bytes as were announced. A negative
// number means that none were, and any length passes.
func Length(announced int64) Check {
	return func(_ io.ReaderAt, size int64) error {
		if announced >= 0 && size != announced {
			return fmt.Errorf("%w: %d of %d bytes", ErrCut, size, announced)
		}
		return nil
	}
}

// Intact returns a check that a video of the MIME type, as returned by Sniff, is
// complete: the lengths in its structure fit the file, and it has both an index and
// frames. Frames are not decoded. Files of any other type pass.
func Intact(kind string) Check {
	return func(file io.ReaderAt, size int64) error {
		switch kind {
		case "video/webm", "video/x-matroska":
			return intactEBML(file, size)
		case "video/mp4", "video/quicktime":
			return intactAtoms(file, size)
		}
		return nil
	}
}

// maxElements limits how many parts of one file are examined. A video of an hour has a few
// thousand.
const maxElements = 1 << 20

// intactAtoms checks the top-level atoms of ISO/IEC 14496-12, section 4.2. Each has a
// size, a name, and a 64-bit size if the first size is 1.
func intactAtoms(file io.ReaderAt, size int64) error {
	var contents, pictures bool
	at := int64(0)
	for range maxElements {
		if size-at < 8 {
			break // some writers leave a few zeros behind
		}
		length, name, err := atom(file, at, size)
		if contents && pictures && (err != nil || strings.Trim(name, letters) != "") {
			break // trailing data that is no atom
		}
		if err != nil {
			return err
		}
		if length > size-at {
			return fmt.Errorf("%w: %q ends %d bytes behind it", ErrCut, name, length-(size-at))
		}
		contents = contents || name == "moov"
		pictures = pictures || name == "mdat" || name == "moof"
		at += length
	}
	if !contents || !pictures {
		return fmt.Errorf("%w: it has no moov or no mdat", ErrCut)
	}
	return nil
}

// letters lists the characters that occur in names of atoms.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "

func atom(file io.ReaderAt, at, size int64) (length int64, name string, err error) {
	var head [16]byte
	n, err := file.ReadAt(head[:], at)
	if n < 8 {
		return 0, "", err
	}
	name = string(head[4:8])
	switch short := binary.BigEndian.Uint32(head[:]); {
	case short == 0: // the atom extends to the end of the file
		return size - at, name, nil
	case short == 1 && n == len(head):
		length = int64(min(binary.BigEndian.Uint64(head[8:]), 1<<62))
		if length < 16 {
			return 0, "", fmt.Errorf("%w: %q is shorter than its head", ErrCut, name)
		}
		return length, name, nil
	case short < 8:
		return 0, "", fmt.Errorf("%w: %q is shorter than its head", ErrCut, name)
	default:
		return int64(short), name, nil
	}
}

// IDs of elements, from RFC 8794 and RFC 9559.
const (
	ebmlHead    = 0x1A45DFA3
	ebmlSegment = 0x18538067
	ebmlTracks  = 0x1654AE6B
	ebmlCluster = 0x1F43B675
)

// intactEBML checks the elements at the top level and those in the segment. The length
// of an element may be unknown, as in a video that was streamed while it was recorded;
// what follows such an element is not checked.
func intactEBML(file io.ReaderAt, size int64) error {
	var tracks, pictures bool
	at := int64(0)
	for range maxElements {
		if at >= size {
			break
		}
		e, err := readElement(file, at)
		if tracks && pictures && err != nil {
			break // trailing data that is no element
		}
		if err != nil {
			return err
		}
		switch {
		case at == 0 && e.id != ebmlHead:
			return fmt.Errorf("%w: it has no EBML header", ErrCut)
		case e.known && e.length > size-at-e.head:
			return fmt.Errorf("%w: element %X ends %d bytes behind it", ErrCut, e.id, e.length-(size-at-e.head))
		}
		tracks = tracks || e.id == ebmlTracks
		pictures = pictures || e.id == ebmlCluster
		at += e.head
		if e.id == ebmlSegment {
			continue // with the elements inside
		}
		if !e.known {
			break
		}
		at += e.length
	}
	if !tracks || !pictures {
		return fmt.Errorf("%w: it has no tracks or no pictures", ErrCut)
	}
	return nil
}

// An element holds the header of an EBML element: its ID, and the lengths of the
// header itself and of the content, if that is known.
type element struct {
	id           uint64
	head, length int64
	known        bool
}

func readElement(file io.ReaderAt, at int64) (element, error) {
	var raw [12]byte
	n, err := file.ReadAt(raw[:], at)
	if err != nil && err != io.EOF {
		return element{}, err
	}
	id, idBytes := number(raw[:n], 4, false)
	if idBytes == 0 {
		return element{}, fmt.Errorf("%w: no element begins at byte %d", ErrCut, at)
	}
	length, lengthBytes := number(raw[idBytes:n], 8, true)
	if lengthBytes == 0 {
		return element{}, fmt.Errorf("%w: element %X has no length", ErrCut, id)
	}
	// If all bits are set, the length is unknown.
	known := length != 1<<(7*lengthBytes)-1
	return element{id, int64(idBytes + lengthBytes), int64(min(length, 1<<62)), known}, nil
}

// number decodes a variable-length number of at most maxLength bytes, and returns how
// many bytes it has: one more than the leading zero bits of the first byte. With cut, the
// marker bit that follows these zeros is removed, which applies to lengths but not to
// IDs. If raw does not begin with such a number, bytes is 0.
func number(raw []byte, maxLength int, cut bool) (value uint64, bytes int) {
	if len(raw) == 0 {
		return 0, 0
	}
	bytes = bits.LeadingZeros8(raw[0]) + 1
	if bytes > maxLength || bytes > len(raw) {
		return 0, 0
	}
	for _, b := range raw[:bytes] {
		value = value<<8 | uint64(b)
	}
	if cut {
		value &= 1<<(7*bytes) - 1
	}
	return value, bytes
}

// SniffLength is the maximum number of bytes that Sniff examines.
const SniffLength = sniff.Length

// storedTypes lists the MIME types of the files that the app stores.
var storedTypes = []string{"video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/mp2t",
	"image/jpeg", "image/png", "image/webp", "image/gif"}

// Kind determines a file's MIME type from its first bytes, also one that the app does not
// store. It returns "" if it does not know it.
func Kind(head []byte) string { return sniff.Type(head) }

// Sniff determines a file's MIME type from its first bytes. It returns "" for a type
// that the app does not store.
func Sniff(head []byte) string {
	if found := sniff.Type(head); slices.Contains(storedTypes, found) {
		return found
	}
	return ""
}
