package media

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// CopiesBytes is the usual limit of the size of all Copies.
const CopiesBytes = 64 << 20

// Copies keeps small copies of pictures that are on other sites, by their addresses, as
// files in a folder. Once they take too many bytes, it removes the least recently used
// ones. Its methods may be called concurrently.
type Copies struct{ cache *cache }

// OpenCopies opens the folder, and creates it if needed. maxBytes limits the size of all
// copies together.
func OpenCopies(dir string, maxBytes int64) (*Copies, error) {
	c, err := openCache(dir, maxBytes)
	if err != nil {
		return nil, err
	}
	return &Copies{c}, nil
}

// Get returns the copy of the picture at the address, or nil if there is none.
func (c *Copies) Get(address string) []byte { return c.cache.read(copyName(address)) }

// Put keeps the copy of the picture at the address, in place of any earlier one.
func (c *Copies) Put(address string, content []byte) error {
	return c.cache.put(copyName(address), content)
}

// Drop removes the copy of the picture at the address, if there is one.
func (c *Copies) Drop(address string) { c.cache.drop(copyName(address)) }

// copyName returns the name of the file: addresses may be long, and must not be shown to
// everybody who can list the folder.
func copyName(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// read returns the content of a file, or nil if there is none of the size that it had.
func (c *cache) read(name string) []byte {
	c.mu.Lock()
	size, ok := c.sizes.Get(name)
	c.mu.Unlock()
	if !ok {
		return nil
	}
	path := filepath.Join(c.dir, name)
	content, err := os.ReadFile(path)
	if err != nil || int64(len(content)) != size {
		c.drop(name)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // matters only for the order after a restart
	return content
}

// put writes a file.
func (c *cache) put(name string, content []byte) error {
	file, err := os.CreateTemp(c.dir, tempPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // does nothing after the rename
	_, err = file.Write(content)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.Rename(file.Name(), filepath.Join(c.dir, name)); err != nil {
		return err
	}
	c.count(name, int64(len(content)))
	return nil
}
