package api

import (
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Quotes says what videos would cost.
type Quotes struct {
	catalog *videoapi.Catalog
	press   *create.Press
}

// quotedFor is how long a program may rely on a quote, unless prices change.
const quotedFor = 15 * time.Minute

// A quote gives the price of videos. Null is unknown, or no limit.
type quote struct {
	Quote   string   `json:"quote"`
	Credits *float64 `json:"credits"` // for the whole request
	Price   string   `json:"price"`   // stated, estimated or unknown
	Left    left     `json:"left"`
	Expires string   `json:"expires_at"`
}

// left holds how many credits may still be spent this month. Null is no limit.
type left struct {
	Cap   *float64 `json:"cap"`
	Limit *float64 `json:"limit"`
}

// Quote answers with what the videos would cost, and makes none.
func (h *Quotes) Quote(w http.ResponseWriter, r *http.Request, c Caller) error {
	var b body
	if _, err := readBody(w, r, &b); err != nil {
		return err
	}
	if err := b.check(false); err != nil {
		return err
	}
	o, err := b.order(h.catalog, c.User)
	if err != nil {
		return err
	}
	price, problems, err := h.press.Quote(r.Context(), o)
	if err != nil {
		return err
	}
	if problems != nil {
		return problemIn(problems)
	}
	if err := b.allows(price, true); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, quote{
		Quote: "q_" + secrets.NewToken(), Credits: amount(price.Total()), Price: certainty(price),
		Left: left{amount(c.Token.Left()), amount(price.Room.Left())}, Expires: stamp(db.Now().Add(quotedFor)),
	})
}

// certainty says where a price comes from.
func certainty(p part.Price) string {
	switch {
	case !p.Credits.Known:
		return "unknown"
	case p.Stated:
		return "stated"
	}
	return "estimated"
}
