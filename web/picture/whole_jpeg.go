package picture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/bits"
)

// A jpegReader reads the compressed data of a JPEG (ITU-T T.81) to their end without drawing
// them. Of a progressive one it only remembers which coefficients are not zero, because later
// scans depend on that: 8 bytes for 64 pixels.
type jpegReader struct {
	from        *bufio.Reader
	width       int
	height      int
	progressive bool
	parts       []jpegPart
	tables      [2][4]*huffman // for the first coefficient of a block, and for the others
	restart     int            // MCUs between restart markers; 0 for none
	scans       int
	turned      int
	skipped     int // bytes before the last marker that belong to nothing

	bits   uint64 // the next ones, beginning at the top
	count  int    // how many of them there are
	ended  bool   // the data of the scan are over: a marker follows
	marker byte   // that marker, if it was read already
	eobRun int
}

// A jpegPart is a colour component.
type jpegPart struct {
	id, h, v byte
	scanned  bool
	across   int      // blocks in a row, with those that fill up the last MCU
	nonzero  []uint64 // a bit for each coefficient of a block
}

var errJPEG = errors.New("not a JPEG that can be read to its end")

// Markers and limits of ITU-T T.81 beside those of jpeg.go.
const (
	markSOF0 = 0xc0
	markSOF1 = 0xc1
	markSOF2 = 0xc2
	markDHT  = 0xc4
	markRST0 = 0xd0
	markRST7 = 0xd7
	markDRI  = 0xdd
	markTEM  = 0x01
	mcuMost  = 40 // blocks in an MCU, more than any encoder writes
)

func wholeJPEG(from *bufio.Reader, _ Info) (turned int, err error) {
	j := &jpegReader{from: from, turned: 1}
	if _, err := from.Discard(2); err != nil { // SOI
		return 1, err
	}
	for {
		marker, err := j.next()
		if errors.Is(err, io.EOF) && j.isComplete() && !j.progressive && j.skipped == 0 {
			return j.turned, nil // only the end marker is missing
		}
		if err != nil {
			return 1, err
		}
		switch {
		case marker == markEOI:
			if !j.isComplete() {
				return 1, errJPEG
			}
			return j.turned, nil
		case marker == markTEM, marker >= markRST0 && marker <= markRST7:
			continue
		case marker == markSOI:
			return 1, errJPEG
		}
		segment, err := j.segment()
		if err != nil {
			return 1, err
		}
		if err := j.read(marker, segment); err != nil {
			return 1, err
		}
	}
}

// isComplete reports whether there is a scan of each component.
func (j *jpegReader) isComplete() bool {
	for _, p := range j.parts {
		if !p.scanned {
			return false
		}
	}
	return len(j.parts) > 0
}

// next returns the next marker. Like other decoders, it skips anything before it.
func (j *jpegReader) next() (byte, error) {
	j.skipped = 0
	if m := j.marker; m != 0 {
		j.marker = 0
		return m, nil
	}
	for ; ; j.skipped++ {
		b, err := j.from.ReadByte()
		if err != nil {
			return 0, err
		}
		for b == 0xff {
			if b, err = j.from.ReadByte(); err != nil {
				return 0, err
			}
			if b != 0 && b != 0xff {
				return b, nil
			}
		}
	}
}

// segment returns the content of a segment, without its length.
func (j *jpegReader) segment() ([]byte, error) {
	var length [2]byte
	if _, err := io.ReadFull(j.from, length[:]); err != nil {
		return nil, err
	}
	n := int(length[0])<<8 | int(length[1])
	if n < 2 {
		return nil, errJPEG
	}
	content := make([]byte, n-2)
	_, err := io.ReadFull(j.from, content)
	return content, err
}

