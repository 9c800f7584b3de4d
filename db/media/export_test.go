package media

// Cached bounds the copies of pictures to so many bytes.
func Cached(s *Store, most int64) { s.cache.most = most }
