package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/program"
	"dailies/db/store/people"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/throttle"
)

// A Caller is a program with a token, and the person for whom it acts.
type Caller struct {
	User  db.User
	Token program.Token
	May   program.Permission // what the token may do, as far as the person may
}

type callerKey struct{}

// caller returns the program that sends a request which has passed a Guard.
func caller(r *http.Request) Caller {
	c, _ := r.Context().Value(callerKey{}).(Caller)
	return c
}

// A Guard lets only those requests through that have a token which may do what they ask
// for. Cookies and query strings open nothing.
type Guard struct {
	log      *slog.Logger
	network  *site.Network
	programs *people.Programs
	rates    *throttle.Throttle
	queries  map[string][]string // the parameters that the document has for each route with GET
}

// Look lets every token through.
func (g *Guard) Look(h web.Handler) web.Handler {
	return g.let(program.Look, false, h, (*Problem).send)
}

// Make lets tokens through that may make videos.
func (g *Guard) Make(h web.Handler) web.Handler {
	return g.let(program.Make, false, h, (*Problem).send)
}

// Spend is like Make, for requests that cost credits.
func (g *Guard) Spend(h web.Handler) web.Handler {
	return g.let(program.Make, true, h, (*Problem).send)
}

// Change lets tokens through that may change things.
func (g *Guard) Change(h web.Handler) web.Handler {
	return g.let(program.Change, false, h, (*Problem).send)
}

// Query is like Look, in the service's dialect.
func (g *Guard) Query(h web.Handler) web.Handler {
	return g.let(program.Look, false, h, (*Problem).envelop)
}

// Generate is like Spend, in the service's dialect.
func (g *Guard) Generate(h web.Handler) web.Handler {
	return g.let(program.Make, true, h, (*Problem).envelop)
}

// Anybody lets everybody through, who needs no token.
func (g *Guard) Anybody(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := g.paceStranger(w, r); err != nil {
			return problemOf(err).send(w)
		}
		return h(w, r)
	}
}

func (g *Guard) let(needed program.Permission, spends bool, h web.Handler, send func(*Problem, http.ResponseWriter) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := g.pass(w, r, needed, spends, h)
		if err == nil {
			return nil
		}
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError && r.Context().Err() == nil {
			g.log.Error("A request of a program failed", "route", r.Pattern, "err", err)
		}
		return send(p, w)
	}
}

func (g *Guard) pass(w http.ResponseWriter, r *http.Request, needed program.Permission, spends bool, h web.Handler) error {
	c, err := g.find(r)
	if err != nil {
		return cmp.Or(g.paceStranger(w, r), err)
	}
	if err := g.pace(w, c, spends); err != nil {
		return err
	}
	if !c.May.Includes(needed) {
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: lookOnly}
	}
	if name := g.unknownQuery(r); name != "" {
		return wrong(name, unknownQuery(name))
	}
	web.LogUser(r.Context(), c.User.ID)
	ctx := audit.Acting(r.Context(), audit.Actor{UserID: c.User.ID, Name: c.User.Name, Address: g.network.Address(r)})
	return h(w, r.WithContext(context.WithValue(ctx, callerKey{}, c)))
}

// usedEvery is how exactly the last use of a token is recorded.
const usedEvery = time.Minute

// find returns who sends the request.
func (g *Guard) find(r *http.Request) (Caller, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	hash, ok := program.Parse(strings.TrimSpace(secret))
	nobody := &Problem{Status: http.StatusUnauthorized, Code: Unauthorized, Detail: noToken}
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return Caller{}, nobody
	}
	now := db.Now()
	token, user, err := g.programs.Find(r.Context(), hash, now)
	if errors.Is(err, db.ErrNotFound) {
		return Caller{}, nobody
	}
	if err != nil {
		return Caller{}, err
	}
	if from := g.network.Address(r); now.Sub(token.UsedAt) >= usedEvery || from != token.UsedFrom {
		if err := g.programs.Used(r.Context(), token.ID, from, now); err != nil {
			g.log.Warn("The use of a token is not recorded", "err", err)
		}
	}
	c := Caller{user, token, token.May}
	if !user.Makes() {
		c.May = program.Look
	}
	return c, nil
}

// Requests that a token may send in a minute, and how many of these may spend.
const (
	mostRequests = 1200
	mostSpending = 300
)

// unknownQuery returns the name of a parameter of the request that the document does not have.
// Whoever misspells a filter would get everything.
func (g *Guard) unknownQuery(r *http.Request) string {
	known, documented := g.queries[r.Pattern]
	if !documented || r.URL.RawQuery == "" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// paceStranger is pace for requests without a token that works: they are counted for each
// network address.
func (g *Guard) paceStranger(w http.ResponseWriter, r *http.Request) error {
	return g.take(w, throttle.Rate{Name: fmt.Sprintf("requests from %s", g.network.Address(r)), Burst: mostRequests,
		Every: time.Minute / mostRequests})
}

// pace limits how many requests a token sends, and says how many are left.
func (g *Guard) pace(w http.ResponseWriter, c Caller, spends bool) error {
	all := throttle.Rate{Name: fmt.Sprintf("token %d", c.Token.ID), Burst: mostRequests, Every: time.Minute / mostRequests}
	if !spends {
		return g.take(w, all)
	}
	return g.take(w, all,
		throttle.Rate{Name: fmt.Sprintf("spending of token %d", c.Token.ID), Burst: mostSpending, Every: time.Minute / mostSpending})
}

// take takes a request from the rates, that of all requests first, and sets the headers that
// say how many are left.
func (g *Guard) take(w http.ResponseWriter, rates ...throttle.Rate) error {
	_, wait := g.rates.Take(rates...)
	var policy, rest []string
	for i, name := range []string{"requests", "spending"}[:len(rates)] {
		left, full := g.rates.Left(rates[i])
		policy = append(policy, fmt.Sprintf(`"%s";q=%d;w=60`, name, rates[i].Burst))
		rest = append(rest, fmt.Sprintf(`"%s";r=%d;t=%d`, name, left, seconds(full)))
	}
	w.Header().Set("RateLimit-Policy", strings.Join(policy, ", "))
	w.Header().Set("RateLimit", strings.Join(rest, ", "))
	if wait > 0 {
		return &Problem{Status: http.StatusTooManyRequests, Code: TooMany, Detail: tooManyRequests, Wait: max(1, seconds(wait))}
	}
	return nil
}

// seconds rounds up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
