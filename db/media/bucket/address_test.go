package bucket_test

import (
	"strings"
	"testing"

	"dailies/db/media/bucket"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]bucket.Address{
		"":             {},
		"s3://videos":  {Bucket: "videos", Host: "s3.amazonaws.com", Secure: true},
		"s3://videos/": {Bucket: "videos", Host: "s3.amazonaws.com", Secure: true},
		"s3://videos/team/a?endpoint=http://127.0.0.1:9000/&region=eu-central-1&redirect=1": {
			Bucket: "videos", Prefix: "team/a", Host: "127.0.0.1:9000", Region: "eu-central-1", Redirect: true,
		},
		"s3://videos?endpoint=https%3A%2F%2Fs3.example.com&redirect=0": {Bucket: "videos", Host: "s3.example.com", Secure: true},
	} {
		if got, err := bucket.Parse(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// unusable lists invalid addresses. Some contain a secret in a place where users
// might put one.
var unusable = []string{
	"x", "s3:", "s3://", "s3:videos", "https://s3.example.com/videos", "s3://UPPER_case", "s3://a", "s3://videos#a",
	"s3://me:hunter22222@videos", "s3://videos?endpoint=ftp://x", "s3://videos?endpoint=s3.example.com",
	"s3://videos?endpoint=https://me:hunter22222@s3.example.com", "s3://videos?endpoint=https://s3.example.com/path",
	"s3://videos?secret=hunter22222", "s3://videos?redirect=yes", "s3://videos?region=a&region=b", "s3://videos?region=a+b",
	"s3://videos/../secret", "s3://videos/a//b", "s3://videos/" + strings.Repeat("a", 600), "s3://videos?%zz", "s3://videos/%ff",
}

func TestUnusableAddressesAreOneLineWithoutSecrets(t *testing.T) {
	for _, text := range unusable {
		got, err := bucket.Parse(text)
		if err == nil || got != (bucket.Address{}) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter22222") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("s3://videos/team/a?endpoint=http://127.0.0.1:9000/&region=eu-central-1&redirect=1")
	for _, text := range unusable {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := bucket.Parse(text)
		switch {
		case err != nil && (a != bucket.Address{} || strings.ContainsAny(err.Error(), "\n\r")):
			t.Errorf("%+v, %q", a, err)
		case err == nil && text != "" && (a.Bucket == "" || a.Host == "" || strings.Contains(a.Prefix, "..") && strings.Contains("/"+a.Prefix+"/", "/../")):
			t.Errorf("%+v", a)
		}
	})
}
