package room

import (
	"fmt"

	"dailies/db/team"
)

// UsualStyle is the style sheet of a team without a colour.
const UsualStyle = "/* The usual colours. */\n"

// Style returns the style sheet that gives the pages of a link the colour, in a shade for
// each theme.
func Style(c team.Colour) string {
	light, dark := c.Shades(team.Light), c.Shades(team.Dark)
	return fmt.Sprintf(`:root{--brand:light-dark(%s,%s);--on-brand:light-dark(%s,%s);--brand-soft:light-dark(%s,%s)}
.guest{--accent:var(--brand);--accent-soft:var(--brand-soft);--glow:var(--brand)}
@layer pages{.guest .btn.primary{background:var(--brand);border-color:var(--brand);color:var(--on-brand)}
.guest .btn.primary:hover{background:color-mix(in oklab,var(--brand),var(--ink) 16%%)}}
`, light.Text, dark.Text, light.On, dark.On, light.Soft, dark.Soft)
}
