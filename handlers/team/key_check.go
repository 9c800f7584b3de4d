package team

import (
	"net/http"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/site"
)

// A testedKey is a key that was checked with the service and is to be stored. It is not
// encrypted yet.
type testedKey struct {
	secrets.Key
	text  string
	found site.KeyFinding
}

// untested returns the sentence to add if the service did not say whether the key is
// good, else an empty string.
func (k testedKey) untested() string {
	if k.found.Settled() {
		return ""
	}
	return k.found.Told()
}

// tested returns the key in the form, or a sentence that says why it cannot be used.
// In sandbox mode, an empty text makes a new sandbox key.
func (k *keyTests) tested(r *http.Request, name string) (kept testedKey, sentence string, err error) {
	text := site.CleanKey(r.PostFormValue("key"))
	service := k.keyring.Service()
	if console := k.desk.Console(); text == "" && console != nil {
		if text, err = console.NewKey(r.Context(), name, site.SandboxCredits); err != nil {
			return kept, "", err
		}
	}
	if sentence := site.KeySentence(text); sentence != "" {
		return kept, sentence, nil
	}
	kept = testedKey{secrets.Key{ServiceID: service, LastFour: secrets.LastFour(text), Fingerprint: k.vault.Fingerprint(text), CreatedAt: db.Now()}, text, k.keyring.Test(r.Context(), service, text)}
	switch kept.found {
	case site.KeyRefused:
		return kept, site.KeyUnusable, nil
	case site.KeyAccepted:
		kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	}
	return kept, "", nil
}
