package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// ErrCut says that a file is not whole: it ends before its own structure does,
// or lacks a part that every film has.
var ErrCut = errors.New("the file is not whole")

// Length returns the check that a file has as many bytes as were announced; with a
// negative number nothing was.
func Length(announced int64) Check {
	return func(_ io.ReaderAt, size int64) error {
		if announced >= 0 && size != announced {
			return fmt.Errorf("%w: %d of %d bytes", ErrCut, size, announced)
		}
		return nil
	}
}

// Intact returns the check that a film of the MIME type, as Sniff names it, can be
// played: that the lengths in its structure fit the file, and that it has both
// a table of contents and pictures. Pictures themselves are not decoded. Any
// other type passes.
func Intact(kind string) Check {
	return func(file io.ReaderAt, size int64) error {
		switch kind {
		case "video/webm":
			return intactEBML(file, size)
		case "video/mp4", "video/quicktime":
			return intactAtoms(file, size)
		}
		return nil
	}
}

// most bounds how many parts of one file are looked at. A film of an hour has
// some thousands.
const most = 1 << 20

// intactAtoms walks the atoms of ISO/IEC 14496-12, section 4.2, at the top of
// the file: a size, a name, and where the size is 1, a longer size.
func intactAtoms(file io.ReaderAt, size int64) error {
	var contents, pictures bool
	at := int64(0)
	for range most {
		if size-at < 8 {
			break // some writers leave a few zeros behind
		}
		length, name, err := atom(file, at, size)
		if contents && pictures && (err != nil || strings.Trim(name, letters) != "") {
			break // something that is no atom follows the film
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

// letters lists the characters in names of atoms.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "

func atom(file io.ReaderAt, at, size int64) (length int64, name string, err error) {
	var head [16]byte
	n, err := file.ReadAt(head[:], at)
	if n < 8 {
		return 0, "", err
	}
	name = string(head[4:8])
	switch short := binary.BigEndian.Uint32(head[:]); {
	case short == 0: // to the end of the file
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

// Elements of RFC 8794 and RFC 9559.
const (
	ebmlHead    = 0x1A45DFA3
	ebmlSegment = 0x18538067
	ebmlTracks  = 0x1654AE6B
	ebmlCluster = 0x1F43B675
)

// intactEBML walks the elements at the top of the file and in its segment. An
// element may have no known length, as in a film that was sent while it was
// being made; what lies behind one is taken as it is.
func intactEBML(file io.ReaderAt, size int64) error {
	var tracks, pictures bool
	at := int64(0)
	for range most {
		if at >= size {
			break
		}
		e, err := readElement(file, at)
		if tracks && pictures && err != nil {
			break // something that is no element follows the film
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
			continue // into it
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

// An element is the head of one: its name, and the lengths of the head itself
// and of what follows.
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
	// All bits set mean that the length is not known.
	known := length != 1<<(7*lengthBytes)-1
	return element{id, int64(idBytes + lengthBytes), int64(min(length, 1<<62)), known}, nil
}

// number returns a variable-length number of at most so many bytes: the place of
// the first set bit says how many follow. The bit itself belongs to a name and
// not to a length. No bytes are read where there is no such number.
func number(raw []byte, most int, cut bool) (value uint64, bytes int) {
	if len(raw) == 0 {
		return 0, 0
	}
	bytes = bits.LeadingZeros8(raw[0]) + 1
	if bytes > most || bytes > len(raw) {
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
