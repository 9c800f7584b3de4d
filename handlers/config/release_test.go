package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dailies/handlers/config"
)

// A misspelt setting in these files would be ignored silently.
func TestInstalledFilesNameOnlySettingsThatExist(t *testing.T) {
	s := source(nil, "-h")
	_, _ = config.ParseApp(s)
	help := s.Help.(*bytes.Buffer).String()
	for _, file := range []string{"Containerfile", "package/dailies.env", "package/dailies.service"} {
		text, err := os.ReadFile(filepath.Join("..", "..", ".release", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`DAILIES_([A-Z0-9_]+)=`).FindAllSubmatch(text, -1)
		if len(names) == 0 {
			t.Errorf("%s names no setting", file)
		}
		for _, name := range names {
			flag := strings.ToLower(strings.ReplaceAll(string(name[1]), "_", "-"))
			if !strings.Contains(help, "\n  -"+flag+" ") && !strings.Contains(help, "\n  -"+flag+"\n") {
				t.Errorf("%s: %s is not a setting", file, name[0])
			}
		}
	}
}
