// Package sniff determines the type of a file from its first bytes. It ignores file
// names and the Content-Type that a server sends.
package sniff

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"net/http"
	"slices"
	"strings"
)

// Length is the maximum number of bytes that Type examines.
const Length = 512

// Type returns the MIME type of a file that begins with head. It recognises videos,
// pictures, and what users and services supply by mistake, such as web pages, playlists and
// sound. For anything else it returns "".
func Type(head []byte) string {
	head = head[:min(len(head), Length)]
	switch {
	case isAtom(head):
		return atoms(head)
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return "image/tiff"
	case isStream(head):
		return "video/mp2t"
	case bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("#EXTM3U")):
		return "application/vnd.apple.mpegurl"
	case isMPEGSound(head), bytes.HasPrefix(head, []byte("ID3")):
		return "audio/mpeg"
	case bytes.HasPrefix(head, []byte("fLaC")):
		return "audio/flac"
	}
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch found {
	case "text/plain", "text/xml":
		return text(head)
	case "video/webm": // reported for any EBML file, such as Matroska
		return ebml(head)
	case "image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "text/html", "application/pdf", "application/zip", "video/avi",
		"audio/wave", "audio/aiff", "audio/basic", "application/ogg":
		return found
	}
	return ""
}

// text returns the type of a text by its beginning, "" for any other.
func text(head []byte) string {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	switch {
	case bytes.Contains(head, []byte("<svg")):
		return "image/svg+xml"
	case bytes.Contains(head, []byte("<MPD")):
		return "application/dash+xml"
	case bytes.HasPrefix(head, []byte("<")):
		return "application/xml"
	case bytes.HasPrefix(head, []byte("{")), bytes.HasPrefix(head, []byte("[")):
		return "application/json"
	}
	return ""
}

// isStream reports whether head begins with two packets of an MPEG transport stream: of 188
// bytes each, or of 192 with a time before each.
func isStream(head []byte) bool {
	for _, size := range []int{188, 192} {
		first := size - 188
		if len(head) > first+size && head[first] == 0x47 && head[first+size] == 0x47 {
			return true
		}
	}
	return false
}

// isMPEGSound reports whether head begins with a frame of MPEG audio, or of AAC without a
// container, after ISO/IEC 11172-3, 2.4.1.3, and ISO/IEC 13818-7, 6.2.
func isMPEGSound(head []byte) bool {
	if len(head) < 4 || head[0] != 0xff || head[1]&0xe0 != 0xe0 {
		return false
	}
	if head[1]&0xf6 == 0xf0 {
		return true // AAC
	}
	return head[1]&0x18 != 0x08 && head[1]&0x06 != 0 && head[2]&0xf0 != 0xf0 && head[2]&0xf0 != 0 && head[2]&0x0c != 0x0c
}

// isAtom reports whether head starts with an atom that can come first in a file of
// the QuickTime family. Only old QuickTime files begin with an atom other than ftyp.
// For these, the first byte of the atom's size must be lower than any byte of text,
// because text may contain the same four letters.
func isAtom(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	kind := string(head[4:8])
	return kind == "ftyp" || head[0] < '\t' && slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, kind)
}

// atoms determines the type from the ftyp atom of ISO/IEC 14496-12: size, "ftyp",
// the major brand, its version, and the compatible brands.
func atoms(head []byte) string {
	size := int(min(binary.BigEndian.Uint32(head), Length))
	switch {
	case string(head[4:8]) != "ftyp":
		return "video/quicktime"
	case size < 16 || len(head) < 12:
		return ""
	}
	major := string(head[8:12])
	switch {
	case major == "qt  ":
		return "video/quicktime"
	case major == "avif" || major == "avis":
		return "image/avif"
	case slices.Contains(heicBrands, major):
		return "image/heic"
	case slices.Contains(soundBrands, major):
		return "audio/mp4"
	case slices.Contains(notVideo, major):
		return ""
	case slices.Contains(mp4Brands, major):
		return "video/mp4"
	}
	for i := 16; i+4 <= min(size, len(head)); i += 4 {
		if slices.Contains(mp4Brands, string(head[i:i+4])) {
			return "video/mp4"
		}
	}
	return ""
}

var (
	heicBrands = []string{"heic", "heix", "hevc", "hevx", "mif1", "msf1"}

	// soundBrands and notVideo list major brands of audio and pictures whose files name
	// MP4 brands as compatible.
	soundBrands = []string{"M4A ", "M4B ", "M4P ", "F4A "}
	notVideo    = []string{"jp2 ", "crx "}

	mp4Brands = []string{
		"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp4v",
		"avc1", "hvc1", "hev1", "av01", "M4V ", "M4VH", "M4VP", "dash", "cmfc", "cmf2", "MSNV", "f4v ", "XAVC", "mmp4",
	}
)

// ebml determines the type from the element DocType (0x4282) in the header of an
// EBML file. Anything other than WebM is reported as Matroska, even without DocType.
func ebml(head []byte) string {
	const other = "video/x-matroska"
	_, rest, ok := bytes.Cut(head, []byte{0x42, 0x82})
	if !ok || len(rest) == 0 {
		return other
	}
	// The element's length comes first. Its leading zero bits tell its width.
	width := bits.LeadingZeros8(rest[0]) + 1
	if len(rest) > width && bytes.HasPrefix(rest[width:], []byte("webm")) {
		return "video/webm"
	}
	return other
}
