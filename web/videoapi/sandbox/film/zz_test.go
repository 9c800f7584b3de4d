package film

import (
	"bytes"
	"fmt"
	"github.com/deepteams/webp"
	"image"
	"math"
	"math/rand"
	"testing"
)

func pic(w, h int, noise float64) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewSource(1))
	for y := 0; y < h; y++ {
		for x := 0; x < w; x++ {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			o := m.PixOffset(x, y)
			hl := .6 + .1*math.Sin(fx*9) + .03*math.Sin(fx*31)
			v := fy*120 + 40
			if fy > hl {
				v = 30 + 20*(fy-hl)
			}
			v += noise * r.NormFloat64()
			if v < 0 {
				v = 0
			}
			if v > 255 {
				v = 255
			}
			m.Pix[o] = uint8(v)
			m.Pix[o+1] = uint8(v * .6)
			m.Pix[o+2] = uint8(v * .8)
			m.Pix[o+3] = 255
		}
	}
	return m
}
func BenchmarkEnc(b *testing.B) {
	for _, c := range [][3]int{{4, 50, 60}, {1, 50, 60}, {1, 0, 60}, {1, 0, 0}} {
		seg, sns, fs := c[0], c[1], c[2]
		for _, n := range []float64{0, 12} {
			m := pic(1280, 720, n)
			for _, meth := range []int{0, 1, 2, 3, 4} {
				for _, q := range []float32{75, 90} {
					b.Run(fmt.Sprintf("c%v%v%v/n%v/m%d/q%v", seg, sns, fs, n, meth, q), func(b *testing.B) {
						o := webp.DefaultOptions()
						o.Method = meth
						o.Quality = q
						o.Segments = seg
						o.SNSStrength = sns
						o.FilterStrength = fs
						o.Exact = true
						var buf bytes.Buffer
						for b.Loop() {
							buf.Reset()
							if err := webp.Encode(&buf, m, o); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(buf.Len()), "size")
					})
				}
			}
		}
	}
}
