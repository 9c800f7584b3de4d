package static

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"dailies/web/accept"
)

// A packed is a file in each encoding. Gzip is quick, so the file is
// compressed when a client first requests it. Brotli at its highest level takes far
// longer, so the first request that accepts it starts the compression in the
// background, and later requests get the result.
type packed struct {
	plain  []byte
	gzip   func() []byte
	brotli atomic.Pointer[[]byte]
	begin  sync.Once
}

// packing makes sure that the background compresses only one file at a time.
var packing sync.Mutex

func pack(content []byte) *packed {
	return &packed{plain: content, gzip: sync.OnceValue(func() []byte {
		return compress(content, func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails only for an invalid level
			return z
		})
	})}
}

// compress returns the content as compressed by the writer, or nil if that is not
// smaller.
func compress(content []byte, open func(io.Writer) io.WriteCloser) []byte {
	var out bytes.Buffer
	w := open(&out)
	_, _ = w.Write(content) // writing to a buffer never fails
	_ = w.Close()
	if out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}

// best returns the content for the request and its encoding. Range requests get the
// plain file.
func (p *packed) best(r *http.Request) (content []byte, encoding string) {
	if r.Header.Get("Range") != "" {
		return p.plain, ""
	}
	for _, encoding := range accept.Encodings(r.Header.Values("Accept-Encoding")) {
		switch encoding {
		case "":
			return p.plain, ""
		case "br":
			p.begin.Do(func() { go p.compressBrotli() })
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

func (p *packed) compressBrotli() {
	packing.Lock()
	defer packing.Unlock()
	small := compress(p.plain, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) })
	p.brotli.Store(&small)
}
