package db

// ParseHash returns what a guess at the password of the hash costs, in KiB times
// passes, and how long the key is. One that cannot be read costs nothing here.
func ParseHash(text string) (cost uint64, key int) {
	h, ok := parseHash(text)
	if !ok {
		return 0, 0
	}
	return uint64(h.memory) * uint64(h.passes), len(h.key)
}
