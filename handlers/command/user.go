package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/folder"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/team"
	"dailies/handlers/config"
	"dailies/handlers/site"
)

// user lists and changes accounts, by the rules of the pages for admins.
func (p program) user(ctx context.Context, c config.User) error {
	do := map[config.UserVerb]func(context.Context, accounts) error{
		config.ListUsers: p.listUsers, config.AddUser: p.addUser, config.SetUserRole: p.setRole,
		config.SetUserLimit: p.setLimit, config.DeactivateUser: p.deactivate,
		config.ActivateUser: p.activate, config.EndTokens: p.endTokens,
	}
	if err := checkUser(c); err != nil {
		return settings(err)
	}
	s, err := openBeside(ctx, c.Data, string(c.Database))
	if err != nil {
		return err
	}
	defer s.Close()
	return do[c.Verb](audit.Acting(ctx, audit.Actor{Name: audit.UserCommand}), accounts{c, s})
}

// accounts holds what the commands about accounts need.
type accounts struct {
	config.User
	store *store.Store
}

// checkUser refuses arguments that the forms of the pages refuse.
func checkUser(c config.User) error {
	switch c.Verb {
	case config.AddUser:
		if !site.IsEmail(c.Who) {
			return fmt.Errorf("%q does not look like an e-mail address, such as kim@example.com", c.Who)
		}
		if name := naming.Clean(c.Name); name == "" || utf8.RuneCountInString(name) > db.MaxName {
			return fmt.Errorf("-name cannot be used; it takes from 1 to %d characters that can be seen", db.MaxName)
		}
		if _, err := limitOf("-limit", c.Limit); err != nil {
			return err
		}
	case config.SetUserLimit:
		_, err := limitOf("the limit", c.Limit)
		return err
	case config.ListUsers, config.DeactivateUser, config.ActivateUser, config.EndTokens:
		return nil
	}
	if !db.Role(c.Role).IsKnown() {
		return fmt.Errorf("%q is not a role; it takes admin, member or viewer", c.Role)
	}
	return nil
}

// limitOf reads a limit that was given under the name of.
func limitOf(of, text string) (spending.Limit, error) {
	switch kind := spending.Allowance(text); kind {
	case spending.Default, spending.None:
		return spending.Limit{Allowance: kind}, nil
	}
	credits, ok := site.Credits(text, spending.MaxCredits)
	if !ok {
		return spending.Limit{}, fmt.Errorf("%s %q cannot be used; it takes a number of credits, none or default", of, text)
	}
	return spending.Limit{Allowance: spending.Own, Credits: credits}, nil
}

// find returns the account that the e-mail address or the ID names.
func (a accounts) find(ctx context.Context, who string) (u db.User, err error) {
	if id, numberErr := strconv.ParseInt(who, 10, 64); numberErr == nil {
		u, err = a.store.Accounts.User(ctx, id)
	} else {
		u, err = a.store.Accounts.UserByEmail(ctx, who)
	}
	if errors.Is(err, db.ErrNotFound) {
		err = fmt.Errorf("no account has the e-mail address or the ID %q", who)
	}
	return u, err
}

// listUsers prints all accounts, active ones first.
func (p program) listUsers(ctx context.Context, a accounts) error {
	members, err := a.store.Members.All(ctx, db.Now())
	if err != nil {
		return err
	}
	members = team.Find(members, "")
	if a.JSON {
		list := struct {
			Users []userReport `json:"users"`
		}{make([]userReport, 0, len(members))}
		for _, m := range members {
			list.Users = append(list.Users, reportOf(m))
		}
		return p.printJSON(list)
	}
	return printUsers(p.stdout, members)
}

