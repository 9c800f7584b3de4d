package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/spending"
	"dailies/db/team"
)

// A userReport is an account as -json prints it. Fields are only ever added.
type userReport struct {
	ID            int64       `json:"id"`
	Name          string      `json:"name"`
	Email         *string     `json:"email"` // null once it was given free
	Role          db.Role     `json:"role"`
	Active        bool        `json:"active"`
	CreatedAt     *string     `json:"created_at"`
	SeenAt        *string     `json:"seen_at"`        // null for never
	DeactivatedAt *string     `json:"deactivated_at"` // null for active accounts
	Limit         limitReport `json:"limit"`
	Spent         float64     `json:"spent_this_month"` // credits that count against the limit
}

// A limitReport is the spending limit of an account.
type limitReport struct {
	Kind    spending.Allowance `json:"kind"`    // "default", "none" or "own"
	Credits *float64           `json:"credits"` // a month; null unless the limit is the account's own
}

// A changeReport is what a command about one account has done. What does not apply is
// left out.
type changeReport struct {
	User      userReport  `json:"user"`
	Link      string      `json:"link,omitempty"`
	ExpiresAt *string     `json:"expires_at,omitempty"` // of the link
	Had       *leftReport `json:"had,omitempty"`

	TokensEnded *int `json:"tokens_ended,omitempty"`
}

// A leftReport counts what somebody had who has left.
type leftReport struct {
	Videos      int `json:"videos"`
	Private     int `json:"private"`
	Recipes     int `json:"recipes"`
	Collections int `json:"collections"`
	Links       int `json:"shared_links"`
	Running     int `json:"running"`
	NotSent     int `json:"not_sent"`
	Tokens      int `json:"tokens"`
	Webhooks    int `json:"webhooks"`
}

func reportOf(m team.Member) userReport {
	r := userReport{
		ID: m.ID, Name: m.Name, Role: m.Role, Active: m.IsActive(), Spent: m.Spent, Limit: limitReport{Kind: m.Limit.Allowance},
		CreatedAt: moment(m.CreatedAt), SeenAt: moment(m.SeenAt), DeactivatedAt: moment(m.DeactivatedAt),
	}
	if m.Email != "" {
		r.Email = &m.Email
	}
	if m.Limit.Allowance == spending.Own {
		r.Limit.Credits = &m.Limit.Credits
	}
	return r
}

func belongingsOf(b team.Belongings) *leftReport {
	return &leftReport{b.Videos, b.Private, b.Recipes, b.Collections, b.Links, b.Running, b.Waiting, b.Tokens, b.Webhooks}
}

// moment returns the time as JSON has it, in UTC; nil for the zero time.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}

// printJSON prints the value, indented.
func (p program) printJSON(value any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// printUser prints the account as it is now. With adds to the report unless it is nil.
func (p program) printUser(ctx context.Context, a accounts, id int64, with func(*changeReport)) error {
	m, err := a.store.Members.Member(ctx, id, db.Now())
	if err != nil {
		return err
	}
	report := changeReport{User: reportOf(m)}
	if with != nil {
		with(&report)
	}
	return p.printJSON(report)
}

// printUsers prints the accounts as a table for people.
func printUsers(out io.Writer, members []team.Member) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tROLE\tE-MAIL\tNAME\tLAST SEEN\tSTATE")
	for _, m := range members {
		state, seen := "active", "never"
		if !m.IsActive() {
			state = "deactivated"
		}
		if !m.SeenAt.IsZero() {
			seen = m.SeenAt.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", m.ID, m.Role, m.Email, naming.Isolated(m.Name), seen, state)
	}
	return w.Flush()
}
