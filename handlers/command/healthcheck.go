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
func (p program) healthcheck(ctx context.Context) error {
	c, err := config.ParseHealthcheck(p.Source)
	if err != nil {
		return settings(err)
	}
	ctx, cancel := context.WithTimeout(ctx, healthcheckTime)
	defer cancel()
	at := "http://" + reachable(c.Addr) + "/healthz"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	// The address is the program's own, so proxies from the environment are ignored,
	// and redirects count as failures.
	answer, err := new(http.Transport).RoundTrip(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s", at, healthcheckTime)
	case err != nil:
		return fmt.Errorf("%s does not answer: %w", at, err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", at, answer.Status)
	}
	_, err = fmt.Fprintf(p.stdout, "%s answered %s\n", at, answer.Status)
	return err
}
