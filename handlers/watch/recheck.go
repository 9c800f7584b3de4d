package watch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/web/openid"
)

// A Recheck asks the OpenID Connect provider from time to time whether people whose
// sessions began by it may still be signed in, and with which role.
type Recheck struct {
	store    *store.Store
	vault    *secrets.Vault
	provider *openid.Provider
	log      *slog.Logger
	owner    string // the name under which this process holds leases
}

// NewRecheck returns a Recheck. A nil provider means that there is none.
func NewRecheck(s *store.Store, vault *secrets.Vault, provider *openid.Provider, log *slog.Logger) *Recheck {
	return &Recheck{s, vault, provider, log, s.Process()}
}

const (
	recheckPause  = 20 * time.Second // between two looks for due sessions
	recheckAtOnce = 4                // sessions asked about at the same time
	storeAgain    = 5 * time.Second  // between two tries to store an answer
)

// Run works until ctx ends.
func (c *Recheck) Run(ctx context.Context) error {
	if c.provider == nil {
		return nil
	}
	for ctx.Err() == nil {
		n, err := c.Round(ctx)
		if err != nil && ctx.Err() == nil {
			c.log.Error("cannot read which sessions of the provider are to be checked", "err", err)
		}
		if n < recheckAtOnce {
			sleep(ctx, recheckPause)
		}
	}
	return nil
}

// Round asks about a few sessions that are due, and returns their number.
func (c *Recheck) Round(ctx context.Context) (int, error) {
	due, err := c.store.SignOn.ClaimProviderSessions(ctx, c.owner, c.store.Now(), recheckAtOnce)
	if err != nil {
		return 0, err
	}
	var all sync.WaitGroup
	for _, p := range due {
		all.Go(func() {
			// A refresh token that was used must be replaced, also while the program ends.
			if err := c.check(context.WithoutCancel(ctx), ctx.Done(), p); err != nil {
				c.log.Error("a session of the provider could not be checked", "user", p.UserID, "err", err)
			}
		})
	}
	all.Wait()
	return len(due), nil
}

// check asks the provider about one session. It waits for nothing any more once stopping is
// closed.
func (c *Recheck) check(ctx context.Context, stopping <-chan struct{}, p signin.ProviderSession) error {
	var kept openid.Kept
	text, err := c.vault.OpenTokens(p.UserID, p.Sealed)
	if err == nil {
		err = json.Unmarshal([]byte(text), &kept)
	}
	if err != nil || kept.Issuer != c.provider.Issuer() { // cannot be asked any more
		return c.store.SignOn.SettleProviderSession(ctx, c.owner, p, true, time.Time{})
	}
	rules, err := c.store.SignOn.Rules(ctx)
	if err != nil {
		return err
	}
	claims, known, next, err := c.provider.Refresh(ctx, kept.Tokens, kept.Subject, rules.RoleClaim)
	if errors.Is(err, openid.ErrEnded) {
		c.log.Info("the provider no longer signs somebody in; the session has ended", "user", p.UserID)
		return c.store.SignOn.EndProviderSession(ctx, p)
	}
	kept.Tokens = next
	p.Sealed = c.vault.SealTokens(p.UserID, kept.String())
	giveUp := time.Now().Add(signin.RecheckLease / 2)
	settled := untilStored(stopping, giveUp, func() error {
		return c.store.SignOn.SettleProviderSession(ctx, c.owner, p, err == nil, c.store.Now().Add(pauseBeforeRecheck(p, err)))
	})
	if err != nil || !known {
		return errors.Join(err, settled)
	}
	return errors.Join(settled, untilStored(stopping, giveUp, func() error { return c.apply(ctx, p.UserID, signin.Claims(claims)) }))
}

// apply applies what the provider says about a person.
func (c *Recheck) apply(ctx context.Context, userID int64, claims signin.Claims) error {
	err := c.store.SignOn.RecheckClaims(ctx, userID, claims, db.Now())
	if errors.Is(err, signin.RefusedRole) {
		c.log.Info(
			"the provider gives somebody no role any more; their sessions from it have ended, and their tokens and webhooks rest",
			"user", userID,
		)
		return nil
	}
	return err
}

// untilStored stores an answer of the provider. While the database fails, it tries again,
// until the time comes to give up, or stopping is closed. The provider accepts each refresh
// token once: if its successor were lost, the provider would end the session, and would say
// nothing more about the person's role, on which their tokens depend.
func untilStored(stopping <-chan struct{}, giveUp time.Time, put func() error) error {
	for {
		err := put()
		if err == nil || !time.Now().Before(giveUp) {
			return err
		}
		select {
		case <-stopping:
			return err
		case <-time.After(storeAgain):
		}
	}
}

// pauseBeforeRecheck returns when to ask again: after an answer, and after failures.
func pauseBeforeRecheck(p signin.ProviderSession, err error) time.Duration {
	if err == nil {
		return signin.RecheckEvery
	}
	return min(signin.RecheckEvery, 30*time.Second<<min(p.Tries, 10))
}
