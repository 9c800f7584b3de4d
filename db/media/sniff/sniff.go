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
// pictures, and what users supply by mistake (text/html, image/svg+xml,
// application/pdf). For anything else it returns "".
func Type(head []byte) string {
	head = head[:min(len(head), Length)]
	switch {
	case isAtom(head):
		return atoms(head)
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return "image/tiff"
	}
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch found {
	case "text/plain", "text/xml":
		if bytes.Contains(head, []byte("<svg")) {
			return "image/svg+xml"
		}
	case "video/webm": // reported for any EBML file, such as Matroska
		return ebml(head)
	case "image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "text/html", "application/pdf", "video/avi":
		return found
	}
	return ""
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

	// notVideo lists major brands of audio and pictures whose files name MP4 brands
	// as compatible.
	notVideo = []string{"M4A ", "M4B ", "M4P ", "jp2 ", "crx "}

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
