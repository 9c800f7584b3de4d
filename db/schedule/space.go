package schedule

// A Space says how many bytes of the disk the kept files use, and may use.
type Space struct {
	Used int64 // bytes of all kept files
	Max  int64 // bytes that they may use together; 0 for no limit
	Free int64 // bytes free on the disk; negative if that is not known
	// Waiting is how many videos could not be kept for lack of space.
	Waiting int
}

const (
	// Reserve is kept free on the disk: the database needs space to record what was
	// paid for.
	Reserve = 1 << 30

	// forVideos is how many bytes of the disk beyond Reserve, and 1/forVideosPart
	// of Max, are for paid videos alone.
	forVideos     = 1 << 30
	forVideosPart = 10

	// scarce is how many bytes must be left so that no space needs to be freed.
	scarce = 5 << 30
)

// Left returns how many bytes of files can still be kept, never negative.
func (s Space) Left() int64 {
	left := int64(1) << 62
	if s.Max > 0 {
		left = min(left, s.Max-s.Used)
	}
	if s.Free >= 0 {
		left = min(left, s.Free-Reserve)
	}
	return max(0, left)
}

// ForUploads returns how many bytes of uploaded pictures can still be kept, never
// negative. It is less than Left, because the last part of the space is for videos
// that were paid for.
func (s Space) ForUploads() int64 {
	left := s.Left()
	if s.Max > 0 {
		left = min(left, s.Max-s.Max/forVideosPart-s.Used)
	}
	if s.Free >= 0 {
		left = min(left, s.Free-Reserve-forVideos)
	}
	return max(0, left)
}

// Bounded reports whether Max is reached before the disk is full.
func (s Space) Bounded() bool {
	return s.Max > 0 && (s.Free < 0 || s.Max-s.Used < s.Free-Reserve)
}

// Scarce reports whether space should be freed: something waits for it, or little
// is left. If Max is a tighter limit than the disk, a tenth of Max is enough, as Max may
// be small on purpose.
func (s Space) Scarce() bool {
	if s.Waiting > 0 {
		return true
	}
	enough := int64(scarce)
	if s.Bounded() {
		enough = min(enough, s.Max/10)
	}
	return s.Left() < enough
}
