package team

import (
	"net/http"
	"strings"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/site"
)

// A testedKey is a key that is to be kept, not sealed yet.
type testedKey struct {
	db.Key
	text string
}

// untested is said where the service could not be asked about the key.
func (k testedKey) untested() string {
	if k.CheckedAt.IsZero() {
		return " The service could not be asked about it just now; please test it in a moment."
	}
	return ""
}

// tested returns the key that the text is, or a sentence about why it cannot be
// used. With the sandbox an empty text is a new key of it.
func (k *Keys) tested(r *http.Request, name, text string) (kept testedKey, sentence string, err error) {
	if text == "" && k.site.Sandbox != nil {
		if text, err = k.site.Sandbox.NewKey(r.Context(), name, site.SandboxCredits); err != nil {
			return kept, "", err
		}
	}
	if sentence := site.KeySentence(text); sentence != "" {
		return kept, sentence, nil
	}
	kept = testedKey{db.Key{LastFour: db.LastFour(text), Fingerprint: k.site.Vault.Fingerprint(text), CreatedAt: db.Now()}, text}
	accepted, err := site.Accepts(r.Context(), k.service, text)
	if err != nil {
		k.site.Log.Warn("a key could not be tested", "err", err)
		return kept, "", nil
	}
	if !accepted {
		return kept, "The service does not accept this key, so nothing was changed. Please copy it once more.", nil
	}
	kept.CheckedAt, kept.Accepted = kept.CreatedAt, true
	return kept, "", nil
}

const nameTaken = "Another key of the team has this name."

// keyName returns the name that the form gives a key.
func keyName(r *http.Request) string {
	return strings.Join(strings.Fields(site.PlainText(r.PostFormValue("name"))), " ")
}

// nameSentence says why a key cannot have the name, empty if it can.
func nameSentence(name string) string {
	switch {
	case name == "":
		return "Please give the key a name, such as Marketing."
	case !team.NameFits(name):
		return "This name is too long. 60 characters are enough."
	}
	return ""
}
