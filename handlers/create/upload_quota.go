package create

import (
	"context"
	"sync"

	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/video"
	createview "dailies/views/create"
)

// UploadRoom knows whether there is room for another picture.
type UploadRoom struct {
	Booked Bookings
	Quota  ordering.Quota                                // of each user
	Space  func(context.Context) (schedule.Space, error) // nil if it is not limited
	Stored *video.Pictures
}

// Bookings count the room reserved for uploads that this process is receiving, so
// that simultaneous uploads do not all count on the same free room, and nobody sends
// a file in vain. The transaction that records a picture makes the final decision.
type Bookings struct {
	mu       sync.Mutex
	bytes    int64
	ByPerson map[int64]ordering.Quota
}

// Book reserves room for one picture of the user. If there is none, refusal says
// why. The caller must call giveBack once the picture is recorded.
func (h *UploadRoom) Book(ctx context.Context, userID, bytes int64) (giveBack func(), refusal string, err error) {
	h.Booked.mu.Lock()
	defer h.Booked.mu.Unlock()
	if h.Space != nil {
		space, err := h.Space(ctx)
		if err != nil {
			return nil, "", err
		}
		if bytes+h.Booked.bytes > space.ForUploads() {
			return nil, createview.StorageFull, nil
		}
	}
	n, used, err := h.Stored.PictureUse(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	mine := h.Booked.ByPerson[userID]
	if !h.Quota.Fits(n+mine.Pictures+1, used+mine.Bytes+bytes) {
		return nil, createview.AlbumFull, nil
	}
	h.Booked.change(userID, 1, bytes)
	return sync.OnceFunc(func() {
		h.Booked.mu.Lock()
		defer h.Booked.mu.Unlock()
		h.Booked.change(userID, -1, -bytes)
	}), "", nil
}

// change adds to the user's reservation. The caller must hold b.mu.
func (b *Bookings) change(userID int64, pictures int, bytes int64) {
	b.bytes += bytes
	mine := b.ByPerson[userID]
	mine.Pictures, mine.Bytes = mine.Pictures+pictures, mine.Bytes+bytes
	b.ByPerson[userID] = mine
	if mine == (ordering.Quota{}) {
		delete(b.ByPerson, userID)
	}
}
