package site

import (
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/part"
)

// ShareLinks returns the links with what the viewer may see of them. An admin may
// revoke another user's link to a private video, but not open it.
func (s *Shares) ShareLinks(r *http.Request, shares []gallery.Share) []part.ShareLink {
	viewer, now := Me(r), db.Now()
	links := make([]part.ShareLink, 0, len(shares))
	for _, share := range shares {
		l := part.ShareLink{Share: share, Mine: share.CreatedBy == viewer.ID, Able: share.RevocableBy(viewer)}
		l.Asleep = share.TaskID != 0 && !share.Shows(share.Video, now)
		l.Secret = share.TaskID != 0 && !share.Video.VisibleTo(viewer.ID)
		if !l.Secret {
			l.Address = s.shownAgain(r, share)
		}
		links = append(links, l)
	}
	return links
}

// Visited fills in the guests of the links.
func (s *Shares) Visited(r *http.Request, links ...*part.ShareLink) error {
	var ids []int64
	for _, l := range links {
		ids = append(ids, l.Share.ID)
	}
	found, err := s.guests.Visitors(r.Context(), ids)
	for _, l := range links {
		l.Visitors = found[l.Share.ID]
	}
	return err
}

// shownAgain returns the link's full URL, or "" if its token cannot be decrypted
// because the data was restored without its secret.
func (s *Shares) shownAgain(r *http.Request, share gallery.Share) string {
	token, err := s.vault.OpenToken(share.CreatedBy, share.Sealed)
	if err != nil {
		return ""
	}
	share.Token = token
	return s.ShareAddress(r, share)
}

// ShareAddress returns the public URL of the link.
func (s *Shares) ShareAddress(r *http.Request, share gallery.Share) string {
	return s.network.Origin(r) + "/share/" + share.Token
}
