package team

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web/openid"
)

// SignOn shows and changes how users sign in.
type SignOn struct {
	log      *slog.Logger
	network  *site.Network
	pages    *site.Pages
	signOn   *people.SignOn
	provider *openid.Provider // nil if none is configured
}

// Show shows the page.
func (s *SignOn) Show(w http.ResponseWriter, r *http.Request) error {
	rules, err := s.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, teamview.SignOnPage{Form: teamview.SignOnOf(rules)})
}

// Save stores the rules.
func (s *SignOn) Save(w http.ResponseWriter, r *http.Request) error {
	form := readSignOn(r)
	rules, errs := rulesOf(form)
	if rules.PasswordsOff && s.provider == nil {
		errs["passwords"] = "This server knows no other way to sign in. Passwords have to stay on."
	}
	if len(errs) > 0 {
		return s.page(w, r, http.StatusUnprocessableEntity, teamview.SignOnPage{Form: form, Errors: errs})
	}
	issuer := ""
	if s.provider != nil {
		issuer = s.provider.Issuer()
	}
	err := s.signOn.SetRules(r.Context(), rules, issuer)
	if errors.Is(err, db.ErrConflict) {
		errs["passwords"] = "No admin has signed in with the other account so far, so nobody could turn passwords on again. Connect yours in Settings first."
		return s.page(w, r, http.StatusUnprocessableEntity, teamview.SignOnPage{Form: form, Errors: errs})
	}
	if err != nil {
		return err
	}
	s.log.Info("the rules of signing in were changed", "by", site.Me(r).ID)
	return s.pages.SeeOther(w, r, "/team/sign-on", "Saved. This is how people sign in from now on.")
}

func (s *SignOn) page(w http.ResponseWriter, r *http.Request, status int, page teamview.SignOnPage) error {
	page.Callback = s.network.Origin(r) + "/login/oidc/callback"
	if s.provider != nil {
		page.Issuer = s.provider.Issuer()
		if u, err := url.Parse(page.Issuer); err == nil {
			page.Host = u.Host
		}
		var err error
		if page.Unconnected, err = s.signOn.Unconnected(r.Context(), page.Issuer); err != nil {
			return err
		}
	}
	return s.pages.Draw(w, r, status, "Sign-on", func(f part.Frame) templ.Component { return teamview.ShowSignOn(f, page) })
}

// maxText limits, in bytes, each text of the form.
const maxText = 4000

func readSignOn(r *http.Request) teamview.SignOnForm {
	text := func(name string) string {
		return strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue(name)), maxText))
	}
	return teamview.SignOnForm{
		Label: db.CleanName(text("label")), Admit: text("admit"), Domains: text("domains"), Link: r.PostFormValue("link") != "",
		Scopes: text("scopes"), Claim: text("claim"), Admins: text("admins"), Members: text("members"), Viewers: text("viewers"), Otherwise: text("otherwise"),
		Passwords: r.PostFormValue("passwords") != "", Second: r.PostFormValue("second") != "",
	}
}

var (
	domainForm = regexp.MustCompile(`^([\pL\pN]([\pL\pN-]{0,61}[\pL\pN])?\.)+[\pL\pN-]{2,63}$`)
	wordForm   = regexp.MustCompile(`^[!#-\[\]-~]{1,100}$`) // RFC 6749, scope-token
)

// These limit the label and the lists of the form.
const (
	maxLabel  = 60 // characters
	maxList   = 100
	maxScopes = 20
)

// rulesOf returns the rules in the form, and the form's error messages.
func rulesOf(f teamview.SignOnForm) (team.Rules, part.Errors) {
	errs := part.Errors{}
	rules := team.Rules{
		Label: f.Label, Admit: team.Admission(f.Admit), LinkByEmail: f.Link, RoleClaim: f.Claim, Scopes: strings.Fields(f.Scopes),
		Admins: lines(f.Admins), Members: lines(f.Members), Viewers: lines(f.Viewers), PasswordsOff: !f.Passwords, SecondFactor: f.Second,
	}
	if len([]rune(f.Label)) > maxLabel {
		errs["label"] = fmt.Sprintf("Please use at most %d characters for what people call it.", maxLabel)
	}
	if !slices.Contains([]team.Admission{team.AdmitInvited, team.AdmitNobody, team.AdmitDomain}, rules.Admit) {
		errs["admit"] = "Please choose who is let in."
	}
	for _, d := range strings.FieldsFunc(f.Domains, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		d = db.EmailKey(strings.TrimPrefix(d, "@"))
		if !domainForm.MatchString(d) {
			errs["domains"] = fmt.Sprintf("“%s” is not a domain such as example.com.", site.Clip(d, 60))
			break
		}
		rules.Domains = append(rules.Domains, d)
	}
	if rules.Admit == team.AdmitDomain && len(rules.Domains) == 0 && errs["domains"] == "" {
		errs["domains"] = "Please name at least one domain, such as example.com."
	}
	if len(rules.Scopes) > maxScopes || slices.ContainsFunc(rules.Scopes, func(s string) bool { return !wordForm.MatchString(s) }) {
		errs["scopes"] = "Please ask the provider for words such as groups, with spaces between them."
	}
	if len(rules.RoleClaim) > 100 || strings.ContainsAny(rules.RoleClaim, " \n\t") {
		errs["claim"] = "Please give the claim as one word, such as groups or realm_access.roles."
	}
	switch f.Otherwise {
	case "", "refuse":
	case string(db.Member), string(db.Viewer):
		rules.Otherwise = db.Role(f.Otherwise)
	default:
		errs["otherwise"] = "Please choose what happens to people with none of these."
	}
	for name, list := range map[string][]string{"domains": rules.Domains, "admins": rules.Admins, "members": rules.Members, "viewers": rules.Viewers} {
		if len(list) > maxList {
			errs[name] = fmt.Sprintf("These are too many. Please give at most %d.", maxList)
		}
	}
	if rules.RoleClaim != "" && len(rules.Admins) == 0 {
		errs["admins"] = cmp.Or(errs["admins"], "Please give at least one value for admins, so that there is always one.")
	}
	return rules, errs
}

// lines returns the non-empty lines of the text, trimmed.
func lines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found
}
