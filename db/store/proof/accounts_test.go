package proof_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
)

func (h *history) recipe() {
	r := ordering.Recipe{
		Name: h.text(), Note: h.text(),
		Request:   db.Request{Scene: one(h, scenes...), Model: one(h, models...), Prompt: h.text() + "{{x}}", Options: h.options()},
		Ceiling:   h.credits(),
		CreatedBy: h.person().ID, CreatedAt: h.now, ChangedAt: h.now,
	}
	if h.n(3) == 0 {
		r.TaskID = h.id()
	}
	id, what := h.small(), h.n(4)
	h.do(fmt.Sprint("recipe ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0:
			return s.Recipes.UpdateRecipe(ctx, id, func(old *ordering.Recipe) error { return old.Delete(h.now) })
		case 1:
			return s.Recipes.UpdateRecipe(ctx, id, func(old *ordering.Recipe) error {
				old.Name, old.Prompt, old.Ceiling, old.ChangedAt = r.Name, r.Prompt, r.Ceiling, h.now
				old.DeletedAt = time.Time{}
				return nil
			})
		}
		r := r
		err := s.Recipes.AddRecipe(ctx, &r)
		return r, err
	})
}

// pictureToken returns the token at the end of an uploaded picture's address.
func pictureToken(n int) string { return strings.Repeat("A", 25) + string(rune('A'+n)) }

func (h *history) picture() {
	n := h.n(3)
	p := ordering.Picture{
		UserID: h.person().ID, Token: pictureToken(n), Sealed: []byte("x"), Hash: fmt.Sprintf("%064x", 200+n), Type: "image/png",
		Size: int64(100 * n), Width: 64, Height: 36,
		Name: h.text(), CreatedAt: h.now,
	}
	id, later, what := h.small(), h.now.Add(time.Duration(h.n(60))*24*time.Hour), h.n(6)
	h.do(fmt.Sprint("picture ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0:
			return nil, s.Pictures.DeletePicture(ctx, id, h.now)
		case 1:
			return s.Pictures.SweepPictures(ctx, later)
		case 2:
			return nil, s.Pictures.SetThumbnail(ctx, id, []byte("\xff\xd8"))
		}
		p := p
		err := s.Pictures.AddPicture(ctx, &p)
		return p, err
	})
}

// account makes a call about people, their sessions or their keys.
func (h *history) account() {
	u, what := h.person(), h.n(12)
	switch what {
	case 0:
		h.join(db.User{
			Name: h.text(), Email: one(h, "PERSON1@EXAMPLE.COM", "ö@example.com", "Ö@example.com", "new@example.com"),
			Role: db.Member, CreatedAt: h.now,
		})
		return
	case 1:
		session := signin.NewSession(u.ID, secrets.HashToken(fmt.Sprint("session ", h.steps)), h.text(), h.now)
		signed, ok := h.do("sign in", func(ctx context.Context, s *store.Store) (any, error) {
			session := session
			err := s.Sessions.SignIn(ctx, &session, "hash", "")
			return session, err
		}).(signin.Session)
		if ok {
			h.sessions = append(h.sessions, signed)
		}
		return
	}
	session := signin.Session{ID: 1, UserID: u.ID}
	if len(h.sessions) > 0 {
		session = h.sessions[h.n(len(h.sessions))]
	}
	token, k, text, later := secrets.HashToken(fmt.Sprint("token ", h.steps)), h.key(u), h.text(), h.now.Add(time.Duration(h.n(100))*24*time.Hour)
	if h.n(4) == 0 {
		k.Fingerprint = nil
	}
	h.do(fmt.Sprint("account ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 2:
			return nil, s.Sessions.TouchSession(ctx, session.ID, h.now, later)
		case 3:
			return nil, s.Sessions.EndSession(ctx, session.UserID, session.ID)
		case 4:
			return nil, s.Sessions.RenewSession(ctx, session.ID, session.Token, token)
		case 5:
			return nil, changePassword(s, ctx, u.ID, "hash", "hash", session.ID, token)
		case 6:
			if err := s.Sessions.AddReset(ctx, signin.Reset{
				UserID: u.ID, Token: token, CreatedAt: h.now, ExpiresAt: h.now.Add(signin.ResetLife),
			}); err != nil {
				return nil, err
			}
			return nil, useReset(s, ctx, token, "hash", later)
		case 7:
			return nil, s.Sessions.SweepSessions(ctx, later)
		case 8:
			return nil, s.Accounts.SetUserName(ctx, u.ID, text)
		case 9:
			return nil, s.Keys.DeleteKey(ctx, u.ID)
		}
		return nil, s.Keys.PutKey(ctx, k)
	})
}

func (h *history) settings() {
	zone, value, limit, what := one(h, timeZones...), h.text(), 1+h.n(5), h.n(4)
	h.do(fmt.Sprint("settings ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0:
			return nil, s.Settings.SetSetting(ctx, "a name", value)
		case 1:
			return nil, s.Settings.SetTimeZone(ctx, zone)
		}
		return s.Settings.RebuildDays(ctx, limit)
	})
}

// notices makes a call about webhooks, or about covers that wait for a thumbnail.
func (h *history) notices() {
	u, status, what, hook := h.person(), one(h, 200, 410, 500), h.n(6), int64(1+h.n(4))
	thumb := db.Media{
		Kind: db.Thumb, Hash: fmt.Sprintf("%064x", 400+h.n(3)), Type: "image/jpeg", Size: 9, Width: 64, Height: 36,
		CreatedAt: h.now,
	}
	h.do(fmt.Sprint("notices ", what), func(ctx context.Context, s *store.Store) (any, error) {
		switch what {
		case 0:
			return s.Webhooks.AddTest(ctx, hook, u.ID, h.now)
		case 1:
			return nil, s.Webhooks.Delete(ctx, hook, u.ID)
		case 2:
			due, err := s.Webhooks.ClaimDeliveries(ctx, "one", h.now, h.now.Add(time.Minute), 3)
			for i := range due {
				due[i].Name = "" // it is random
				if _, _, err := s.Webhooks.SettleDelivery(ctx, "one", due[i], outbox.Attempt{HTTP: status, At: h.now}); err != nil {
					return nil, err
				}
			}
			return due, err
		case 3:
			m, err := s.Files.ClaimCover(ctx, h.now, h.now.Add(time.Minute))
			if err != nil {
				return nil, err
			}
			thumb := thumb
			err = s.Files.SetCoverThumb(ctx, m, &thumb, h.now)
			return m, err
		}
		added := outbox.Webhook{
			UserID: u.ID * int64(what%2), Address: "https://example.com/hook", Events: outbox.Events(), Standard: true,
			CreatedAt: h.now,
		}
		err := s.Webhooks.Add(ctx, &added, []byte("x"), u.ID)
		return added, err
	})
}

// useReset sets a password with a link.
func useReset(s *store.Store, ctx context.Context, token secrets.TokenHash, hash string, now time.Time) error {
	_, err := s.Sessions.UseReset(ctx, token, hash, now)
	return err
}

// changePassword changes a password, and ends tokens and webhooks.
func changePassword(s *store.Store, ctx context.Context, userID int64, checked, hash string, keepID int64, token secrets.TokenHash) error {
	_, err := s.Sessions.ChangePassword(ctx, userID, checked, hash, keepID, token, true, db.Now())
	return err
}
