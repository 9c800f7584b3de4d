package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

const pngHead = "\x89PNG\r\n\x1a\n"

// pngChunks lists the chunks that affect how a PNG looks, including those for animation
// and colour. It does not include text, time, EXIF and unknown chunks.
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "tRNS", "acTL", "fcTL", "fdAT",
	"cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "pHYs",
}

// pngSizes gives the maximum length of the content of some chunks, in bytes.
var pngSizes = map[string]int64{
	"acTL": 8, "fcTL": 26, "tRNS": 256, "cHRM": 32, "gAMA": 4, "sBIT": 4, "sRGB": 1,
	"cICP": 4, "mDCV": 24, "cLLI": 8, "bKGD": 6, "pHYs": 9,
}

// stripPNG copies the chunks in pngChunks. A chunk is a length, a name, the content and
// its checksum.
func stripPNG(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte(pngHead)) {
		return nil, ErrBroken
	}
	out, seen := append(make([]byte, 0, len(b)), pngHead...), false
	for rest := b[len(pngHead):]; ; {
		if len(rest) < 12 {
			return nil, ErrBroken
		}
		size := int64(binary.BigEndian.Uint32(rest)) + 12
		if size > int64(len(rest)) {
			return nil, ErrBroken
		}
		chunk := rest[:size]
		switch name := string(chunk[4:8]); {
		case name == "IEND" && seen:
			return append(out, pngChunk("IEND", nil)...), nil
		case name == "IEND":
			return nil, ErrBroken
		case name == "eXIf":
			if o := orientation(chunk[8 : size-4]); o != 1 {
				out = append(out, pngChunk("eXIf", orientationEXIF(o))...)
			}
		case pngSizes[name] > 0 && size-12 > pngSizes[name]: // dropped: it may hide other data
		case slices.Contains(pngChunks, name):
			out, seen = append(out, chunk...), seen || name == "IDAT"
		}
		rest = rest[size:]
	}
}

func pngChunk(name string, content []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	chunk = append(append(chunk, name...), content...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
