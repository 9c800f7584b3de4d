package input

import "github.com/a-h/templ"

// WebhookAddress returns the field for the address of a webhook.
func WebhookAddress() Text {
	return Text{
		Field: Field{Name: "webhook", Label: "Address", Focus: OnError}, Kind: "url", Sample: "https://",
		Others: templ.Attributes{"spellcheck": "false"},
		Most:   2048, Missing: noWebAddress, Long: noWebAddress, Wrong: noWebAddress,
	}
}

const noWebAddress = "A web address starts with https://"
