package picture

import "encoding/binary"

// Strip returns the picture, which is of the MIME type, without metadata: position, time,
// camera, names, comments, previews, and trailing data. The pixels are not re-encoded.
// Strip keeps animation, the orientation, without which photographs from phones lie on
// their side, and colour profiles, except in BMP and GIF. It returns ErrBroken if b is
// not a valid picture of the type.
func Strip(b []byte, kind string) ([]byte, error) {
	switch kind {
	case "image/jpeg":
		return stripJPEG(b)
	case "image/png":
		return stripPNG(b)
	case "image/webp":
		return stripWebP(b)
	case "image/gif":
		return stripGIF(b)
	case "image/bmp":
		return stripBMP(b)
	}
	return nil, &OtherError{kind}
}

// maxEXIF limits how many entries of the first EXIF directory are read.
const maxEXIF = 512

// orientation returns the tag 0x0112 of EXIF data, which is in the TIFF format: 1 is
// upright, 2 to 8 are rotated or mirrored. If it cannot be read, orientation returns 1.
func orientation(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(tiff) < 8:
		return 1
	case string(tiff[:2]) == "MM":
		order = binary.BigEndian
	case string(tiff[:2]) != "II":
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at:]
	count := min(int(order.Uint16(entries)), maxEXIF, (len(entries)-2)/12)
	for i := range count {
		entry := entries[2+12*i:]
		if order.Uint16(entry) == 0x0112 && order.Uint16(entry[2:]) == 3 {
			if turned := int(order.Uint16(entry[8:])); turned >= 1 && turned <= 8 {
				return turned
			}
		}
	}
	return 1
}

// orientationEXIF returns EXIF data with the orientation and nothing else.
func orientationEXIF(turned int) []byte {
	return []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // big-endian TIFF; the directory is at 8
		0, 1, // one entry:
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(turned), 0, 0, // orientation, one short
		0, 0, 0, 0, // no other directory
	}
}
