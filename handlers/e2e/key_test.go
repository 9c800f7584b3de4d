package e2e

import "testing"

// A key that the service refuses is not saved. The reason stands beside the field, which
// has the focus, and the refused key is not shown again; the next one can be typed at once.
func TestARefusedKeyIsExplainedBesideItsField(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			p := newTabOf(t, sharedServer(t).member(t))
			if !script {
				p.withoutScript()
			}
			p.size(390, 844)
			p.open("/settings#key-section")
			p.expect("422")
			p.fill("#key", "sk-nobody-has-this-key")
			p.leave(func() { p.press("\r") })
			p.awaitText("#key-error", "refuses this key, so it isn’t saved")
			p.await("the field has the focus and is empty", focused("#key[aria-invalid=true][aria-describedby~=key-error]")+` && document.activeElement.value === ""`)
			p.fits(390)
		})
	}
}