func (j *jpegReader) read(marker byte, b []byte) error {
	switch marker {
	case markSOF0, markSOF1, markSOF2:
		j.progressive = marker == markSOF2
		return j.frame(b)
	case markDHT:
		return j.huffmanTables(b)
	case markDRI:
		if len(b) != 2 {
			return errJPEG
		}
		j.restart = int(b[0])<<8 | int(b[1])
	case markSOS:
		return j.scan(b)
	case markAPP0 + 1:
		if bytes.HasPrefix(b, []byte(exifHead)) && j.turned == 1 {
			j.turned = orientation(b[len(exifHead):])
		}
	}
	return nil
}

// frame reads the size and the components.
func (j *jpegReader) frame(b []byte) error {
	if len(j.parts) > 0 || len(b) < 6 || b[0] != 8 || len(b) != 6+3*int(b[5]) {
		return errJPEG
	}
	j.height, j.width = int(b[1])<<8|int(b[2]), int(b[3])<<8|int(b[4])
	if j.height == 0 || j.width == 0 || tooLarge(j.width, j.height) != nil {
		return errJPEG
	}
	for at := 6; at < len(b); at += 3 {
		p := jpegPart{id: b[at], h: b[at+1] >> 4, v: b[at+1] & 15}
		if p.h < 1 || p.h > 4 || p.v < 1 || p.v > 4 || len(j.parts) == 4 {
			return errJPEG
		}
		j.parts = append(j.parts, p)
	}
	if len(j.parts) == 1 { // its factors mean nothing then
		j.parts[0].h, j.parts[0].v = 1, 1
	}
	across, down := j.mcus()
	for i := range j.parts {
		p := &j.parts[i]
		p.across = across * int(p.h)
		if j.progressive {
			p.nonzero = make([]uint64, p.across*down*int(p.v))
		}
	}
	return nil
}

// most returns the greatest sampling factors.
func (j *jpegReader) most() (h, v int) {
	for _, p := range j.parts {
		h, v = max(h, int(p.h)), max(v, int(p.v))
	}
	return h, v
}

// mcus returns how many MCUs of all components there are across and down.
func (j *jpegReader) mcus() (across, down int) {
	h, v := j.most()
	return upwards(j.width, 8*h), upwards(j.height, 8*v)
}

func upwards(n, by int) int { return (n + by - 1) / by }

// A huffman table finds the value of a code.
type huffman struct {
	short  [256]uint16 // by the first 8 bits: the value, and above it the length; 0 for longer codes
	last   [17]int     // the greatest code of the length, -1 for none
	offset [17]int     // of the value of a code of the length
	values []byte
}

func (j *jpegReader) huffmanTables(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 3 {
			return errJPEG
		}
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if n == 0 || n > 256 || len(b) < 17+n {
			return errJPEG
		}
		t := &huffman{values: b[17 : 17+n]}
		code, at := 0, 0
		for length := 1; length <= 16; length++ {
			t.last[length], t.offset[length] = -1, at-code
			for range b[length] {
				if length <= 8 {
					for i := range 1 << (8 - length) {
						if k := code<<(8-length) | i; k < 256 {
							t.short[k] = uint16(length)<<8 | uint16(t.values[at])
						}
					}
				}
				t.last[length] = code
				code, at = code+1, at+1
			}
			code <<= 1
		}
		j.tables[b[0]>>4][b[0]&15] = t
		b = b[17+n:]
	}
	return nil
}

// fill reads bytes until there are at least 32 bits, or the scan is over.
func (j *jpegReader) fill() error {
	for j.count <= 32 && !j.ended {
		b, err := j.from.ReadByte()
		if err != nil {
			return err
		}
		if b == 0xff {
			next, err := j.from.ReadByte()
			for err == nil && next == 0xff {
				next, err = j.from.ReadByte()
			}
			if err != nil {
				return err
			}
			if next != 0 {
				j.ended, j.marker = true, next
				return nil
			}
		}
		j.bits |= uint64(b) << (56 - j.count)
		j.count += 8
	}
	return nil
}

