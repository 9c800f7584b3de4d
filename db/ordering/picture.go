package ordering

import (
	"net/url"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

// A Picture is an image that a person uploaded. It is kept in the data folder under
// its hash, without metadata, and served to anybody with its token, because the
// video service has to fetch it.
type Picture struct {
	ID     int64
	UserID int64
	Token  string // unguessable; the end of its path; empty if only Sealed is known
	Sealed []byte // Token, sealed by a secrets.Vault for UserID
	// Elsewhere says that the token in Sealed was made for another video service than the one
	// that the team uses, which has to get an address of its own.
	Elsewhere bool
	// MemberID is the cast member that Token was made for, or 0, and EndedAt is when the
	// address ceased to be public, or zero.
	MemberID      int64
	EndedAt       time.Time
	Hash          string // SHA-256 of the content, in hex; names the blob
	Type          string // MIME type, detected from the bytes
	Size          int64  // bytes
	Width, Height int    // pixels
	Name          string // name of the file that the person uploaded
	CreatedAt     time.Time
}

// An Upload is a picture with the name of the person who uploaded it.
type Upload struct {
	Picture
	MakerName string
}

// A Quota limits the uploaded pictures of one person.
type Quota struct {
	Pictures int
	Bytes    int64
}

// UsualQuota is the default quota.
var UsualQuota = Quota{Pictures: 2000, Bytes: 2 << 30}

// Fits reports whether this many pictures with this many bytes are within the
// quota.
func (q Quota) Fits(pictures int, bytes int64) bool {
	return pictures <= q.Pictures && bytes <= q.Bytes
}

// PictureLife is how long a picture is kept that nothing refers to: no video, no
// recipe, no cast member, and no form that was filled in but not sent.
const PictureLife = 30 * 24 * time.Hour

// DeletableBy reports whether the person may delete the picture.
func (p Picture) DeletableBy(u db.User) bool { return p.UserID == u.ID || u.IsAdmin() }

// picturePath begins the paths of uploaded pictures, and thumbPath ends those of their
// thumbnails.
const (
	picturePath = "/p/"
	thumbPath   = "/small"
)

// Path returns the path of the picture's URL.
func (p Picture) Path() string { return picturePath + p.Token }

// ThumbPath returns the path of the picture's thumbnail, which only people who are
// signed in may fetch.
func (p Picture) ThumbPath() string { return p.Path() + thumbPath }

// PictureToken returns the token of the uploaded picture that the address may refer
// to, as such or as its thumbnail, or "". The host is ignored: it changes when the app is
// moved, and tokens cannot be guessed.
func PictureToken(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	token, ok := strings.CutPrefix(strings.TrimSuffix(u.Path, thumbPath), picturePath)
	if !ok || len(token) != len(secrets.NewToken()) || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return token
}

// A UsedPicture is the address of a picture that a person made a video from.
type UsedPicture struct {
	Address string
	At      time.Time
}
