package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cacheBytes limits the size of the local copies of pictures whose originals are in
// a remote backend.
const cacheBytes = 256 << 20

// A cache holds copies of blobs as files in a folder. Once they take more than maxBytes
// bytes together, it evicts the least recently used ones. Each file's modification
// time records when it was last used, so that the order survives a restart.
type cache struct {
	dir      string
	maxBytes int64

	mu    sync.Mutex
	sizes simplelru.LRUCache[string, int64] // by hash; an interface, see db/store/engine.Recents
	bytes int64                             // sum of the sizes
}

func openCache(dir string, maxBytes int64) (*cache, error) {
	if err := sweep(dir); err != nil {
		return nil, err
	}
	c := &cache{dir: dir, maxBytes: maxBytes}
	var err error
	if c.sizes, err = simplelru.NewLRU(math.MaxInt32, func(hash string, size int64) {
		c.bytes -= size
		_ = os.Remove(filepath.Join(dir, hash)) // if this fails, the next start counts the file again
	}); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []fs.FileInfo
	for _, entry := range entries {
		if is, err := entry.Info(); err == nil && valid(is.Name()) {
			found = append(found, is)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, is := range found {
		c.count(is.Name(), is.Size())
	}
	return c, nil
}

// open opens the copy of a blob, or returns nil if there is none of that size.
func (c *cache) open(hash string, size int64) File {
	c.mu.Lock()
	has, ok := c.sizes.Get(hash)
	c.mu.Unlock()
	if !ok || has != size {
		return nil
	}
	path := filepath.Join(c.dir, hash)
	file, err := os.Open(path)
	if err != nil {
		c.drop(hash)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // matters only for the order after a restart
	return file
}

// add copies the blob and opens the copy. It returns nil if no copy can be made, for
// example because the content does not match the hash or the disk is full.
func (c *cache) add(ctx context.Context, hash string, size int64, blob io.Reader) File {
	if size > c.maxBytes/16 {
		return nil
	}
	file, err := os.CreateTemp(c.dir, tempPrefix)
	if err != nil {
		return nil
	}
	defer func() { _ = os.Remove(file.Name()) }() // does nothing after the rename
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, sum), contextReader{ctx, blob})
	if closed := file.Close(); err != nil || closed != nil || hex.EncodeToString(sum.Sum(nil)) != hash {
		return nil
	}
	c.mu.Lock()
	err = os.Rename(file.Name(), filepath.Join(c.dir, hash))
	if err == nil {
		c.count(hash, size)
	}
	c.mu.Unlock()
	if err != nil {
		return nil
	}
	return c.open(hash, size)
}

// count adds an existing copy to the cache, and evicts others as needed. The caller
// must hold c.mu, except in openCache.
func (c *cache) count(hash string, size int64) {
	if before, ok := c.sizes.Peek(hash); ok {
		c.bytes -= before
	}
	c.sizes.Add(hash, size)
	c.bytes += size
	for c.bytes > c.maxBytes {
		c.sizes.RemoveOldest()
	}
}

// drop removes the copy.
func (c *cache) drop(hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sizes.Remove(hash)
}
