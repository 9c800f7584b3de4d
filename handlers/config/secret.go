package config

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// secrets are the flags whose values can also be read from a file named in the
// environment.
var secrets = map[string]bool{"secret": true, "new-secret": true, "setup-token": true, "database": true, "password": true, "oidc-client-secret": true}

// maxSecret limits the size of such a file, in bytes.
const maxSecret = 4 << 10

// secret returns the value of the environment variable, or the content of the file
// that NAME_FILE names. It returns "" if neither is set.
func (s Source) secret(name string) (string, error) {
	value, ok := s.Lookup(name)
	if ok {
		return value, nil
	}
	value, _, err := s.secretFile(name)
	return value, err
}

// secretFile returns the content of the file that NAME_FILE names, without the line break
// at its end.
func (s Source) secretFile(name string) (value string, ok bool, err error) {
	path, ok := s.Lookup(name + "_FILE")
	if !ok {
		return "", false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	if err == nil && len(text) > maxSecret {
		err = fmt.Errorf("more than %d bytes are no secret", maxSecret)
	}
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", name, err)
	}
	return strings.TrimRight(string(text), "\r\n"), true, nil
}
