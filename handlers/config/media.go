package config

import (
	"flag"
	"fmt"

	"dailies/db/media/bucket"
)

// Media says where media are stored.
type Media struct {
	Bucket               bucket.Address // the zero value means the data folder
	AccessKey, SecretKey string

	name string // of the flag, with a dash
	text string
}

// The environment variables with the credentials of a bucket. They are not flags,
// because other users of the machine can read those.
const (
	accessKey = "DAILIES_S3_ACCESS_KEY"
	secretKey = "DAILIES_S3_SECRET_KEY"
)

func (m *Media) flags(f *flag.FlagSet) { m.named(f, "media") }

func (m *Media) named(f *flag.FlagSet, name string) {
	m.name = "-" + name
	f.StringVar(&m.text, name, "", fmt.Sprintf("`bucket` for videos and pictures, such as s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1; redirect=1 lets browsers download from it; the environment has the credentials in %[1]s and %[2]s, or names files with %[1]s_FILE and %[2]s_FILE; empty means the data folder", accessKey, secretKey))
}

// isSet reports whether a bucket is set.
func (m *Media) isSet() bool { return m.Bucket != (bucket.Address{}) }

// read parses the flag's value, and reads the credentials if a bucket is set.
func (m *Media) read(s Source) (err error) {
	name, text := m.name, m.text
	m.name, m.text = "", ""
	if m.Bucket, err = bucket.Parse(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !m.isSet() {
		return nil
	}
	if m.AccessKey, err = s.secret(accessKey); err != nil {
		return err
	}
	if m.SecretKey, err = s.secret(secretKey); err != nil {
		return err
	}
	if m.AccessKey == "" || m.SecretKey == "" {
		return fmt.Errorf("%s needs %s and %s in the environment", name, accessKey, secretKey)
	}
	return nil
}
