package db

// A Space tells how many bytes of the disk the kept files take, and may take.
type Space struct {
	Used int64 // bytes of all kept files
	Max  int64 // bytes that they may take together; 0 is no bound
	Free int64 // bytes free on the disk; negative if that is not known
	// Waiting is how many videos could not be kept for want of room.
	Waiting int
}

const (
	// Reserve stays free on the disk: the database needs room to write down
	// what is paid for.
	Reserve = 1 << 30

	// forVideos is how much of the disk beyond Reserve, and what part of Max, is
	// for paid videos alone.
	forVideos     = 1 << 30
	forVideosPart = 10

	// scarce is how much is left when it is time to make room.
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

// ForUploads returns how many bytes of uploaded pictures can still be kept,
// never negative. It is less than Left: the last of the room is for videos that
// somebody has paid for.
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

// Bounded reports whether the bound is met before the disk is full.
func (s Space) Bounded() bool {
	return s.Max > 0 && (s.Free < 0 || s.Max-s.Used < s.Free-Reserve)
}

// Scarce reports whether it is time to make room: something waits for it, or
// little is left. A small bound is a choice: of one, a tenth must be left.
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
