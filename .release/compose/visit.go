package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A visitor is a person who uses the app through the reverse proxy.
type visitor struct {
	project *project
	client  *http.Client
}

// apps are the services that serve the app.
var apps = []string{"app1", "app2", "app3"}

// visit makes the first account, saves an API key and makes a video, as the first person
// would. While the video is made, all app processes but one end.
func visit(ctx context.Context, p *project, settings map[string]string) error {
	v, err := p.newVisitor()
	if err != nil {
		return err
	}
	if err := v.signUp(ctx, settings["SETUP_TOKEN"]); err != nil {
		return err
	}
	task, err := v.order(ctx)
	if err != nil {
		return err
	}
	for _, name := range apps[:len(apps)-1] {
		if err := p.stop(p.services[name]); err != nil {
			return err
		}
	}
	if err := v.settles(ctx); err != nil {
		return err
	}
	if err := v.receives(ctx, task); err != nil {
		return err
	}
	return p.failure()
}

// newVisitor returns a visitor who trusts what the proxy's volume says is its
// certificate authority.
func (p *project) newVisitor() (*visitor, error) {
	authority, err := os.ReadFile(filepath.Join(p.volumes, "proxy/caddy/pki/authorities/local/root.crt"))
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(authority) {
		return nil, errors.New("the proxy's certificate authority cannot be read")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &visitor{p, &http.Client{
		Jar: jar, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: trusted},
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, err := net.SplitHostPort(address) // the only host is this one
				if err != nil {
					return nil, err
				}
				return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
			},
		},
	}}, nil
}

// ask sends a request, with a form unless that is nil, and returns where the answer leads
// and what it says.
func (v *visitor) ask(ctx context.Context, address string, form url.Values, status int) (location, text string, err error) {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", "", err
	}
	if form != nil { // as browsers do
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", publicURL)
	}
	answer, err := v.client.Do(r)
	if err != nil {
		return "", "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s %s: %s, not %d: %.1500s", method, address, answer.Status, status, body)
	}
	return answer.Header.Get("Location"), string(body), err
}

// signUp follows the link of the log, makes an account and saves the sandbox's key.
func (v *visitor) signUp(ctx context.Context, token string) error {
	link := publicURL + "/setup?token=" + token
	for _, name := range apps {
		if log, _ := os.ReadFile(v.project.services[name].log); !bytes.Contains(log, []byte(link)) {
			return fmt.Errorf("the log of %s has no link to begin with", name)
		}
	}
	location, _, err := v.ask(ctx, strings.Replace(link, "https:", "http:", 1), nil, http.StatusPermanentRedirect)
	if err != nil || location != link {
		return errors.Join(err, fmt.Errorf("without https, %s leads to %s", link, location))
	}
	if _, text, err := v.ask(ctx, link, nil, http.StatusOK); err != nil || !strings.Contains(text, `name="password"`) {
		return errors.Join(err, errors.New("the link to begin with shows no form"))
	}
	if _, _, err := v.ask(ctx, link, url.Values{"name": {"Kim"}, "email": {"kim@example.com"}, "password": {"a long enough one"}}, http.StatusSeeOther); err != nil {
		return err
	}
	if !strings.Contains(v.project.said(apps...), "address="+person.String()) {
		return fmt.Errorf("no app has logged that the first account was made from %s", person)
	}
	v.project.say("the first account was made")
	key := regexp.MustCompile(`The first API key.*: (sk-\w+)`).FindStringSubmatch(v.project.said("sandbox"))
	if key == nil {
		return errors.New("the sandbox has logged no key")
	}
	if _, text, err := v.ask(ctx, publicURL+"/settings/key", url.Values{"key": {key[1]}}, http.StatusSeeOther); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// said returns the logs of the services.
func (p *project) said(names ...string) string {
	var all []byte
	for _, name := range names {
		log, _ := os.ReadFile(p.services[name].log)
		all = append(all, log...)
	}
	return string(all)
}

// order orders a video and returns its number.
func (v *visitor) order(ctx context.Context) (string, error) {
	form := publicURL + "/create/text-to-video"
	_, page, err := v.ask(ctx, form, nil, http.StatusOK)
	if err != nil {
		return "", err
	}
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		return "", errors.New("the form has no token")
	}
	location, _, err := v.ask(ctx, form, url.Values{
		"token": {token[1]}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"},
	}, http.StatusSeeOther)
	if err != nil {
		return "", err
	}
	at, err := url.Parse(location)
	if err != nil || at.Query().Get("from") == "" {
		return "", errors.Join(err, fmt.Errorf("the form leads to %q", location))
	}
	v.project.say("video %s was ordered", at.Query().Get("from"))
	return at.Query().Get("from"), nil
}

// settles waits until the proxy uses only the app that is left: ten requests in
// succession are then answered at once.
func (v *visitor) settles(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	for quick := 0; quick < 10; quick++ {
		began := time.Now()
		_, _, err := v.ask(ctx, publicURL+"/healthz", nil, http.StatusOK)
		if err != nil || time.Since(began) > time.Second {
			quick = -1
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the proxy goes on using apps that have ended: the last request took %s: %v", time.Since(began), err)
		}
	}
	v.project.say("the proxy uses only %s", apps[len(apps)-1])
	return nil
}

// receives waits until the database says that the video is a success and is kept, plays
// it, and looks for the same bytes in the bucket.
func (v *visitor) receives(ctx context.Context, task string) error {
	const wanted = "success kept"
	for state := ""; state != wanted; {
		if err := wait(ctx, after(200*time.Millisecond)); err != nil {
			return fmt.Errorf("the video is %q: %w", state, err)
		}
		if err := v.project.failure(); err != nil {
			return err
		}
		var err error
		if state, err = v.project.services["database"].run(ctx, 10*time.Second, "psql", "--username=dailies", "--tuples-only", "--no-align",
			"--command=SELECT state || ' ' || keeping FROM tasks WHERE id = "+task); err != nil {
			return fmt.Errorf("asking for the state of the video: %w: %s", err, state)
		}
		if strings.HasPrefix(state, "fail") || strings.HasPrefix(state, "unconfirmed") {
			return fmt.Errorf("the video is %q", state)
		}
	}
	_, page, err := v.ask(ctx, publicURL+"/tasks/"+task, nil, http.StatusOK)
	if err != nil {
		return err
	}
	address := regexp.MustCompile(`<video[^>]* src="(/media/\d+)"`).FindStringSubmatch(page)
	if address == nil {
		return fmt.Errorf("the page of the video plays none: %.3000s", page)
	}
	_, film, err := v.ask(ctx, publicURL+address[1], nil, http.StatusOK)
	if err != nil {
		return err
	}
	// In WebM the first four bytes are those of EBML, in MP4 the next four are ftyp.
	if len(film) < 1000 || !strings.HasPrefix(film, "\x1a\x45\xdf\xa3") && film[4:8] != "ftyp" {
		return fmt.Errorf("%s is no film: %.100q", address[1], film)
	}
	v.project.say("the video has %d bytes", len(film))
	var found bool
	bucket := filepath.Join(v.project.volumes, "storage/dailies")
	err = filepath.WalkDir(bucket, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !found {
			var content []byte
			content, err = os.ReadFile(name)
			found = string(content) == film
		}
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("the video is not in %s", bucket)
	}
	return err
}

// after returns a channel that is closed after the time.
func after(d time.Duration) <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(d, func() { close(c) })
	return c
}
