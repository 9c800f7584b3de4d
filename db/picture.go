package db

import (
	"net/url"
	"strings"
	"time"
)

// A Picture is one that a person uploaded. It is kept in the data folder under
// its hash, without metadata, and served to whoever knows its token, because
// the video service has to fetch it.
type Picture struct {
	ID            int64
	UserID        int64
	Token         string // unguessable; the end of its address; empty where only Sealed is known
	Sealed        []byte // Token, by a Vault, for UserID
	Hash          string // SHA-256 of the content, in hex; names the blob
	Type          string // MIME type, judged by the bytes
	Size          int64  // bytes
	Width, Height int    // pixels
	Name          string // what the person's file was called
	CreatedAt     time.Time
}

// An Upload is a picture with the name of the person who uploaded it.
type Upload struct {
	Picture
	MakerName string
}

// A Quota bounds the uploaded pictures of one person.
type Quota struct {
	Pictures int
	Bytes    int64
}

// UsualQuota is the quota where none is set.
var UsualQuota = Quota{Pictures: 2000, Bytes: 2 << 30}

// Fits reports whether so many pictures of so many bytes keep to the quota.
func (q Quota) Fits(pictures int, bytes int64) bool {
	return pictures <= q.Pictures && bytes <= q.Bytes
}

// PictureLife is how long a picture stays that nothing refers to: no video, no
// recipe, and nothing that somebody has typed and not sent.
const PictureLife = 30 * 24 * time.Hour

// DeletableBy reports whether the person may delete the picture.
func (p Picture) DeletableBy(u User) bool { return p.UserID == u.ID || u.IsAdmin() }

// picturePath is where the addresses of uploaded pictures lie.
const picturePath = "/p/"

// Path returns the picture's address without a host.
func (p Picture) Path() string { return picturePath + p.Token }

// ThumbPath returns the address, without a host, at which the picture is small.
// Only people who are signed in see it there.
func (p Picture) ThumbPath() string { return p.Path() + "/small" }

// PictureToken returns the token of an uploaded picture that the address may lead
// to, or empty. The host does not matter: it is another one after a move, and
// nobody guesses a token.
func PictureToken(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	token, ok := strings.CutPrefix(u.Path, picturePath)
	if !ok || len(token) != len(NewToken()) || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return token
}

// A UsedPicture is an address that a person made a video from.
type UsedPicture struct {
	Address string
	At      time.Time
}
