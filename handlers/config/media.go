package config

import (
	"errors"
	"flag"
	"fmt"

	"dailies/db/media/bucket"
)

// Media says where media are kept.
type Media struct {
	Bucket               bucket.Address // without a name, the data folder
	AccessKey, SecretKey string

	text string
}

// The variables of the environment with the credentials of a bucket. They are no
// flags, which every user of the machine could read.
const (
	accessKey = "DAILIES_S3_ACCESS_KEY"
	secretKey = "DAILIES_S3_SECRET_KEY"
)

func (m *Media) flags(f *flag.FlagSet) { m.named(f, "media") }

func (m *Media) named(f *flag.FlagSet, name string) {
	f.StringVar(&m.text, name, "", "`bucket` for videos and pictures, such as s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1; redirect=1 lets browsers download from it; the environment has the credentials in "+accessKey+" and "+secretKey+", or names files with "+accessKey+"_FILE and "+secretKey+"_FILE; empty means the data folder")
}

// given reports whether a bucket is named.
func (m *Media) given() bool { return m.Bucket != (bucket.Address{}) }

// read reads the address that the flag has, and the credentials for it.
func (m *Media) read(s Source) (err error) {
	if m.Bucket, err = bucket.Parse(m.text); err != nil {
		return fmt.Errorf("-media: %w", err)
	}
	if m.text = ""; !m.given() {
		return nil
	}
	if m.AccessKey, err = s.secret(accessKey); err != nil {
		return err
	}
	if m.SecretKey, err = s.secret(secretKey); err != nil {
		return err
	}
	if m.AccessKey == "" || m.SecretKey == "" {
		return errors.New("-media needs " + accessKey + " and " + secretKey + " in the environment")
	}
	return nil
}
