package web

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"dailies/db/signin"
)

// cookieName is the name of the app's cookie over plain http. With https, it is
// prefixed with hostPrefix, so that browsers accept the cookie only from this host
// and not from another site under the same domain.
const (
	cookieName = "dailies"
	hostPrefix = "__Host-"
)

// Cookies keeps the session token and texts for the next page in a signed and
// encrypted cookie. A second cookie remembers which accounts have signed in with the
// browser; see Known.
type Cookies struct {
	session *sessions.CookieStore
	known   *sessions.CookieStore
	name    string // without the prefix
	prefix  string // of cookie names: hostPrefix or empty
}

// NewCookies returns the app's Cookies, with keys derived from the program's secret.
// secure means that users reach the program over https.
func NewCookies(secret []byte, secure bool) (*Cookies, error) {
	return NewNamedCookies(cookieName, secret, secure)
}

// NewNamedCookies is like NewCookies, for a program other than the app. It needs a
// name of its own because browsers share cookies between the ports of a host.
func NewNamedCookies(name string, secret []byte, secure bool) (*Cookies, error) {
	c := &Cookies{name: name}
	if secure {
		c.prefix = hostPrefix
	}
	var err error
	if c.session, err = newCookieStore(secret, "dailies cookie", secure, int(signin.SessionLife.Seconds())); err != nil {
		return nil, err
	}
	for i, codec := range c.session.Codecs {
		if c, ok := codec.(*securecookie.SecureCookie); ok {
			c.SetSerializer(cookieText{})
		}
		c.session.Codecs[i] = newRecentCookies(codec)
	}
	c.known, err = newCookieStore(secret, "dailies known", secure, int(knownLife.Seconds()))
	return c, err
}

