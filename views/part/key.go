package part

import "dailies/views/input"

// KeyInput returns the field in which a key of the video service is entered.
func KeyInput(label, hint string) *input.Text {
	return &input.Text{
		Field: input.Field{Name: "key", Label: label, Hint: hint, Focus: input.OnError, Rules: KeyRules()},
		Kind:  "text", Sample: "sk-…", Class: "secret mono", Plain: true,
	}
}

// KeyRules returns the rules of a key. The service does not document the form of keys, so only
// keys that no HTTP header can carry are refused.
func KeyRules() input.Rules {
	return input.Rules{
		input.Required("Paste the key.").OnSubmit(), input.Valid("bytes=500", "Too long for a key. Copy it once more."),
		input.Valid("key", "A key has no spaces or special letters. Copy it once more."),
	}
}
