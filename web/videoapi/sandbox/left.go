package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
)

// leftCookie carries what a form did to the page that follows it.
const leftCookie = "sandbox_said"

type left struct {
	Said string
	Key  string // a new one
}

// leave ends a form: the page at to, with a sentence about it.
func leave(w http.ResponseWriter, r *http.Request, to string, l left) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	http.SetCookie(w, cookie(r, leftCookie, base64.RawURLEncoding.EncodeToString(text), time.Minute))
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// taken is what was left, once.
func taken(w http.ResponseWriter, r *http.Request) (l left) {
	c, err := r.Cookie(leftCookie)
	if err != nil {
		return l
	}
	http.SetCookie(w, cookie(r, leftCookie, "", -time.Second))
	if text, err := base64.RawURLEncoding.DecodeString(c.Value); err != nil || json.Unmarshal(text, &l) != nil {
		return left{} // not ours
	}
	return l
}
