package site

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Has reports whether the viewer has an API key that can be decrypted.
func (k *Keys) Has(r *http.Request) (bool, error) {
	_, _, err := k.Open(r)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Lack returns which key the viewer lacks, their own or one of the team, or "" if
// they have a key that can be decrypted.
func (k *Keys) Lack(r *http.Request) (part.KeyLack, error) {
	if has, err := k.Has(r); err != nil || has {
		return "", err
	}
	if own, err := k.keys.OwnKeysAllowed(r.Context()); err != nil || own {
		return part.LacksOwnKey, err
	}
	if Me(r).IsAdmin() {
		return part.LacksAnyKey, nil
	}
	return part.LacksTeamKey, nil
}

// Service returns the ID of the service that the team uses.
func (k *Keys) Service() int64 { return k.registry.Current().ID }

// Put encrypts and stores a user's API key for the service with the ID. accepted says that
// the service has accepted it. It returns db.ErrConflict if the team does not use that
// service any more.
func (k *Keys) Put(ctx context.Context, userID, service int64, key string, accepted bool) error {
	kept := secrets.Key{
		UserID: userID, ServiceID: service, Sealed: k.vault.Seal(userID, key), Fingerprint: k.vault.Fingerprint(key),
		LastFour: secrets.LastFour(key), CreatedAt: db.Now(),
	}
	if accepted {
		kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	}
	return k.keys.PutKey(ctx, kept)
}

// Open returns the key that the viewer's next video will be sent with, sealed and in
// clear text. It returns db.ErrNotFound if there is none, or, together with the
// sealed key, if it cannot be decrypted.
func (k *Keys) Open(r *http.Request) (secrets.Key, string, error) {
	return k.InUse(r.Context(), Me(r).ID)
}

// InUse is like Open for the user with the ID.
func (k *Keys) InUse(ctx context.Context, userID int64) (secrets.Key, string, error) {
	return k.open(k.keys.KeyInUse(ctx, userID))
}

// OpenOwn is like Open for the viewer's own key, even if another one is used.
func (k *Keys) OpenOwn(r *http.Request) (secrets.Key, string, error) {
	return k.open(k.keys.Key(r.Context(), Me(r).ID))
}

func (k *Keys) open(kept secrets.Key, err error) (secrets.Key, string, error) {
	if err != nil {
		return kept, "", err
	}
	key, err := k.vault.OpenKey(kept)
	return kept, key, err
}

// bearer matches what stands before a key where it was copied from: the name of its header.
var bearer = regexp.MustCompile(`(?i)^\s*(authorization\s*:)?\s*bearer\s+`)

// CleanKey returns a key as it was pasted, without blanks and quotation marks around it and
// without the words "Authorization: Bearer".
func CleanKey(pasted string) string {
	key := strings.Trim(strings.TrimSpace(pasted), "\"'`“”")
	return strings.Trim(strings.TrimSpace(bearer.ReplaceAllString(key, "")), "\"'`“”")
}

// KeySentence returns why a key cannot be used, or "" if it can.
func KeySentence(key string) string { return Broken(key, part.KeyRules()) }

// A KeyFinding is what a test of a key with the service has shown.
type KeyFinding int

const (
	KeyUnreached KeyFinding = iota // the service could not be reached
	KeyUnsaid                      // the service answered, and did not say whether the key is good
	KeyAccepted
	KeyRefused
)

// keyPatience is how long a page waits for the service's answer about a key.
const keyPatience = 10 * time.Second

// Test asks the service with the ID whether it accepts the key. The call costs no credits,
// because it queries a task that does not exist.
func (k *Keys) Test(ctx context.Context, service int64, key string) KeyFinding {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	client, err := k.registry.Client(ctx, service)
	if err == nil {
		err = client.CheckKey(ctx, key)
	}
	var e *videoapi.Error
	switch {
	case err == nil:
		return KeyAccepted
	case errors.As(err, &e) && e.Kind == videoapi.KeyRefused:
		return KeyRefused
	case errors.Is(err, videoapi.ErrUnsaid):
		return KeyUnsaid
	}
	k.log.Warn("a key could not be tested", "err", err)
	return KeyUnreached
}

// IsConclusive reports whether the service said whether it accepts the key.
func (f KeyFinding) IsConclusive() bool { return f == KeyAccepted || f == KeyRefused }
