package main

import (
	"os"
	"strings"
	"testing"
)

// settings are values for all variables of compose.yaml.
var settings = map[string]string{"PUBLIC_URL": publicURL, "POSTGRES_PASSWORD": "p", "S3_SECRET_KEY": "k", "SECRET": "s", "SETUP_TOKEN": "t"}

// TestOnlyUnderstoodFilesAreRun changes compose.yaml in ways that this command does not
// understand or that Docker refuses.
func TestOnlyUnderstoodFilesAreRun(t *testing.T) {
	text, err := os.ReadFile("../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(text, settings); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, says string }{
		{"name: dailies", "name: dailies\nsecrets: {}", "field secrets not found"},
		{"    restart: unless-stopped\n    command", "    restart: unless-stopped\n    read_only: true\n    command", "field read_only not found"},
		{"x-app: &app\n", "x-app: &app\n  privileged: true\n", "field privileged not found"},
		{"      interval: 5s\n", "      interval: 5s\n      start_interval: 1s\n", "field start_interval not found"},
		{"condition: service_healthy}", "condition: service_healthy, required: false}", "field required not found"},
		{"    ipam: {config", "    internal: true\n    ipam: {config", "field internal not found"},
		{"storage: }", "storage: {driver: local}}", "field driver not found"},
		{"restart: unless-stopped", `restart: "no"`, "only unless-stopped is known"},
		{"database: {condition", "databse: {condition", "databse, which is no service"},
		{"service_healthy", "service_completed_successfully", "unknown condition"},
		{"  sandbox:\n", "  sandbox:\n    depends_on: {app1: {condition: service_started}}\n", "depends on itself"},
		{`["CMD", "pg_isready"`, `["CMD-SHELL", "pg_isready"`, "begins with CMD"},
		{`"443:443"`, `"127.0.0.1:443:443"`, "is not host:container"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandpit:/data"]`, "neither a declared volume"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandbox:/data:z"]`, "neither a declared volume"},
		{`volumes: ["sandbox:/data"]`, `volumes: ["sandbox"]`, "neither a declared volume"},
		{"${SECRET:?}", "${SECRETS:?}", "secrets.env.example has no SECRETS"},
		{"${SECRET:?}", "${SECRET:-none}", "must have the form"},
		{"${SECRET:?}", "$SECRET", "must have the form"},
		{"10.89.0.0/24}]", "10.89.0.0/30}]", "room for all"},
		{`entrypoint: ["/bin/sh"`, `entrypoint: sh #`, "cannot unmarshal"},
	} {
		changed := strings.Replace(string(text), c.from, c.to, 1)
		if changed == string(text) {
			t.Errorf("compose.yaml has no %q any more", c.from)
		}
		if _, err := parse([]byte(changed), settings); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q instead of %q: got %v, want %q", c.to, c.from, err, c.says)
		}
	}
}

func TestUnknownInstructionsAreRefused(t *testing.T) {
	for _, line := range []string{"SHELL [\"/bin/bash\"]", "FROM debian", "STOPSIGNAL SIGQUIT", "HEALTHCHECK NONE", "HEALTHCHECK --retries=2 CMD [\"true\"]", "USER nobody"} {
		if err := new(builder).build(line); err == nil {
			t.Errorf("%s is followed", line)
		}
	}
}
