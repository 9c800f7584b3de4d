package proof_test

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/team"
)

// govern changes who may do what, or what may be spent.
func (h *history) govern() {
	u, by, id, credits, day := h.person(), h.person(), int64(1+h.n(4)), float64(h.n(200)), h.now
	self := db.Credits{Amount: credits, Known: h.flag()}
	limit := spending.Limit{Allowance: one(h, spending.Default, spending.None, spending.Own), Credits: credits}
	limits := spending.Limits{Default: self, Team: db.Credits{Amount: 5 * credits, Known: h.flag()}, ApproveUnpriced: h.flag()}
	answer, role, sentence, unpriced := one(h, spending.Once, spending.ThisMonth, spending.Always, spending.No), one(h, db.Admin, db.Member, db.Viewer), h.text(), h.flag()
	h.do("govern", one(h,
		func(ctx context.Context, s *store.Store) (any, error) {
			return nil, s.Limits.SetLimit(ctx, u.ID, limit)
		},
		func(ctx context.Context, s *store.Store) (any, error) { return nil, s.Limits.SetOfTeam(ctx, limits) },
		func(ctx context.Context, s *store.Store) (any, error) {
			return nil, s.Limits.SetOwnLimit(ctx, u.ID, self)
		},
		func(ctx context.Context, s *store.Store) (any, error) {
			a := spending.CreditRequest{UserID: u.ID, Credits: credits, Sentence: sentence, Unpriced: unpriced, At: day}
			return a.Month, s.Limits.AddCreditRequest(ctx, &a)
		},
		func(ctx context.Context, s *store.Store) (any, error) {
			a, err := s.Limits.AnswerCreditRequest(ctx, id, answer, credits, sentence, by.ID, day)
			return a, err
		},
		func(ctx context.Context, s *store.Store) (any, error) {
			return nil, s.Members.SetRole(ctx, u.ID, role, day)
		},
		func(ctx context.Context, s *store.Store) (any, error) {
			budget, err := s.Limits.Budget(ctx, u.ID, day)
			if err != nil {
				return nil, err
			}
			return s.Limits.TakeWarning(ctx, u, budget)
		},
	))
}

// teamQuestions are the reads of what govern changes.
var teamQuestions = []question{
	asks("limits", func(s *store.Store, ctx context.Context) (l spending.Limits, err error) { return s.Limits.OfTeam(ctx) }),
	asks("asks", func(s *store.Store, ctx context.Context) ([]spending.CreditRequest, error) {
		found, err := s.Limits.CreditRequests(ctx, 0, 100)
		for i := range found {
			if !found[i].UsedAt.IsZero() { // each engine's own clock
				found[i].UsedAt = time.Unix(1, 0)
			}
		}
		return found, err
	}),
	asks("open asks", func(s *store.Store, ctx context.Context) ([]spending.CreditRequest, error) {
		return s.Limits.OpenCreditRequests(ctx, 10)
	}),
	of("room", looks, func(ctx context.Context, s *store.Store, l look) (spending.Budget, error) {
		return s.Limits.Budget(ctx, l.viewer.ID, l.now)
	}),
	of("limit", looks, func(ctx context.Context, s *store.Store, l look) (spending.Limit, error) {
		return s.Limits.Limit(ctx, l.viewer.ID)
	}),
	of("member", looks, func(ctx context.Context, s *store.Store, l look) (team.Member, error) {
		return s.Members.Member(ctx, l.viewer.ID, l.now)
	}),
	asks("audit", func(s *store.Store, ctx context.Context) ([]audit.Entry, error) {
		entries, err := s.Audit.Entries(ctx, audit.Search{Limit: 200})
		for i := range entries {
			entries[i].At = time.Time{} // each engine's own clock
		}
		return entries, err
	}),
}
