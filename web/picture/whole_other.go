package picture

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"golang.org/x/image/webp"
)

// A pngReader reads the chunks of a PNG, and the content of consecutive IDAT chunks as one
// stream.
type pngReader struct {
	from   *bufio.Reader
	name   string // of the present chunk
	left   int64  // bytes of its content that were not read
	sum    uint32
	turned int
}

var (
	errPNG    = errors.New("not a PNG that can be read to its end")
	errFrames = errors.New("not an animation that can be read to its end")
)

func wholePNG(from *bufio.Reader, _ Info) (turned int, err error) {
	p := &pngReader{from: from, turned: 1}
	if _, err := from.Discard(len(pngHead)); err != nil {
		return 1, err
	}
	var header [13]byte
	if err := p.begin(); err != nil || p.name != "IHDR" || p.left != int64(len(header)) {
		return 1, errors.Join(errPNG, err)
	}
	if _, err := io.ReadFull(p, header[:]); err != nil {
		return 1, err
	}
	if err := p.end(); err != nil {
		return 1, err
	}
	for seen := false; ; {
		if err := p.begin(); err != nil {
			return 1, err
		}
		switch {
		case p.name == "IEND" && seen:
			return p.turned, nil
		case p.name == "IEND":
			return 1, errPNG
		case p.name == "IDAT" && !seen:
			seen = true
			if err := p.pixels(header); err != nil {
				return 1, err
			}
			continue // pixels has ended its last chunk
		case p.name == "eXIf" && p.left <= 1<<16:
			exif := make([]byte, p.left)
			if _, err := io.ReadFull(p, exif); err != nil {
				return 1, err
			}
			p.turned = orientation(exif)
		}
		if err := p.end(); err != nil {
			return 1, err
		}
	}
}

// begin reads the length and the name of a chunk.
func (p *pngReader) begin() error {
	var head [8]byte
	if _, err := io.ReadFull(p.from, head[:]); err != nil {
		return err
	}
	p.name, p.left, p.sum = string(head[4:]), int64(binary.BigEndian.Uint32(head[:])), crc32.ChecksumIEEE(head[4:])
	return nil
}

// Read reads the content of the present chunk.
func (p *pngReader) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, err := p.from.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	p.sum = crc32.Update(p.sum, crc32.IEEETable, b[:n])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// end reads the rest of the chunk, and compares its checksum.
func (p *pngReader) end() error {
	if _, err := io.Copy(io.Discard, p); err != nil {
		return err
	}
	var sum [4]byte
	if _, err := io.ReadFull(p.from, sum[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(sum[:]) != p.sum {
		return errPNG
	}
	return nil
}

// A pngData reads the content of the present IDAT chunk and of those that follow it.
type pngData struct{ *pngReader }

func (d pngData) Read(b []byte) (int, error) {
	for d.left == 0 {
		if next, err := d.from.Peek(12); err != nil || string(next[8:]) != "IDAT" { // after the checksum and a length
			return 0, io.EOF
		}
		if err := errors.Join(d.end(), d.begin()); err != nil {
			return 0, err
		}
	}
	return d.pngReader.Read(b)
}

// pixels reads all pixels, and ends the last chunk with them.
func (p *pngReader) pixels(header [13]byte) error {
	data, err := zlib.NewReader(pngData{p})
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(data, pngBytes(header)))
	if err != nil || n < pngBytes(header) {
		return errors.Join(errPNG, err)
	}
	var more [1]byte
	if _, err := io.ReadFull(data, more[:]); err != io.EOF { // compares the checksum
		return errors.Join(errPNG, err)
	}
	for {
		if _, err := io.Copy(io.Discard, p); err != nil {
			return err
		}
		if err := p.end(); err != nil {
			return err
		}
		next, err := p.from.Peek(8)
		if err != nil || string(next[4:]) != "IDAT" {
			return err
		}
		if err := p.begin(); err != nil {
			return err
		}
	}
}

// pngBytes returns how many bytes the pixels have, with one for each row.
func pngBytes(header [13]byte) (n int64) {
	width, height := int64(binary.BigEndian.Uint32(header[:])), int64(binary.BigEndian.Uint32(header[4:]))
	samples := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]]
	part := func(width, height int64) {
		if width > 0 && height > 0 {
			n += height * (1 + (width*samples*int64(header[8])+7)/8)
		}
	}
	if header[12] == 0 {
		part(width, height)
		return n
	}
	for _, pass := range [][4]int64{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} { // Adam7
		part((width-pass[0]+pass[2]-1)/pass[2], (height-pass[1]+pass[3]-1)/pass[3])
	}
	return n
}

// maxAnimated limits the pixels of all frames of an animation that are decoded. Of what comes
// after them, only the structure is read.
const maxAnimated = 4 * MaxPixels