// addUser adds an account, and prints a link with which its owner sets a password.
func (p program) addUser(ctx context.Context, a accounts) error {
	limit, err := limitOf("-limit", a.Limit)
	if err != nil {
		return err
	}
	now := db.Now()
	u := db.User{Name: naming.Clean(a.Name), Email: a.Who, Role: db.Role(a.Role), CreatedAt: now}
	reset, token := signin.NewReset(0, now)
	reset.ByServer = true
	err = a.store.Members.AddMember(ctx, &u, limit, &reset)
	switch {
	case errors.Is(err, db.ErrConflict):
		taken, err := a.store.Accounts.UserByEmail(ctx, a.Who)
		if err != nil {
			return fmt.Errorf("an account has the e-mail address %q already", a.Who)
		}
		return errors.New(site.TakenAddress(a.Who, taken, now))
	case errors.Is(err, team.ErrLastAdmin):
		return errors.New("the team has no admin yet; give the first person the role: -role admin")
	case err != nil:
		return err
	}
	link := links(a.PublicURL, a.Addr) + "/reset/" + token
	if a.JSON {
		return p.printUser(ctx, a, u.ID, func(r *changeReport) { r.Link, r.ExpiresAt = link, moment(reset.ExpiresAt) })
	}
	fmt.Fprintf(p.stderr, "%s has an account now, with the role %s. With this link they set their password. It works once, until %s.\n",
		naming.Isolated(u.Name), u.Role, reset.ExpiresAt.Local().Format(time.DateTime))
	_, err = fmt.Fprintln(p.stdout, link)
	return err
}

// setRole changes the role of an account.
func (p program) setRole(ctx context.Context, a accounts) error {
	u, err := a.find(ctx, a.Who)
	if err != nil {
		return err
	}
	err = a.store.Members.SetRole(ctx, u.ID, db.Role(a.Role), db.Now())
	switch {
	case errors.Is(err, team.ErrLastAdmin):
		return fmt.Errorf("%s is the only admin; make somebody else an admin first", naming.Isolated(u.Name))
	case errors.Is(err, db.ErrConflict):
		return fmt.Errorf("the account of %s is deactivated; activate it first: dailies user activate", naming.Isolated(u.Name))
	case err != nil:
		return err
	}
	if a.JSON {
		return p.printUser(ctx, a, u.ID, nil)
	}
	_, err = fmt.Fprintf(p.stdout, "The role of %s is %s.\n", naming.Isolated(u.Name), a.Role)
	return err
}

// setLimit changes what a person may spend in a month.
func (p program) setLimit(ctx context.Context, a accounts) error {
	limit, err := limitOf("the limit", a.Limit)
	if err != nil {
		return err
	}
	u, err := a.find(ctx, a.Who)
	if err != nil {
		return err
	}
	if err := a.store.Limits.SetLimit(ctx, u.ID, limit); err != nil {
		return err
	}
	if a.JSON {
		return p.printUser(ctx, a, u.ID, nil)
	}
	_, err = fmt.Fprintf(p.stdout, "Limit of %s for a month: %s.\n", naming.Isolated(u.Name), limit)
	return err
}

// activate opens a deactivated account again.
func (p program) activate(ctx context.Context, a accounts) error {
	u, err := a.find(ctx, a.Who)
	if err != nil {
		return err
	}
	err = a.store.Members.Activate(ctx, u.ID, db.Now())
	switch {
	case errors.Is(err, team.ErrTooLate):
		return fmt.Errorf("the account of %s was deactivated too long ago; add the person again: dailies user add", naming.Isolated(u.Name))
	case errors.Is(err, db.ErrConflict):
		return fmt.Errorf("the account of %s is active already", naming.Isolated(u.Name))
	case err != nil:
		return err
	}
	if a.JSON {
		return p.printUser(ctx, a, u.ID, nil)
	}
	_, err = fmt.Fprintf(p.stdout, "The account of %s is active again. What was handed over stays with the colleague.\n",
		naming.Isolated(u.Name))
	return err
}

// endTokens ends all tokens of a person's programs.
func (p program) endTokens(ctx context.Context, a accounts) error {
	u, err := a.find(ctx, a.Who)
	if err != nil {
		return err
	}
	ended, err := a.store.Programs.EndAll(ctx, u.ID, db.Now())
	if err != nil {
		return err
	}
	p.log(config.TextLog, false).Info("the tokens of a person were ended", "user", u.ID, "by", audit.UserCommand, "tokens ended", ended)
	if a.JSON {
		return p.printUser(ctx, a, u.ID, func(r *changeReport) { r.TokensEnded = &ended })
	}
	_, err = fmt.Fprintf(p.stdout, "%s of %s.\n", format.Plural(ended, "Ended %s token", "Ended %s tokens"), naming.Isolated(u.Name))
	return err
}

