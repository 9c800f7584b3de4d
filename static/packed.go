package static

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// A packed is a file in each encoding. Gzip takes a millisecond and is there
// when it is first asked for. Brotli at its best takes a hundred times as long:
// it is made in the background once a client has shown that it takes it, and
// sent from then on.
type packed struct {
	plain  []byte
	gzip   func() []byte
	brotli atomic.Pointer[[]byte]
	begin  sync.Once
}

// packing lets one file at a time be packed in the background.
var packing sync.Mutex

func pack(content []byte) *packed {
	return &packed{plain: content, gzip: sync.OnceValue(func() []byte {
		return through(content, func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is known
			return z
		})
	})}
}

// through returns the content as the writer writes it; nil if that is no
// smaller.
func through(content []byte, open func(io.Writer) io.WriteCloser) []byte {
	var out bytes.Buffer
	w := open(&out)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	if out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}

// best returns the content for the request, and its encoding. A part of the
// file is a part of the plain one.
func (p *packed) best(r *http.Request) (content []byte, encoding string) {
	if r.Header.Get("Range") != "" {
		return p.plain, ""
	}
	for _, encoding := range accepted(r.Header.Values("Accept-Encoding")) {
		switch encoding {
		case "":
			return p.plain, ""
		case "br":
			p.begin.Do(func() { go p.squeeze() })
			if small := p.brotli.Load(); small != nil && len(*small) > 0 {
				return *small, "br"
			}
		case "gzip":
			if small := p.gzip(); small != nil {
				return small, "gzip"
			}
		}
	}
	return p.plain, ""
}

func (p *packed) squeeze() {
	packing.Lock()
	defer packing.Unlock()
	small := through(p.plain, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) })
	p.brotli.Store(&small)
}