func wholeGIF(from *bufio.Reader, _ Info) (turned int, err error) {
	var head [13]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 1, err
	}
	if _, err := io.CopyN(io.Discard, from, int64(colours(head[10]))); err != nil {
		return 1, err
	}
	for frames, left := 0, int64(maxAnimated); ; {
		kind, err := from.ReadByte()
		switch {
		case err == io.EOF && frames > 0, err == nil && kind == gifTrailer && frames > 0:
			return 1, nil // some have no trailer
		case err != nil:
			return 1, err
		case kind == gifExtension:
			if _, err := from.ReadByte(); err != nil { // its label
				return 1, err
			}
			if _, err := io.Copy(io.Discard, &gifData{from: from}); err != nil {
				return 1, err
			}
		case kind == gifImage:
			n, err := gifFrame(from, left)
			if err != nil {
				return 1, err
			}
			frames, left = frames+1, left-n
		default:
			return 1, errFrames
		}
	}
}

// gifFrame reads a frame, and returns how many pixels it has. It decodes no more than most.
func gifFrame(from *bufio.Reader, most int64) (pixels int64, err error) {
	var place [9]byte
	if _, err := io.ReadFull(from, place[:]); err != nil {
		return 0, err
	}
	if _, err := io.CopyN(io.Discard, from, int64(colours(place[8]))); err != nil {
		return 0, err
	}
	size, err := from.ReadByte()
	if err != nil {
		return 0, err
	}
	if size < 2 || size > 8 {
		return 0, errFrames
	}
	pixels = int64(binary.LittleEndian.Uint16(place[4:])) * int64(binary.LittleEndian.Uint16(place[6:]))
	if pixels > MaxPixels {
		return 0, errFrames
	}
	data := &gifData{from: from}
	if pixels <= most {
		frame := lzw.NewReader(data, lzw.LSB, int(size))
		if _, err := io.CopyN(io.Discard, frame, pixels); err != nil {
			return 0, errors.Join(errFrames, err)
		}
	}
	_, err = io.Copy(io.Discard, data)
	return pixels, err
}

// gifData reads sub-blocks to the empty one that ends them.
type gifData struct {
	from  *bufio.Reader
	left  int
	ended bool
}

// ReadByte implements io.ByteReader, so that package lzw reads nothing in advance.
func (d *gifData) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(d, b[:])
	return b[0], err
}

func (d *gifData) Read(b []byte) (int, error) {
	if d.left == 0 && !d.ended {
		length, err := d.from.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		d.left, d.ended = int(length), length == 0
	}
	if d.ended {
		return 0, io.EOF
	}
	n, err := d.from.Read(b[:min(len(b), d.left)])
	d.left -= n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func wholeBMP(from *bufio.Reader, info Info) (turned int, err error) {
	var head [30]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 1, err
	}
	depth := int64(binary.LittleEndian.Uint16(head[28:]))
	stride := (int64(info.Width)*depth + 31) / 32 * 4
	size := int64(binary.LittleEndian.Uint32(head[10:])) + stride*int64(info.Height)
	_, err = io.CopyN(io.Discard, from, size-int64(len(head)))
	return 1, err
}

// webpPlace has room for one: a WebP is in memory while it is decoded, 200 MB at most.
var webpPlace = make(chan struct{}, 1)

func wholeWebP(from *bufio.Reader, _ Info) (turned int, err error) {
	b, err := io.ReadAll(io.LimitReader(from, MaxBytes+1))
	if err != nil {
		return 1, err
	}
	if len(b) < 12 || string(b[:4]) != "RIFF" {
		return 1, ErrBroken
	}
	size := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if size < 12 || size > int64(len(b)) {
		return 1, ErrBroken
	}
	webpPlace <- struct{}{}
	defer func() { <-webpPlace }()
	chunks := b[12:size]
	turned = webpOrientation(chunks)
	if name, content, _, err := cutRIFF(chunks); err == nil && name == "VP8X" && len(content) == 10 && content[0]&webpAnimated != 0 {
		return turned, wholeFrames(chunks)
	}
	_, err = webp.Decode(bytes.NewReader(b[:size]))
	return turned, err
}

// webpAnimated is a flag in the first byte of a VP8X chunk, and webpAlpha another.
const (
	webpAnimated = 0x02
	webpAlpha    = 0x10
)

// wholeFrames decodes the frames of an animation, each as a picture of its own.
func wholeFrames(chunks []byte) error {
	frames, left := 0, int64(maxAnimated)
	for len(chunks) > 0 {
		name, content, rest, err := cutRIFF(chunks)
		if err != nil {
			return err
		}
		chunks = rest
		if name != "ANMF" {
			continue
		}
		if len(content) < 16 {
			return errFrames
		}
		frames++
		width, height := 1+webpUint24(content[6:]), 1+webpUint24(content[9:])
		pixels := int64(width) * int64(height)
		if tooLarge(width, height) != nil {
			return ErrTooManyPixels
		}
		if left -= pixels; left < 0 {
			continue
		}
		header := make([]byte, 10)
		if bytes.HasPrefix(content[16:], []byte("ALPH")) {
			header[0] = webpAlpha
		}
		copy(header[4:], content[6:12])
		one := appendRIFF([]byte("RIFF\x00\x00\x00\x00WEBP"), "VP8X", header)
		one = append(one, content[16:]...)
		binary.LittleEndian.PutUint32(one[4:], uint32(len(one)-8))
		if _, err := webp.Decode(bytes.NewReader(one)); err != nil {
			return err
		}
	}
	if frames == 0 {
		return errFrames
	}
	return nil
}

func webpUint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
