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

// A compressed is a file in each encoding, compressed when a client first requests it. Brotli
// at its highest level takes long, so the first request that accepts it gets the file
// compressed at the level below, which is faster. It starts the compression at the highest
// level in the background, and later requests get the result.
type compressed struct {
	plain    []byte
	gzip     func() []byte
	quick    func() []byte
	smallest atomic.Pointer[[]byte]
	begin    sync.Once
}

// packing makes sure that the background compresses only one file at a time.
var packing sync.Mutex

func newCompressed(content []byte) *compressed {
	return &compressed{
		plain: content,
		gzip: sync.OnceValue(func() []byte {
			return compress(content, func(w io.Writer) io.WriteCloser {
				z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails only for an invalid level
				return z
			})
		}),
		quick: sync.OnceValue(func() []byte { return compressBrotli(content, brotli.BestCompression-1) }),
	}
}

// compressBrotli compresses the content. The window covers the largest file.
func compressBrotli(content []byte, level int) []byte {
	return compress(content, func(w io.Writer) io.WriteCloser {
		return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: level, LGWin: 18})
	})
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

// best returns the content for the request, its encoding, and what its ETag ends in.
// Range requests get the plain file.
func (p *compressed) best(r *http.Request) (content []byte, encoding, tag string) {
	if r.Header.Get("Range") != "" {
		return p.plain, "", ""
	}
	for _, encoding := range accept.Encodings(r.Header.Values("Accept-Encoding")) {
		switch encoding {
		case "":
			return p.plain, "", ""
		case "br":
			p.begin.Do(func() { go p.compressMost() })
			if small := p.smallest.Load(); small != nil && *small != nil {
				return *small, "br", "-br"
			}
			if small := p.quick(); small != nil {
				return small, "br", "-br-quick"
			}
		case "gzip":
			if small := p.gzip(); small != nil {
				return small, "gzip", "-gzip"
			}
		}
	}
	return p.plain, "", ""
}

func (p *compressed) compressMost() {
	packing.Lock()
	defer packing.Unlock()
	small := compressBrotli(p.plain, brotli.BestCompression)
	p.smallest.Store(&small)
}
