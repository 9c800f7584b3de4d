package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/handlers/site"
	"dailies/web/videoapi"
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
			_, _ = b.typed(nil)
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

// Whatever a program that knows the service sends, it is read whole or refused in words.
func FuzzCall(f *testing.F) {
	for _, sent := range []string{
		`{"mediaType":"video","scene":"image-to-video","model":"veo3","prompt":"a","options":{"image_input":["https://a.example/b.png",null],"seed":-1,"duration":5.0}}`,
		`{"options":{"duration":1e300,"seed":1e-300}}`, `{"Scene":"a","scene":"b"}`, `{"options":{"image_url":"a","end_image_url":"b","camera_fixed":true,"fixed_lens":false}}`,
		`[]`, `{}{}`, `{"a":[[[[[]]]]]}`, `{"prompt":"\ud800"}`, `{"mediaType":"video","scene":"text-to-video","model":"seedance-2.0","options":{"seed":9007199254740993}}`,
	} {
		f.Add([]byte(sent))
	}
	catalog := videoapi.DefaultCatalog()
	f.Fuzz(func(t *testing.T, sent []byte) {
		var b call
		err := parseCall(sent, &b)
		if err == nil && !json.Valid(sent) {
			t.Fatalf("%q is read", sent)
		}
		if err == nil {
			_, err = b.order(catalog, db.User{ID: 1})
		}
		var p *Problem
		if err != nil && (!errors.As(err, &p) || p.Status < 400 || p.Status >= 500 || said(p) == "" || said(p) == broken) {
			t.Fatalf("%q: %v", sent, err)
		}
	})
}

// An address of a file opens for a day, and is nobody else's to make.
func TestASignedAddressEndsAfterADay(t *testing.T) {
	vault, err := secrets.NewVault([]byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := secrets.NewVault([]byte("another"))
	if err != nil {
		t.Fatal(err)
	}
	a := &API{vault: vault, network: &site.Network{}}
	made := db.Now()
	r := httptest.NewRequest("GET", "http://dailies.example.com/", nil)
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, Caller{Token: program.Token{ID: 3}}))
	address := a.signedAddress(r, db.Media{ID: 2, TaskID: 1, Type: "video/quicktime"})
	name, ours := strings.CutPrefix(address, "http://dailies.example.com/api/ai/files/")
	if !ours || !strings.HasSuffix(name, ".mov") {
		t.Fatalf("the address is %s", address)
	}
	got, ok := a.readTicket(name, made.Add(signedFor-time.Second))
	if want := (ticket{task: 1, media: 2, token: 3, until: got.until}); !ok || got != want {
		t.Errorf("%+v, %t", got, ok)
	}
	if _, ok := a.readTicket(name, made.Add(signedFor+time.Second)); ok {
		t.Error("it opens after a day")
	}
	if _, ok := (&API{vault: other}).readTicket(name, made); ok {
		t.Error("it opens with another secret")
	}
	for i := range len(name) - len(".mov") {
		if _, ok := a.readTicket(name[:i]+"7"+name[i+1:], made); ok && name[i] != '7' {
			t.Errorf("it opens with another character at %d", i)
		}
	}
}

// No address opens that this program has not made.
func FuzzSignedAddress(f *testing.F) {
	vault, err := secrets.NewVault([]byte("one"))
	if err != nil {
		f.Fatal(err)
	}
	a := &API{vault: vault}
	f.Add("1.2.3.9999999999.AAAA.mp4")
	f.Add("1.2.3.9999999999..mp4")
	f.Add(".....")
	f.Fuzz(func(t *testing.T, name string) {
		if got, ok := a.readTicket(name, time.Unix(0, 0)); ok {
			t.Fatalf("%q opens as %+v", name, got)
		}
	})
}
