package film

import "image"

// convert fills the planes from a picture, in the limited range of ITU-R BT.601
// that players expect, with one chroma sample for four pixels. Beyond the
// picture's edge it repeats the last pixels.
func (e *encoder) convert(img *image.RGBA) {
	wide, half := e.planes[0].stride, e.planes[1].stride
	for y := 0; y < e.mbh*16; y += 2 {
		a := img.Pix[min(y, e.h-1)*img.Stride:][:e.w*4]
		b := img.Pix[min(y+1, e.h-1)*img.Stride:][:e.w*4]
		luma, below := e.planes[0].pix[y*wide:][:wide], e.planes[0].pix[(y+1)*wide:][:wide]
		cb, cr := e.planes[1].pix[y/2*half:][:half], e.planes[2].pix[y/2*half:][:half]
		for i := range cb {
			p := min(i*8, len(a)-8)
			u, v := a[p:p+8], b[p:p+8]
			luma[2*i], luma[2*i+1] = light8(u[0], u[1], u[2]), light8(u[4], u[5], u[6])
			below[2*i], below[2*i+1] = light8(v[0], v[1], v[2]), light8(v[4], v[5], v[6])
			r := int32(u[0]) + int32(u[4]) + int32(v[0]) + int32(v[4])
			g := int32(u[1]) + int32(u[5]) + int32(v[1]) + int32(v[5])
			c := int32(u[2]) + int32(u[6]) + int32(v[2]) + int32(v[6])
			cb[i] = byte((-9719*r - 19081*g + 28800*c + 128<<18 + 1<<17) >> 18)
			cr[i] = byte((28800*r - 24116*g - 4684*c + 128<<18 + 1<<17) >> 18)
		}
	}
}

// light8 returns the luma of a pixel.
func light8(r, g, b byte) byte {
	return byte((16839*int32(r) + 33059*int32(g) + 6420*int32(b) + 16<<16 + 1<<15) >> 16)
}
