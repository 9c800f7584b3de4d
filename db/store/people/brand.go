package people

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// The settings with the team's brand and the file of its logo, in base64. The logo is in
// the database because it is small, and thus in every backup and move.
const (
	brandSetting = "brand"
	logoSetting  = "logo"
)

// Brand returns the team's brand.
func (s *Settings) Brand(ctx context.Context) (b team.Brand, err error) {
	look := s.db.Reading(ctx)
	b = brand(look)
	return b, engine.About(brandSetting, look.Err())
}

func brand(tx *engine.Tx) (b team.Brand) {
	if text := kit.Setting(tx, brandSetting); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &b))
	}
	return b
}

// Logo returns the file of the team's logo, and describes it. It returns db.ErrNotFound if
// there is none.
func (s *Settings) Logo(ctx context.Context) (file []byte, logo team.Logo, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		logo = brand(tx).Logo
		text := kit.Setting(tx, logoSetting)
		tx.Require(logo.Hash != "" && text != "", db.ErrNotFound)
		if tx.OK() {
			file, err = base64.StdEncoding.DecodeString(text)
			tx.Check(err)
		}
	})
	return file, logo, engine.About(logoSetting, err)
}

// SetBrand changes the team's brand. The file is that of b.Logo; nil means that it is the
// logo that the team has, or that there is none.
func (s *Settings) SetBrand(ctx context.Context, b team.Brand, file []byte) error {
	b.Name = naming.Clean(b.Name)
	return engine.About(brandSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := brand(tx)
		if !tx.OK() || b == before {
			return
		}
		text, err := json.Marshal(b)
		tx.Check(err)
		kit.PutSetting(tx, brandSetting, string(text))
		switch {
		case file != nil:
			kit.PutSetting(tx, logoSetting, base64.StdEncoding.EncodeToString(file))
		case b.Logo == team.Logo{}:
			tx.Exec(`DELETE FROM settings WHERE name = $1`, logoSetting)
		}
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: brandSetting, Before: branded(before), After: branded(b)})
	}))
}

// branded returns the brand in words, for the audit.
func branded(b team.Brand) string {
	if b == (team.Brand{}) {
		return ""
	}
	logo := "no logo"
	if b.Logo.Hash != "" {
		logo = fmt.Sprintf("a logo of %d × %d", b.Logo.Width, b.Logo.Height)
	}
	colour := b.Colour
	if colour == "" {
		colour = "the usual colour"
	}
	return fmt.Sprintf("%s (%s, %s)", b.Name, colour, logo)
}
