package input

import "github.com/a-h/templ"

// WebhookAddress returns the field for the address of a webhook.
func WebhookAddress() Text {
	return Text{
		Field: Field{
			Name: "webhook", Label: "Address", Focus: OnError,
			Rules: Rules{Valid("required,max=2048,http_url", "A web address starts with https://").OnSubmit()},
		},
		Kind: "url", Sample: "https://", Others: templ.Attributes{"spellcheck": "false"},
	}
}
