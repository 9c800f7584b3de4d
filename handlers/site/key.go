package site

import (
	"context"
	"errors"
	"net/http"

	"dailies/db"
)

// Has reports whether the viewer has an API key that opens.
func (k *Keys) Has(r *http.Request) (bool, error) {
	_, _, err := k.Open(r)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (k *Keys) Put(ctx context.Context, userID int64, key string, accepted bool) error {
	kept := db.Key{
		UserID: userID, Sealed: k.site.Vault.Seal(userID, key), Fingerprint: k.site.Vault.Fingerprint(key),
		LastFour: db.LastFour(key), CreatedAt: db.Now(),
	}
	if accepted {
		kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	}
	return k.site.Store.PutKey(ctx, kept)
}

// Open is the viewer's key, sealed and in the clear. One that does not open
// is db.ErrNotFound as one that is missing, but what is kept of it is returned.
func (k *Keys) Open(r *http.Request) (db.Key, string, error) {
	kept, err := k.site.Store.Key(r.Context(), Me(r).ID)
	if err != nil {
		return kept, "", err
	}
	key, err := k.site.Vault.Open(kept.UserID, kept.Sealed)
	return kept, key, err
}
