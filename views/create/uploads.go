package create

import (
	"fmt"
	"net/url"
	"strconv"

	"dailies/db/ordering"
	"dailies/views/part"
)

// Uploads holds one page of the list of uploaded pictures.
type Uploads struct {
	Uploads []Upload
	All     bool // everybody's pictures, which only admins can list
	Admin   bool
	Page    int  // starts at 1
	More    bool // there is another page

	Count     int   // of the viewer's own pictures
	Used, Max int64 // bytes of the viewer's own pictures, and their limit

	Left     int   // pictures of people who have left, if all are listed
	LeftUsed int64 // their bytes
}

// left says how many pictures count for the team.
func (u Uploads) left() string {
	return part.Plural(u.Left, "%s picture of people who left, %s, counts for the team.", "%s pictures of people who left, %s, count for the team.", part.Bytes(u.LeftUsed))
}

// An Upload is one uploaded picture. Other users' pictures are listed but not
// displayed.
type Upload struct {
	Picture ordering.Picture
	Maker   string
	Mine    bool
}

func (u Uploads) path(page int) string {
	query := url.Values{}
	if u.All {
		query.Set("who", "all")
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	if len(query) == 0 {
		return "/pictures"
	}
	return "/pictures?" + query.Encode()
}

// name returns the name of the uploaded file.
func (u Upload) name() string {
	if u.Picture.Name == "" {
		return "a picture without a name"
	}
	return u.Picture.Name
}

// facts returns the size of the picture and, of another user's, the name of that user.
func (u Upload) facts() string {
	size := fmt.Sprintf("%d × %d, %s", u.Picture.Width, u.Picture.Height, part.Bytes(u.Picture.Size))
	if u.Mine {
		return size
	}
	return fmt.Sprintf("%s, %s", size, u.Maker)
}

func (u Upload) deletePath() string {
	return "/pictures/" + strconv.FormatInt(u.Picture.ID, 10) + "/delete"
}