// take returns the next n bits, at most 16.
func (j *jpegReader) take(n int) (int, error) {
	if j.count < n {
		if err := j.fill(); err != nil && j.count < n {
			return 0, io.ErrUnexpectedEOF
		}
		if j.count < n {
			return 0, errJPEG
		}
	}
	value := int(j.bits >> (64 - n))
	j.bits <<= n
	j.count -= n
	return value, nil
}

// code returns the value of the next code.
func (j *jpegReader) code(t *huffman) (byte, error) {
	if j.count < 16 {
		if err := j.fill(); err != nil && j.count == 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	if e := t.short[j.bits>>56]; e != 0 {
		length := int(e >> 8)
		if length > j.count {
			return 0, errJPEG
		}
		j.bits <<= length
		j.count -= length
		return byte(e), nil
	}
	for length := 1; length <= min(16, j.count); length++ {
		if code := int(j.bits >> (64 - length)); code <= t.last[length] {
			at := code + t.offset[length]
			if at < 0 || at >= len(t.values) {
				return 0, errJPEG
			}
			j.bits <<= length
			j.count -= length
			return t.values[at], nil
		}
	}
	return 0, errJPEG
}

// A jpegScan is a part of the picture's data: some coefficients of some components.
type jpegScan struct {
	parts       []*jpegPart
	first, more []*huffman // by the index of parts
	from, to    int        // coefficients
	again       bool       // they were sent before, and get one more bit
}

func (j *jpegReader) scan(b []byte) error {
	s, err := j.scanOf(b)
	if err != nil {
		return err
	}
	if j.scans++; j.scans > maxScans {
		return errJPEG
	}
	across, down := j.mcus()
	if len(s.parts) == 1 { // without the blocks that fill up an MCU
		h, v := j.most()
		across = upwards(upwards(j.width*int(s.parts[0].h), h), 8)
		down = upwards(upwards(j.height*int(s.parts[0].v), v), 8)
	}
	j.reset()
	for mcu := range across * down {
		if j.restart > 0 && mcu > 0 && mcu%j.restart == 0 {
			if err := j.restarts(); err != nil {
				return err
			}
		}
		if err := j.mcu(s, mcu%across, mcu/across); err != nil {
			return err
		}
	}
	for _, p := range s.parts {
		p.scanned = true
	}
	marker := j.marker
	j.reset()
	j.marker = marker
	return nil
}

// reset begins with new data.
func (j *jpegReader) reset() { j.bits, j.count, j.ended, j.marker, j.eobRun = 0, 0, false, 0, 0 }

// restarts goes on after a restart marker.
func (j *jpegReader) restarts() error {
	marker, err := j.next()
	if err != nil {
		return err
	}
	if marker < markRST0 || marker > markRST7 {
		return errJPEG
	}
	j.reset()
	return nil
}

func (j *jpegReader) scanOf(b []byte) (s jpegScan, err error) {
	if len(j.parts) == 0 || len(b) < 1 || b[0] < 1 || b[0] > 4 || len(b) != 4+2*int(b[0]) {
		return s, errJPEG
	}
	blocks := 0
	for at := 1; at < len(b)-3; at += 2 {
		var part *jpegPart
		for i := range j.parts {
			if j.parts[i].id == b[at] {
				part = &j.parts[i]
			}
		}
		if part == nil || b[at+1]>>4 > 3 || b[at+1]&15 > 3 {
			return s, errJPEG
		}
		blocks += int(part.h) * int(part.v)
		s.parts = append(s.parts, part)
		s.first, s.more = append(s.first, j.tables[0][b[at+1]>>4]), append(s.more, j.tables[1][b[at+1]&15])
	}
	if s.to = 63; j.progressive {
		end := b[len(b)-3:]
		s.from, s.to, s.again = int(end[0]), int(end[1]), end[2]>>4 != 0
		if s.from > s.to || s.to > 63 || s.from == 0 && s.to != 0 || s.from > 0 && len(s.parts) > 1 {
			return s, errJPEG
		}
	}
	for i := range s.parts {
		if s.from == 0 && s.first[i] == nil && !s.again || s.to > 0 && s.more[i] == nil {
			return s, errJPEG
		}
	}
	if len(s.parts) > 1 && blocks > mcuMost {
		return s, errJPEG
	}
	return s, nil
}

// mcu reads the blocks of one MCU.
func (j *jpegReader) mcu(s jpegScan, x, y int) error {
	for i, p := range s.parts {
		h, v := int(p.h), int(p.v)
		if len(s.parts) == 1 {
			h, v = 1, 1
		}
		for k := range h * v {
			var nonzero *uint64
			if j.progressive {
				nonzero = &p.nonzero[(y*v+k/h)*p.across+x*h+k%h]
			}
			if err := j.block(s, i, nonzero); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *jpegReader) block(s jpegScan, part int, nonzero *uint64) error {
	k := s.from
	if k == 0 {
		if s.again {
			_, err := j.take(1)
			return err
		}
		length, err := j.code(s.first[part])
		if err != nil || length > 16 {
			return errors.Join(errJPEG, err)
		}
		if _, err := j.take(int(length)); err != nil {
			return err
		}
		if k++; j.progressive {
			return nil
		}
	}
	if s.again {
		return j.refine(s, part, nonzero)
	}
	if j.eobRun > 0 {
		j.eobRun--
		return nil
	}
	for ; k <= s.to; k++ {
		code, err := j.code(s.more[part])
		if err != nil {
			return err
		}
		run, length := int(code>>4), int(code&15)
		switch {
		case length > 0:
			if k += run; k > s.to {
				return nil
			}
			if _, err := j.take(length); err != nil {
				return err
			}
			if nonzero != nil {
				*nonzero |= 1 << k
			}
		case run == 15:
			k += 15
		case j.progressive:
			err := j.endOfBlocks(run)
			j.eobRun--
			return err
		default:
			return nil
		}
	}
	return nil
}

// endOfBlocks reads for how many blocks nothing follows.
func (j *jpegReader) endOfBlocks(length int) error {
	more, err := j.take(length)
	j.eobRun = 1<<length | more
	return err
}

// refine reads one more bit of coefficients that were sent before.
func (j *jpegReader) refine(s jpegScan, part int, nonzero *uint64) error {
	k := s.from
	for j.eobRun == 0 && k <= s.to {
		code, err := j.code(s.more[part])
		if err != nil {
			return err
		}
		run, isNew := int(code>>4), false
		switch code & 15 {
		case 0:
			if run != 15 {
				if err := j.endOfBlocks(run); err != nil {
					return err
				}
				continue
			}
		case 1:
			if _, err := j.take(1); err != nil {
				return err
			}
			isNew = true
		default:
			return errJPEG
		}
		if k, err = j.corrections(*nonzero, k, s.to, run); err != nil {
			return err
		}
		if k > s.to {
			return errJPEG
		}
		if isNew {
			*nonzero |= 1 << k
		}
		k++
	}
	if j.eobRun > 0 {
		j.eobRun--
		_, err := j.corrections(*nonzero, k, s.to, -1)
		return err
	}
	return nil
}

// corrections reads a bit for each coefficient that is not zero, until so many that are zero
// were passed, or all of them if that is negative. It returns the coefficient that it stopped
// at.
func (j *jpegReader) corrections(nonzero uint64, k, to, zeros int) (int, error) {
	if zeros < 0 {
		rest := nonzero >> k << k
		if to < 63 {
			rest &= 1<<(to+1) - 1
		}
		for n := bits.OnesCount64(rest); n > 0; n -= 16 {
			if _, err := j.take(min(n, 16)); err != nil {
				return 0, err
			}
		}
		return to + 1, nil
	}
	for ; k <= to; k++ {
		if nonzero&(1<<k) == 0 {
			if zeros == 0 {
				break
			}
			zeros--
			continue
		}
		if _, err := j.take(1); err != nil {
			return 0, err
		}
	}
	return k, nil
}
