package account

import (
	"fmt"

	"strings"
)

// Browser names the browser and the operating system in a User-Agent header.
func Browser(agent string) string {
	name := firstOf(agent, [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	})
	system := firstOf(agent, [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Mac OS X", "Mac"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case name != "" && system != "":
		return fmt.Sprintf("%s on %s", name, system)
	case name != "":
		return name
	case system != "":
		return fmt.Sprintf("A browser on %s", system)
	}
	return "A browser"
}

// firstOf returns the label of the first pair whose token occurs in text.
func firstOf(text string, pairs [][2]string) string {
	for _, p := range pairs {
		if strings.Contains(text, p[0]) {
			return p[1]
		}
	}
	return ""
}
