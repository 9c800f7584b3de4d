package e2e

// webhookWrong sends the form for a new webhook without an address.
func webhookWrong(v *visit) {
	v.open("/settings/webhooks/new")
	v.leave(func() { v.clickText("main button", "Add webhook") })
}

// addWebhook adds a webhook that nobody answers, and sends a test: its page shows the secret,
// and a delivery that has failed.
func addWebhook(v *visit) {
	v.open("/settings/webhooks/new")
	v.fill("#webhook", "http://127.0.0.1:1/hooks/a-rather-long-address-of-a-program-that-wants-to-be-told")
	v.leave(func() { v.clickText("main button", "Add webhook") })
	v.leave(func() { v.clickText("main button", "Send a test") })
}

// addTeamsWebhook adds a webhook of the team, and shows the list.
func addTeamsWebhook(v *visit) {
	v.open("/settings/webhooks/new?team=1")
	v.fill("#webhook", "https://hooks.example.com/dailies")
	v.leave(func() { v.clickText("main button", "Add webhook") })
	v.open("/team/webhooks")
}
