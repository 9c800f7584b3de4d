package config_test

import (
	"errors"
	"testing"

	"dailies/handlers/config"
)

func TestArgumentsOfUserCommandsComeInAnyOrder(t *testing.T) {
	want := config.User{Verb: config.SetUserRole, Who: "kim@example.com", Role: "viewer", Data: "d", JSON: true}
	for _, args := range [][]string{
		{"role", "kim@example.com", "viewer", "-data", "d", "-json"},
		{"role", "-json", "kim@example.com", "-data", "d", "viewer"},
		{"role", "-data=d", "-json", "kim@example.com", "viewer"},
		{"role", "--data", "d", "--json=true", "kim@example.com", "viewer"},
	} {
		if c, err := config.ParseUser(source(nil, args...)); err != nil || c != want {
			t.Errorf("%q: got %+v, %v", args, c, err)
		}
	}
	for _, args := range [][]string{{"role", "kim@example.com", "-data", "viewer"}, {"role", "kim@example.com", "viewer", "-nope"}, {"list", "-data", ""}, {"list", "-name", "Kim"}, {"list", "-json=perhaps"}} {
		if c, err := config.ParseUser(source(nil, args...)); err == nil {
			t.Errorf("%q: got %+v", args, c)
		}
	}
}

func TestArgumentsOfOneRunAreNotInTheEnvironment(t *testing.T) {
	env := map[string]string{"DAILIES_ROLE": "admin", "DAILIES_NAME": "Kim", "DAILIES_JSON": "true", "DAILIES_LIMIT": "5", "DAILIES_DATA": "d"}
	c, err := config.ParseUser(source(env, "add", "kim@example.com", "-name", "Lee"))
	if err != nil || c.Role != "member" || c.Name != "Lee" || c.JSON || c.Limit != "default" || c.Data != "d" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := config.ParseUser(source(env, "-h")); !errors.Is(err, config.ErrHelp) {
		t.Errorf("got %v", err)
	}
}
