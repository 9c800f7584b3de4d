package create

import (
	"context"
	"sync"

	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/video"
	createview "dailies/views/create"
)

// uploadRoom knows whether there is room for another picture.
type uploadRoom struct {
	booked bookings
	quota  ordering.Quota                                // of each user
	space  func(context.Context) (schedule.Space, error) // nil if it is not limited
	stored *video.Pictures
}

// bookings count the room reserved for uploads that this process is receiving, so
// that simultaneous uploads do not all count on the same free room, and nobody sends
// a file in vain. The transaction that records a picture makes the final decision.
type bookings struct {
	mu       sync.Mutex
	bytes    int64
	byPerson map[int64]ordering.Quota
}

// book reserves room for one picture of the user. If there is none, refusal says
// why. The caller must call giveBack once the picture is recorded.
func (h *uploadRoom) book(ctx context.Context, userID, bytes int64) (giveBack func(), refusal string, err error) {
	h.booked.mu.Lock()
	defer h.booked.mu.Unlock()
	if h.space != nil {
		space, err := h.space(ctx)
		if err != nil {
			return nil, "", err
		}
		if bytes+h.booked.bytes > space.ForUploads() {
			return nil, createview.StorageFull, nil
		}
	}
	n, used, err := h.stored.PictureUse(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	mine := h.booked.byPerson[userID]
	if !h.quota.Fits(n+mine.Pictures+1, used+mine.Bytes+bytes) {
		return nil, createview.AlbumFull, nil
	}
	h.booked.change(userID, 1, bytes)
	return sync.OnceFunc(func() {
		h.booked.mu.Lock()
		defer h.booked.mu.Unlock()
		h.booked.change(userID, -1, -bytes)
	}), "", nil
}

// change adds to the user's reservation. The caller must hold b.mu.
func (b *bookings) change(userID int64, pictures int, bytes int64) {
	b.bytes += bytes
	mine := b.byPerson[userID]
	mine.Pictures, mine.Bytes = mine.Pictures+pictures, mine.Bytes+bytes
	b.byPerson[userID] = mine
	if mine == (ordering.Quota{}) {
		delete(b.byPerson, userID)
	}
}
