package web

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gorilla/securecookie"
)

// cookieText writes a cookie's values as the query of an address. Gob, which is
// the usual way, compiles a decoder for each cookie that it reads: a tenth of
// what a small page costs. Cookies of before are in gob, and still read.
type cookieText struct{ gob securecookie.GobEncoder }

// textMark begins a text. A gob of a map begins with a small number.
const textMark = "text?"

// Serialize implements securecookie.Serializer.
func (c cookieText) Serialize(src any) ([]byte, error) {
	values, ok := src.(map[any]any)
	if !ok {
		return c.gob.Serialize(src)
	}
	text := url.Values{}
	for name, value := range values {
		n, named := name.(string)
		v, worded := value.(string)
		if !named || !worded {
			return nil, fmt.Errorf("a cookie holds %T of %T", value, name)
		}
		text.Set(n, v)
	}
	return []byte(textMark + text.Encode()), nil
}

// Deserialize implements securecookie.Serializer.
func (c cookieText) Deserialize(src []byte, dst any) error {
	text, ok := strings.CutPrefix(string(src), textMark)
	values, fits := dst.(*map[any]any)
	if !ok || !fits {
		return c.gob.Deserialize(src, dst)
	}
	query, err := url.ParseQuery(text)
	if err != nil {
		return err
	}
	if *values == nil {
		*values = map[any]any{}
	}
	for name := range query {
		(*values)[name] = query.Get(name)
	}
	return nil
}
