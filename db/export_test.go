package db

// ParseHash returns the cost of checking a password against the hash, in KiB times
// passes, and the length of its key. It returns 0, 0 for a hash that cannot be
// parsed.
func ParseHash(text string) (cost uint64, key int) {
	h, ok := parseHash(text)
	if !ok {
		return 0, 0
	}
	return uint64(h.memory) * uint64(h.passes), len(h.key)
}
