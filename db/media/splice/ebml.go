package splice

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// ebmlMagic begins every EBML file.
const ebmlMagic = "\x1a\x45\xdf\xa3"

// IDs of the elements that are read or written.
const (
	idEBML            = 0x1A45DFA3
	idDocType         = 0x4282
	idSegment         = 0x18538067
	idSeekHead        = 0x114D9B74
	idSeek            = 0x4DBB
	idSeekID          = 0x53AB
	idSeekPosition    = 0x53AC
	idInfo            = 0x1549A966
	idTimestampScale  = 0x2AD7B1
	idDuration        = 0x4489
	idTitle           = 0x7BA9
	idMuxingApp       = 0x4D80
	idWritingApp      = 0x5741
	idTracks          = 0x1654AE6B
	idTrackEntry      = 0xAE
	idTrackNumber     = 0xD7
	idTrackType       = 0x83
	idDefaultDuration = 0x23E383
	idCodecID         = 0x86
	idCodecPrivate    = 0x63A2
	idCodecDelay      = 0x56AA
	idEncodings       = 0x6D80
	idVideo           = 0xE0
	idPixelWidth      = 0xB0
	idPixelHeight     = 0xBA
	idAudio           = 0xE1
	idSampling        = 0xB5
	idChannels        = 0x9F
	idCluster         = 0x1F43B675
	idTimestamp       = 0xE7
	idSimpleBlock     = 0xA3
	idBlockGroup      = 0xA0
	idBlock           = 0xA1
	idBlockDuration   = 0x9B
	idReferenceBlock  = 0xFB
	idCues            = 0x1C53BB6B
	idCuePoint        = 0xBB
	idCueTime         = 0xB3
	idCuePositions    = 0xB7
	idCueTrack        = 0xF7
	idCueCluster      = 0xF1
	idChapters        = 0x1043A770
	idTags            = 0x1254C367
	idAttachments     = 0x1941A469
	idCRC             = 0xBF
	idVoid            = 0xEC
	idTag             = 0x7373
	idTargets         = 0x63C0
	idTagTrack        = 0x63C5
	idTagEdition      = 0x63C9
	idTagChapter      = 0x63C4
	idTagAttachment   = 0x63C6
	idSimpleTag       = 0x67C8
	idTagName         = 0x45A3
	idTagString       = 0x4487
	idAttachedFile    = 0x61A7
	idFileType        = 0x4660
	idFileData        = 0x465C
)

// An element is a unit of an EBML file: an ID, a size, and that many bytes of content.
type element struct {
	id    uint32
	start int64 // offset of the ID
	at    int64 // offset of the content
	end   int64 // offset after the content; if the size is unknown, the end of the parent
	open  bool  // the size is unknown
}

// readElement reads the ID and the size of the element at the offset. The element must
// end by limit. At the limit, readElement returns io.EOF.
func readElement(r io.ReaderAt, at, limit int64) (element, error) {
	if at >= limit {
		return element{}, io.EOF
	}
	var b [12]byte
	n, err := r.ReadAt(b[:min(12, limit-at)], at)
	if n == 0 && err != nil {
		return element{}, fmt.Errorf("splice: %w", err)
	}
	e := element{start: at}
	idLength := vintLength(b[0])
	sizeLength := 9
	if idLength <= 4 && idLength < n {
		sizeLength = vintLength(b[idLength])
	}
	if sizeLength > 8 || idLength+sizeLength > n {
		return element{}, errBroken
	}
	for _, c := range b[:idLength] {
		e.id = e.id<<8 | uint32(c)
	}
	size, unknown := vint(b[idLength : idLength+sizeLength])
	e.at = at + int64(idLength+sizeLength)
	switch {
	case unknown:
		e.open, e.end = true, limit
	case size > uint64(limit-e.at):
		return element{}, errBroken
	default:
		e.end = e.at + int64(size)
	}
	return e, nil
}

// vintLength returns the length in bytes of a variable-length number that begins with
// the byte.
func vintLength(first byte) int { return bits.LeadingZeros8(first) + 1 }

// vint decodes a variable-length number without its marker bit, and reports whether all
// of its bits are set, which means "unknown" in a size.
func vint(b []byte) (n uint64, ones bool) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	mask := uint64(1)<<(7*len(b)) - 1
	n &= mask
	return n, n == mask
}

// content reads the content of the element, which may have at most limit bytes.
func (e element) content(r io.ReaderAt, limit int64) ([]byte, error) {
	if e.end-e.at > limit {
		return nil, errBroken
	}
	b := make([]byte, e.end-e.at)
	if _, err := r.ReadAt(b, e.at); err != nil {
		return nil, fmt.Errorf("splice: %w", err)
	}
	return b, nil
}

// A field is an element in memory.
type field struct {
	id   uint32
	body []byte
	all  []byte // the body with ID and size before it
}

// fields returns the elements in b.
func fields(b []byte) ([]field, error) {
	var found []field
	r := at(b)
	for pos := int64(0); pos < int64(len(b)); {
		e, err := readElement(r, pos, int64(len(b)))
		if err != nil {
			return nil, err
		}
		if len(found) == maxParts {
			return nil, unsupported("too many parts")
		}
		found = append(found, field{e.id, b[e.at:e.end], b[pos:e.end]})
		pos = e.end
	}
	return found, nil
}

// at is an io.ReaderAt over bytes in memory.
type at []byte

func (b at) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, b[min(off, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// uint decodes the content as an unsigned number.
func (f field) uint() uint64 {
	n := uint64(0)
	for _, c := range f.body[:min(8, len(f.body))] {
		n = n<<8 | uint64(c)
	}
	return n
}

// float decodes the content as a floating-point number.
func (f field) float() float64 {
	switch len(f.body) {
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(f.body)))
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(f.body))
	}
	return 0
}

// put returns an element whose content is the parts.
func put(id uint32, parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	b := putHead(id, uint64(size))
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// putHead returns the ID and size of an element with size bytes of content.
func putHead(id uint32, size uint64) []byte {
	b := binary.BigEndian.AppendUint32(nil, id)
	b = b[bits.LeadingZeros32(id)/8:]
	length := 1
	for length < 8 && size >= 1<<(7*length)-1 {
		length++
	}
	b = append(b, binary.BigEndian.AppendUint64(nil, size|1<<(7*length))[8-length:]...)
	return b
}

// putUint returns an element whose content is the number in eight bytes.
func putUint(id uint32, n uint64) []byte {
	return put(id, binary.BigEndian.AppendUint64(nil, n))
}
