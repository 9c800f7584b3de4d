// Package sniff judges by its first bytes what a file is. What a server or a
// name says about a file is not asked.
package sniff

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"net/http"
	"slices"
	"strings"
)

// Length is how many bytes of a file Type looks at, at most.
const Length = 512

// Type returns the MIME type of what begins with head: of a video, a picture, or
// what people give instead of one (text/html, image/svg+xml, application/pdf).
// For anything else it returns "".
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
	case "video/webm": // of anything in EBML, Matroska too
		return ebml(head)
	case "image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "text/html", "application/pdf", "video/avi":
		return found
	}
	return ""
}

// isAtom reports whether head is the start of an atom with which a file of the
// QuickTime family can begin. Only old QuickTime files begin with another one
// than ftyp; its size is below that of text, which may hold any word.
func isAtom(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	kind := string(head[4:8])
	return kind == "ftyp" || head[0] < '\t' && slices.Contains([]string{"moov", "mdat", "wide", "free", "skip", "pnot"}, kind)
}

// atoms reads the brands of ISO/IEC 14496-12: size, "ftyp", the major
// brand, its version, and the brands that it is compatible with.
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

	// notVideo lists major brands of sound and pictures, which name the brands
	// of MP4 as compatible.
	notVideo = []string{"M4A ", "M4B ", "M4P ", "jp2 ", "crx "}

	mp4Brands = []string{
		"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp4v",
		"avc1", "hvc1", "hev1", "av01", "M4V ", "M4VH", "M4VP", "dash", "cmfc", "cmf2", "MSNV", "f4v ", "XAVC", "mmp4",
	}
)

// ebml reads the element DocType (0x4282) in the header of an EBML file. What is
// not WebM is Matroska, or says nothing about itself.
func ebml(head []byte) string {
	const other = "video/x-matroska"
	_, rest, ok := bytes.Cut(head, []byte{0x42, 0x82})
	if !ok || len(rest) == 0 {
		return other
	}
	// The length comes first, in as many bytes as its own first bits say.
	width := bits.LeadingZeros8(rest[0]) + 1
	if len(rest) > width && bytes.HasPrefix(rest[width:], []byte("webm")) {
		return "video/webm"
	}
	return other
}
