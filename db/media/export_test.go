package media

// Cached sets the size limit of the picture cache, in bytes.
func Cached(s *Store, most int64) { s.cache.maxBytes = most }
