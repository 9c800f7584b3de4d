package create

import (
	"context"
	"sync"

	"dailies/db/ordering"
)

// The reasons why a picture cannot be stored.
const (
	noRoom    = "There is no room for uploads at the moment; please tell an admin, or use a link."
	quotaFull = "Your uploaded pictures take all the room that one person has; please delete some of them under Your pictures, or use a link."
)

// uploadRoom counts the room reserved for uploads that this process is receiving, so
// that simultaneous uploads do not all count on the same free room, and nobody sends
// a file in vain. The transaction that records a picture makes the final decision.
type uploadRoom struct {
	mu       sync.Mutex
	bytes    int64
	byPerson map[int64]ordering.Quota
}

// bookRoom reserves room for one picture of the user. If there is none, refusal says
// why. The caller must call giveBack once the picture is recorded.
func (h *Uploads) bookRoom(ctx context.Context, userID, bytes int64) (giveBack func(), refusal string, err error) {
	h.room.mu.Lock()
	defer h.room.mu.Unlock()
	if h.space != nil {
		space, err := h.space(ctx)
		if err != nil {
			return nil, "", err
		}
		if bytes+h.room.bytes > space.ForUploads() {
			return nil, noRoom, nil
		}
	}
	n, used, err := h.picturesStore.PictureUse(ctx, userID)
	if err != nil {
		return nil, "", err
	}
	mine := h.room.byPerson[userID]
	if !h.quota.Fits(n+mine.Pictures+1, used+mine.Bytes+bytes) {
		return nil, quotaFull, nil
	}
	h.room.change(userID, 1, bytes)
	return sync.OnceFunc(func() {
		h.room.mu.Lock()
		defer h.room.mu.Unlock()
		h.room.change(userID, -1, -bytes)
	}), "", nil
}

// change adds to the user's reservation. The caller must hold u.mu.
func (u *uploadRoom) change(userID int64, pictures int, bytes int64) {
	u.bytes += bytes
	mine := u.byPerson[userID]
	mine.Pictures, mine.Bytes = mine.Pictures+pictures, mine.Bytes+bytes
	u.byPerson[userID] = mine
	if mine == (ordering.Quota{}) {
		delete(u.byPerson, userID)
	}
}
