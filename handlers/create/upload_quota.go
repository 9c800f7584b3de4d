package create

import (
	"context"
	"sync"

	"dailies/db"
)

// Why a picture cannot be kept.
const (
	noRoom    = "There is no room for uploads at the moment; please tell an admin, or use a link."
	quotaFull = "Your uploaded pictures take all the room that one person has; please delete some of them under Your pictures, or use a link."
)

// uploadRoom is the room that is set aside for uploads that this process receives,
// so that many at one time do not each find the same room free, and nobody sends a
// file for nothing. What counts is the transaction in which a picture is written down.
type uploadRoom struct {
	mu       sync.Mutex
	bytes    int64
	byPerson map[int64]db.Quota
}

// bookRoom sets room aside for one picture of the person. If there is none, the
// sentence says why. The caller gives it back once the picture is written down.
func (h *Uploads) bookRoom(ctx context.Context, userID, bytes int64) (giveBack func(), refusal string, err error) {
	h.room.mu.Lock()
	defer h.room.mu.Unlock()
	if h.Space != nil {
		space, err := h.Space(ctx)
		if err != nil {
			return nil, "", err
		}
		if bytes+h.room.bytes > space.ForUploads() {
			return nil, noRoom, nil
		}
	}
	n, used, err := h.Store.PictureUse(ctx, userID)
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

// change books so much. The caller must hold u.mu.
func (u *uploadRoom) change(userID int64, pictures int, bytes int64) {
	u.bytes += bytes
	mine := u.byPerson[userID]
	mine.Pictures, mine.Bytes = mine.Pictures+pictures, mine.Bytes+bytes
	u.byPerson[userID] = mine
	if mine == (db.Quota{}) {
		delete(u.byPerson, userID)
	}
}
