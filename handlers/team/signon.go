package team

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/signin"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// securityPath is the path of the page of how people sign in.
const securityPath = "/team/security"

// ShowSecurity shows how people sign in, and the newest entries of the audit log.
func (t *Team) ShowSecurity(w http.ResponseWriter, r *http.Request) error {
	rules, err := t.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	return t.drawSecurity(w, r, http.StatusOK, teamview.SecurityPage{Form: teamview.NewSignOnForm(rules)})
}

// SaveSignOn stores the rules.
func (t *Team) SaveSignOn(w http.ResponseWriter, r *http.Request) error {
	form := teamview.NewSignOnForm(signin.Rules{})
	site.ReadForm(r, form.Inputs()...)
	rules := rulesOf(form)
	if rules.PasswordsOff && t.provider == nil {
		form.Passwords.Error = teamview.NoOtherWay
	}
	refuse := func() error {
		return t.drawSecurity(w, r, http.StatusUnprocessableEntity, teamview.SecurityPage{Form: form})
	}
	if input.AreWrong(form.Inputs()...) {
		return refuse()
	}
	issuer := ""
	if t.provider != nil {
		issuer = t.provider.Issuer()
	}
	err := t.signOn.SetRules(r.Context(), rules, issuer)
	if errors.Is(err, db.ErrConflict) {
		form.Passwords.Error = teamview.NoAdminByIt
		return refuse()
	}
	if err != nil {
		return err
	}
	t.log.Info("the rules of signing in were changed", "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, securityPath, site.Saved)
}

func (t *Team) drawSecurity(w http.ResponseWriter, r *http.Request, status int, page teamview.SecurityPage) error {
	page.Callback = t.network.Origin(r) + "/login/oidc/callback"
	if t.provider != nil {
		page.Issuer = t.provider.Issuer()
		if u, err := url.Parse(page.Issuer); err == nil {
			page.Host = u.Host
		}
		var err error
		if page.Unconnected, err = t.signOn.Unconnected(r.Context(), page.Issuer); err != nil {
			return err
		}
	}
	var err error
	if page.Audit, err = t.newestEntries(r); err != nil {
		return err
	}
	return t.pages.Draw(w, r, status, "Security", func(f part.Frame) templ.Component { return teamview.ShowSecurity(f, page) })
}

var (
	domainForm = regexp.MustCompile(`^([\pL\pN]([\pL\pN-]{0,61}[\pL\pN])?\.)+[\pL\pN-]{2,63}$`)
	wordForm   = regexp.MustCompile(`^[!#-\[\]-~]{1,100}$`) // RFC 6749, scope-token
)

// These limit the lists of the form.
const (
	maxList   = 100
	maxScopes = 20
)

// rulesOf returns the rules in the form. If they are invalid, its fields get errors.
func rulesOf(f *teamview.SignOnForm) signin.Rules {
	rules := signin.Rules{
		Label: f.Label.Value, Admit: signin.Admission(f.Admit.Value), LinkByEmail: f.Link.On,
		RoleClaim: f.Claim.Value, Scopes: strings.Fields(f.Scopes.Value),
		Admins: lines(f.Admins.Value), Members: lines(f.Members.Value), Viewers: lines(f.Viewers.Value),
		PasswordsOff: !f.Passwords.On, SecondStep: f.Second.On,
	}
	if f.Otherwise.Error == "" {
		rules.Otherwise = db.Role(f.Otherwise.Value)
	}
	for _, d := range strings.FieldsFunc(f.Domains.Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		d = db.EmailKey(strings.TrimPrefix(d, "@"))
		if !domainForm.MatchString(d) {
			f.Domains.Error = teamview.WrongDomain(site.Clip(d, 60))
			break
		}
		rules.Domains = append(rules.Domains, d)
	}
	if rules.Admit == signin.AdmitDomain && len(rules.Domains) == 0 && f.Domains.Error == "" {
		f.Domains.Error = teamview.NoDomain
	}
	if len(rules.Scopes) > maxScopes || slices.ContainsFunc(rules.Scopes, func(s string) bool { return !wordForm.MatchString(s) }) {
		f.Scopes.Error = teamview.WrongScopes
	}
	if len(rules.RoleClaim) > 100 || strings.ContainsAny(rules.RoleClaim, " \n\t") {
		f.Claim.Error = teamview.WrongClaim
	}
	for field, list := range map[*input.Text][]string{
		&f.Domains: rules.Domains, &f.Admins: rules.Admins, &f.Members: rules.Members, &f.Viewers: rules.Viewers,
	} {
		if len(list) > maxList {
			field.Error = teamview.TooManyValues(maxList)
		}
	}
	if rules.RoleClaim != "" && len(rules.Admins) == 0 {
		f.Admins.Error = teamview.NoAdminValue
	}
	return rules
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