func newCookieStore(secret []byte, purpose string, secure bool, seconds int) (*sessions.CookieStore, error) {
	keys, err := hkdf.Key(sha256.New, secret, nil, purpose, 64)
	if err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	store := sessions.NewCookieStore(keys[:32], keys[32:])
	store.Options = &sessions.Options{Path: "/", HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
	store.MaxAge(seconds)
	return store, nil
}

// Token returns the session token in the request, or "".
func (c *Cookies) Token(r *http.Request) string {
	token, _ := c.get(r).Values["token"].(string)
	return token
}

// SetToken sets the browser's session token. An empty token signs the browser out.
func (c *Cookies) SetToken(w http.ResponseWriter, r *http.Request, token string) error {
	s := c.get(r)
	if token == "" {
		delete(s.Values, "token")
	} else {
		s.Values["token"] = token
	}
	return c.save(w, r, s)
}

// IsOld reports whether the token came in a cookie without hostPrefix, from before the
// program used https or the prefix. The caller must replace such a token, because
// another site could have planted that cookie.
func (c *Cookies) IsOld(r *http.Request) bool {
	if c.prefix == "" {
		return false
	}
	s, _ := c.session.Get(r, c.prefix+c.name)
	return s.IsNew && c.Token(r) != ""
}

// ForHost reports whether the cookies have hostPrefix, so that no other site can plant
// them.
func (c *Cookies) ForHost() bool { return c.prefix != "" }

// SetFlash stores a short text under a name for the next page that this browser shows,
// such as a flash message or a link that is shown only once. If the cookie becomes too
// large for browsers, SetFlash drops the longest earlier texts.
func (c *Cookies) SetFlash(w http.ResponseWriter, r *http.Request, name, text string) error {
	s := c.get(r)
	s.Values[name] = text
	err := c.save(w, r, s)
	for err != nil && dropLongest(s, name) {
		err = c.save(w, r, s)
	}
	return err
}

// dropLongest removes the longest text other than the named one. It returns false if
// only short texts such as tokens are left, and then removes nothing.
func dropLongest(s *sessions.Session, name string) bool {
	const short = 300 // bytes
	longest, length := "", short
	for key, value := range s.Values {
		key, _ := key.(string)
		if text, _ := value.(string); key != name && len(text) > length {
			longest, length = key, len(text)
		}
	}
	delete(s.Values, longest)
	return length > short
}

// PeekFlash returns the text stored by SetFlash without removing it.
func (c *Cookies) PeekFlash(r *http.Request, name string) string {
	text, _ := c.get(r).Values[name].(string)
	return text
}

// TakeFlash returns the text stored by SetFlash and removes it.
func (c *Cookies) TakeFlash(w http.ResponseWriter, r *http.Request, name string) (string, error) {
	s := c.get(r)
	text, ok := s.Values[name].(string)
	if !ok {
		return "", nil
	}
	delete(s.Values, name)
	return text, c.save(w, r, s)
}

// get returns the values of the cookie. An unreadable cookie counts as missing. If the
// browser has only the cookie without hostPrefix, its values are used.
func (c *Cookies) get(r *http.Request) *sessions.Session {
	s, _ := c.session.Get(r, c.prefix+c.name)
	if s.IsNew && c.prefix != "" && len(s.Values) == 0 {
		if old, _ := c.session.Get(r, c.name); !old.IsNew {
			s.Values = old.Values
		}
	}
	return s
}

// save sets the cookie and replaces one set earlier in the same response, because a
// browser that receives a cookie twice keeps only one. It also deletes the cookie
// without hostPrefix from the browser.
func (c *Cookies) save(w http.ResponseWriter, r *http.Request, s *sessions.Session) error {
	unset(w.Header(), s.Name())
	if err := s.Save(r, w); err != nil {
		return fmt.Errorf("cookie: %w", err)
	}
	if _, err := r.Cookie(c.name); err == nil && c.prefix != "" {
		unset(w.Header(), c.name)
		http.SetCookie(w, &http.Cookie{Name: c.name, Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
	}
	return nil
}

// unset removes the cookie from the response's Set-Cookie headers.
func unset(h http.Header, name string) {
	lines := slices.DeleteFunc(h["Set-Cookie"], func(line string) bool { return strings.HasPrefix(line, name+"=") })
	if len(lines) == 0 {
		h.Del("Set-Cookie")
		return
	}
	h["Set-Cookie"] = lines
}

const (
	// maxRecentCookies is the number of cookies that recentCookies keep.
	maxRecentCookies = 500

	// recentFor is how long a cookie is not read anew. That it is too old is noticed so much
	// later. Whether the session in it has ended is looked up for each request.
	recentFor = 10 * time.Second
)

// recentCookies is a codec that keeps what the latest cookies contain. A player requests a video
// in many small pieces, and to verify and decrypt the same cookie each time takes a tenth of
// the CPU time of such a request.
type recentCookies struct {
	securecookie.Codec
	mu     sync.Mutex
	recent simplelru.LRUCache[namedCookie, recentCookie] // an interface, see db/store/engine.Recents
}

type namedCookie struct{ name, value string }

type recentCookie struct {
	values map[any]any
	read   time.Time
}

func newRecentCookies(codec securecookie.Codec) *recentCookies {
	recent, _ := simplelru.NewLRU[namedCookie, recentCookie](maxRecentCookies, nil) // fails only for a size of 0
	return &recentCookies{Codec: codec, recent: recent}
}

// Decode implements securecookie.Codec.
func (c *recentCookies) Decode(name, value string, dst any) error {
	values, ok := dst.(*map[any]any)
	if !ok {
		return c.Codec.Decode(name, value, dst)
	}
	cookie, now := namedCookie{name, value}, time.Now()
	c.mu.Lock()
	known, ok := c.recent.Get(cookie)
	c.mu.Unlock()
	if ok && now.Sub(known.read) < recentFor {
		*values = maps.Clone(known.values)
		return nil
	}
	if err := c.Codec.Decode(name, value, dst); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent.Add(cookie, recentCookie{maps.Clone(*values), now})
	return nil
}

// cookieText serializes a cookie's values as a URL query. Gob, the default of the
// library, compiles a decoder for each cookie, which takes a tenth of the CPU time of a
// small page. Old cookies in gob can still be read.
type cookieText struct{ gob securecookie.GobEncoder }

// textMark is the prefix of values in the text format. A gob of a map begins with a
// small number instead.
const textMark = "text?"

// Serialize implements securecookie.Serializer.
func (c cookieText) Serialize(src any) ([]byte, error) {
	values, ok := src.(map[any]any)
	if !ok {
		return c.gob.Serialize(src)
	}
	text := url.Values{}
	for name, value := range values {
		n, named := name.(string)
		v, worded := value.(string)
		if !named || !worded {
			return nil, fmt.Errorf("a cookie holds %T of %T", value, name)
		}
		text.Set(n, v)
	}
	return []byte(textMark + text.Encode()), nil
}

// Deserialize implements securecookie.Serializer.
func (c cookieText) Deserialize(src []byte, dst any) error {
	text, ok := strings.CutPrefix(string(src), textMark)
	values, fits := dst.(*map[any]any)
	if !ok || !fits {
		return c.gob.Deserialize(src, dst)
	}
	query, err := url.ParseQuery(text)
	if err != nil {
		return err
	}
	if *values == nil {
		*values = map[any]any{}
	}
	for name := range query {
		(*values)[name] = query.Get(name)
	}
	return nil
}
