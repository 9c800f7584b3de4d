package picture

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// sniffLength is how many bytes Sniff looks at, at most.
const sniffLength = 512

// Sniff judges by its first bytes what a file is: the MIME type of a picture
// that is taken, or of what people give by mistake (text/html, image/svg+xml,
// image/heic, image/avif, image/tiff, application/pdf, a video), or "".
func Sniff(head []byte) string {
	head = head[:min(len(head), sniffLength)]
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		return sniffBrand(string(head[8:12]))
	}
	if bytes.HasPrefix(head, []byte("II*\x00")) || bytes.HasPrefix(head, []byte("MM\x00*")) {
		return "image/tiff"
	}
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case kind == "text/plain" || kind == "text/xml":
		if bytes.Contains(head, []byte("<svg")) {
			return "image/svg+xml"
		}
		return ""
	case configs[kind] != nil, kind == "text/html", kind == "application/pdf", strings.HasPrefix(kind, "video/"):
		return kind
	}
	return ""
}

// sniffBrand tells the files of ISO/IEC 14496-12 apart by their major brand.
func sniffBrand(brand string) string {
	switch {
	case brand == "avif" || brand == "avis":
		return "image/avif"
	case slices.Contains([]string{"heic", "heix", "hevc", "hevx", "mif1", "msf1"}, brand):
		return "image/heic"
	}
	return "video/mp4"
}
