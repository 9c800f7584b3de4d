package team

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"dailies/db"
	"dailies/db/signin"
	"dailies/handlers/site"
	"dailies/views/input"
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
	return t.pages.Draw(w, r, status, "Security", teamview.ShowSecurity(page))
}

var domainForm = regexp.MustCompile(`^([\pL\pN]([\pL\pN-]{0,61}[\pL\pN])?\.)+[\pL\pN-]{2,63}$`)

// rulesOf returns the rules in the form. If the domains are invalid, their field gets an
// error, which names the first that is none.
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
	if len(rules.Domains) > teamview.MaxList {
		f.Domains.Error = teamview.TooManyValues
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
