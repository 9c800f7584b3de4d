package api

import (
	"encoding/json"
	"errors"
	"testing"
)

// Whatever is sent, it is read whole or refused with a problem that says why.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"scene":"text-to-video","model":"seedance-2.0","prompt":"a","options":{"duration":5,"seed":-1},"max_credits":30}`,
		`{"a":1,"a":2}`, `{"options":{"image_input":["x",null]}}`, `[]`, `{}{}`, `{"count":1e300}`, `{"prompt":"\ud800"}`, `{"a":[[[[[]]]]]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		var b body
		err := parse(sent, &b)
		var p *Problem
		if err != nil && (!errors.As(err, &p) || p.Detail == "" || p.Code == "" || p.Status < 400 || p.Status >= 500) {
			t.Fatalf("%q: %v", sent, err)
		}
		if err == nil && !json.Valid(sent) {
			t.Fatalf("%q is read", sent)
		}
		if err == nil && b.check(true) == nil {
			_ = b.Options.text()
			_ = b.Options.pictures()
		}
	})
}

// The blanks of a recipe take any words.
func FuzzFilled(f *testing.F) {
	for _, sent := range []string{
		`{"blanks":{"product":"jug","place":"oak"},"count":2,"title":"Jugs","max_credits":30,"accept_unknown_price":true}`,
		`{"blanks":{"":""}}`, `{"blanks":null}`, `{"blanks":[]}`, `{"blanks":{"a":1}}`, `{"max_credits":1e300}`, `{"Blanks":{},"blanks":{}}`,
	} {
		f.Add([]byte(sent))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		var b filled
		err := parse(sent, &b)
		if err == nil {
			err = b.check(true)
		}
		var p *Problem
		if err != nil && (!errors.As(err, &p) || p.Detail == "" || p.Code == "" || p.Status < 400 || p.Status >= 500) {
			t.Fatalf("%q: %v", sent, err)
		}
	})
}

// A cursor opens with the filters that it was made for, and never fails otherwise.
func FuzzCursor(f *testing.F) {
	f.Add(newCursor(7, nil))
	f.Add("MS4")
	f.Add("NC40N0RFUXBqOEhCU2G") // its last letter has bits that belong to no byte
	f.Fuzz(func(t *testing.T, cursor string) {
		if after, ok := openCursor(cursor, nil); ok && (after <= 0 || newCursor(after, nil) != cursor) {
			t.Fatalf("%q opens as %d", cursor, after)
		}
	})
}