// deactivate deactivates an account, and hands over what its owner has.
func (p program) deactivate(ctx context.Context, a accounts) error {
	u, err := a.find(ctx, a.Who)
	if err != nil {
		return err
	}
	l := team.Leaving{UserID: u.ID, Bin: a.Private == "bin", EndLinks: a.EndLinks, At: db.Now()}
	var heir db.User
	if a.HandTo != "" {
		if heir, err = a.find(ctx, a.HandTo); err != nil {
			return fmt.Errorf("-hand-to: %w", err)
		}
		l.HandTo = heir.ID
		if l.Reseal, err = a.reseal(ctx, u.ID, heir.ID); err != nil {
			return err
		}
	}
	had, err := a.store.Leave(ctx, l)
	if err != nil {
		return cannotLeave(err, u, heir)
	}
	if had.Tokens+had.Webhooks > 0 {
		p.log(config.TextLog, false).Info("an account was deactivated", "user", u.ID, "by", audit.UserCommand,
			"tokens ended", had.Tokens, "webhooks ended", had.Webhooks)
	}
	if a.JSON {
		return p.printUser(ctx, a, u.ID, func(r *changeReport) { r.Had = belongingsOf(had) })
	}
	return printLeft(p.stdout, u, heir, l, had)
}

// reseal returns the function that seals the links of one person for another. The links
// are sealed with the secret of the installation.
func (a accounts) reseal(ctx context.Context, from, to int64) (func([]byte) ([]byte, error), error) {
	secret := []byte(a.Secret)
	if len(secret) == 0 {
		found, isNew, err := folder.At(a.Data).Secret()
		if err != nil || isNew {
			return nil, errors.Join(err,
				errors.New("-hand-to needs the secret that links are sealed with: the file \"secret\" in -data, or -secret"))
		}
		secret = found
	}
	_, key, err := a.store.Unseal(ctx, secret)
	if errors.Is(err, secrets.ErrSecret) || errors.Is(err, db.ErrNotFound) {
		return nil, errors.New(
			"the data is sealed with another secret, so links cannot be handed over; give the one it is sealed with, " +
				"as the file \"secret\" in -data or as -secret",
		)
	}
	if err != nil {
		return nil, err
	}
	vault, err := secrets.NewVault(key)
	return func(sealed []byte) ([]byte, error) {
		token, err := vault.OpenToken(from, sealed)
		return vault.SealToken(to, token), err
	}, err
}

// cannotLeave returns the error of Leave as a sentence.
func cannotLeave(err error, u, heir db.User) error {
	name := naming.Isolated(u.Name)
	switch {
	case errors.Is(err, team.ErrNoHeir) && heir.ID != 0:
		return fmt.Errorf("nothing can be handed to %s; -hand-to takes somebody else who is active and makes videos",
			naming.Isolated(heir.Name))
	case errors.Is(err, team.ErrNoHeir):
		return fmt.Errorf(
			"nobody would see the private videos of %s any more; name a colleague who gets them with -hand-to, or put "+
				"them into the bin with -private bin",
			name,
		)
	case errors.Is(err, team.ErrUnfinished):
		return fmt.Errorf(
			"some private videos of %s are still being made, or wait for a decision; name a colleague who gets them "+
				"with -hand-to, or wait until they are over",
			name,
		)
	case errors.Is(err, team.ErrLastAdmin):
		return fmt.Errorf("%s is the only admin; make somebody else an admin first", name)
	case errors.Is(err, db.ErrConflict):
		return fmt.Errorf("the account of %s is deactivated already", name)
	}
	return err
}

// printLeft says what happened to the things of the person who has left.
func printLeft(out io.Writer, u, heir db.User, l team.Leaving, had team.Belongings) error {
	name := naming.Isolated(u.Name)
	where := "What they made stays under their name."
	if heir.ID != 0 {
		where = fmt.Sprintf("What they made belongs to %s now.", naming.Isolated(heir.Name))
	}
	_, err := fmt.Fprintf(out, "The account of %s is deactivated. %s\n%s.\n", name, where, team.Tally(had))
	if l.Bin && err == nil {
		_, err = fmt.Fprintln(out, "Private videos are in the bin.")
	}
	return err
}

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
