package secrets

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

// Strength is strength.
func Strength(secret string) float64 { return strength(secret) }

// SealingCost returns how much memory, times passes, the key of the Sealing takes.
func SealingCost(s Sealing) uint64 {
	h, _ := s.parameters()
	return uint64(h.memory) * uint64(h.passes)
}
