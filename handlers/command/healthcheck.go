package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/handlers/config"
)

// healthcheckTime limits one check, including the connection.
const healthcheckTime = 3 * time.Second

// healthcheck asks the program running on this machine whether it is alive.
func (p program) healthcheck(ctx context.Context, c config.Healthcheck) error {
	said, err := askHealth(ctx, c.Addr)
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, said)
	}
	return err
}

// askHealth asks the program that serves on the address whether it is alive, and returns
// what it says as a sentence.
func askHealth(ctx context.Context, addr string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTime)
	defer cancel()
	at := "http://" + reachable(addr) + "/healthz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return "", err
	}
	// The address is the program's own, so proxies from the environment are ignored,
	// and redirects count as failures.
	answer, err := new(http.Transport).RoundTrip(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("%s did not answer within %s", at, healthcheckTime)
	case err != nil:
		return "", fmt.Errorf("%s does not answer: %w", at, err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", at, answer.Status)
	}
	return fmt.Sprintf("%s answered %s", at, answer.Status), nil
}
