package throttle

// Len returns how many names are remembered.
func (t *Throttle) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.full.Len()
}
