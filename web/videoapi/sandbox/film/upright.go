package film

import (
	"encoding/binary"
	"image"
)

// orientation is how a JPEG picture is to be turned, 1 to 8 as Exif counts
// (1 is not at all): phones store what the sensor saw and say which way was
// up. Whatever cannot be read is 1.
func orientation(jpeg []byte) int {
	const head = 2 // FF D8
	for b := jpeg[min(head, len(jpeg)):]; len(b) >= 4 && b[0] == 0xff && b[1] != 0xda; {
		size := int(binary.BigEndian.Uint16(b[2:])) + 2
		if size < 4 || size > len(b) {
			break
		}
		if part := b[4:size]; b[1] == 0xe1 && len(part) > 14 && string(part[:6]) == "Exif\x00\x00" {
			return exifOrientation(part[6:])
		}
		b = b[size:]
	}
	return 1
}

// exifOrientation looks for tag 0x0112 in the first directory of TIFF bytes.
func exifOrientation(t []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	if string(t[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(t[4:]))
	if at > int64(len(t)-2) {
		return 1
	}
	count := int(order.Uint16(t[at:]))
	for e := t[at+2:]; count > 0 && len(e) >= 12; count, e = count-1, e[12:] {
		if o := order.Uint16(e[8:]); order.Uint16(e) == 0x0112 && o >= 1 && o <= 8 {
			return int(o)
		}
	}
	return 1
}

// upright turns a picture as its orientation says.
func upright(img *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 { // it lies on its side
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			u, v := x, y
			switch orientation {
			case 2:
				u = w - 1 - x
			case 3:
				u, v = w-1-x, h-1-y
			case 4:
				v = h - 1 - y
			case 5:
				u, v = y, x
			case 6:
				u, v = h-1-y, x
			case 7:
				u, v = h-1-y, w-1-x
			case 8:
				u, v = y, w-1-x
			}
			copy(out.Pix[v*out.Stride+u*4:][:4], img.Pix[y*img.Stride+x*4:][:4])
		}
	}
	return out
}
