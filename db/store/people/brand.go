package people

import (
	"context"
	"encoding/base64"
	"fmt"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// brandRecord is the team's brand.
var brandRecord = record[team.Brand]{"brand", branded}

// logoSetting is the setting with the file of the team's logo, in base64. The logo is in
// the database because it is small, and thus in every backup and move.
const logoSetting = "logo"

// Brand returns the team's brand.
func (s *Settings) Brand(ctx context.Context) (team.Brand, error) {
	return engine.Read(ctx, s.db, brandRecord.name, brandRecord.in)
}

// Logo returns the file of the team's logo, and describes it. It returns db.ErrNotFound if
// there is none.
func (s *Settings) Logo(ctx context.Context) (file []byte, logo team.Logo, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		logo = brandRecord.in(tx).Logo
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
	return engine.About(brandRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		changed := brandRecord.put(tx, b)
		switch {
		case !tx.OK() || !changed:
		case file != nil:
			kit.PutSetting(tx, logoSetting, base64.StdEncoding.EncodeToString(file))
		case b.Logo == team.Logo{}:
			tx.Exec(`DELETE FROM settings WHERE name = $1`, logoSetting)
		}
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
