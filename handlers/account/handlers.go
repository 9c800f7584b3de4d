package account

import (
	"dailies/handlers/site"
	"dailies/web/openid"
)

// SignInHandlers holds the handlers with which people get in and out.
type SignInHandlers struct {
	Setup          *Setup
	Join           *Join
	SignIn         *SignIn
	SignOut        *SignOut
	Second         *Second
	PasskeySignIn  *PasskeySignIn
	ProviderVisit  *ProviderVisit
	ProviderReturn *ProviderReturn
	Forgot         *Forgot
	Reset          *Reset
	CodeSetup      *CodeSetup
	Codes          *Codes
	Passkeys       *Passkeys
	Connections    *Connections

	SettingsPart *signingPart // says on the page of the settings how the viewer signs in
}

// NewSignIn returns the handlers. The setup token opens the page that creates the first
// account; provider is nil if there is no OpenID Connect provider.
func NewSignIn(s *site.Site, token string, provider *openid.Provider) *SignInHandlers {
	ways := &ways{canMail: s.Mail, network: s.Network, provider: provider, signOn: s.Store.SignOn}
	h, entrance := &SignInHandlers{SettingsPart: &signingPart{steps: s.Store.SecondSteps, ways: ways}}, NewEntrance(s)
	refusals := &refusals{audit: s.Store.Audit, count: s.Refused, journal: s.Journal}
	login := &loginPage{cookies: s.Cookies, pages: s.Pages, refusals: refusals, tries: s.Tries, ways: ways}
	half := &halfway{accounts: s.Store.Accounts, cookies: s.Cookies, ways: ways}
	codes := newCodeGuard(s)
	newcomers := &newcomers{entrance: entrance, hashing: s.Hashing, journal: s.Journal, keys: NewSandboxKeys(s), pages: s.Pages}
	tokens := &providerTokens{log: s.Log, now: s.Store.Now, vault: s.Vault, ways: ways}
	visits, refused := visits{cookies: s.Cookies, ways: ways}, &providerRefusals{login: login, refusals: refusals}

	h.Setup = &Setup{
		accounts: s.Store.Accounts, entry: s.Entry, newcomers: newcomers, pages: s.Pages,
		token: setupToken{journal: s.Journal, token: token, tries: s.Tries},
	}
	h.Join = &Join{invites: s.Store.Invites, login: login, newcomers: newcomers, pages: s.Pages, tries: s.Tries}
	h.SignIn = &SignIn{
		half: half, login: login, refusals: refusals, tries: s.Tries,
		passwords: &passwords{accounts: s.Store.Accounts, entrance: entrance, steps: s.Store.SecondSteps, hashing: s.Hashing},
	}
	h.SignOut = &SignOut{cookies: s.Cookies, login: login, sessions: s.Store.Sessions, tokens: tokens, viewers: s.Viewers}
	h.Second = &Second{codes: codes, entrance: entrance, half: half, pages: s.Pages, refusals: refusals}
	h.PasskeySignIn = &PasskeySignIn{challenges: newChallenges(s), codes: codes, entrance: entrance, half: half, login: login}
	h.Connections = &Connections{cookies: s.Cookies, journal: s.Journal, pages: s.Pages, viewers: s.Viewers, ways: ways}
	h.ProviderVisit = &ProviderVisit{refused: refused, tries: s.Tries, viewers: s.Viewers, visits: visits}
	h.ProviderReturn = &ProviderReturn{
		connections: h.Connections, refused: refused, tries: s.Tries, visits: visits,
		entry: &providerEntry{newcomers: newcomers, sessionMax: s.SessionMax, tokens: tokens, ways: ways},
	}
	h.Forgot = &Forgot{letters: s.Letters, mail: s.Store.Mail, pages: s.Pages, tries: s.Tries, ways: ways}
	h.Reset = &Reset{
		accounts: s.Store.Accounts, entrance: entrance, steps: s.Store.SecondSteps, hashing: s.Hashing,
		links: &resetLinks{journal: s.Journal, login: login, pages: s.Pages, programs: s.Store.Programs, sessions: s.Store.Sessions, tries: s.Tries},
	}
	codesPage := &codesPage{cookies: s.Cookies, steps: s.Store.SecondSteps, network: s.Network, pages: s.Pages}
	h.CodeSetup = &CodeSetup{entry: s.Entry, journal: s.Journal, page: codesPage, proofs: codes.proofs}
	h.Codes = &Codes{codes: codes, page: codesPage}
	h.Passkeys = &Passkeys{challenges: newChallenges(s), steps: s.Store.SecondSteps, entry: s.Entry, journal: s.Journal, pages: s.Pages}
	return h
}

func newCodeGuard(s *site.Site) *codeGuard {
	return &codeGuard{
		cookies: s.Cookies, steps: s.Store.SecondSteps, journal: s.Journal, tries: s.Tries,
		proofs: &proofs{steps: s.Store.SecondSteps, now: s.Store.Now, vault: s.Vault},
	}
}

func newChallenges(s *site.Site) *challenges {
	return &challenges{cookies: s.Cookies, network: s.Network, signOn: s.Store.SignOn}
}
