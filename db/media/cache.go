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

// cacheBytes bounds the copies of pictures that are kept beside a backend that
// is far away.
const cacheBytes = 256 << 20

// A cache holds copies of blobs as files in a folder. What was not used for the
// longest time goes first, once they take more than so many bytes together. The
// time of each file tells the next start when it was last used.
type cache struct {
	dir  string
	most int64

	mu    sync.Mutex
	sizes *simplelru.LRU[string, int64] // by hash
	bytes int64
}

func openCache(dir string, most int64) (*cache, error) {
	if err := sweep(dir); err != nil {
		return nil, err
	}
	c := &cache{dir: dir, most: most}
	var err error
	if c.sizes, err = simplelru.NewLRU(math.MaxInt32, func(hash string, size int64) {
		c.bytes -= size
		_ = os.Remove(filepath.Join(dir, hash)) // of one that stays, the next start knows
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

// open opens the copy of a blob of so many bytes, or returns nil.
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
	_ = os.Chtimes(path, now, now) // only the order of a later start depends on it
	return file
}

// add copies the blob and opens the copy. It returns nil where none can be made:
// the blob is not what its name says, for example, or the disk is full.
func (c *cache) add(ctx context.Context, hash string, size int64, blob io.Reader) File {
	if size > c.most/16 {
		return nil
	}
	file, err := os.CreateTemp(c.dir, begun)
	if err != nil {
		return nil
	}
	defer func() { _ = os.Remove(file.Name()) }() // after the rename there is none
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, sum), whileWanted{ctx, blob})
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

// count notes a copy that is there, and removes the oldest ones that are too
// much now. The caller must hold c.mu.
func (c *cache) count(hash string, size int64) {
	if before, ok := c.sizes.Peek(hash); ok {
		c.bytes -= before
	}
	c.sizes.Add(hash, size)
	c.bytes += size
	for c.bytes > c.most {
		c.sizes.RemoveOldest()
	}
}

// drop removes the copy.
func (c *cache) drop(hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sizes.Remove(hash)
}
