package videoapi

import (
	"bytes"
	"errors"
	"io"
)

const (
	// maxRead is how many bytes of an answer are looked at. Longer texts in it are shortened
	// to longestText, so that what is kept has at most MaxBody bytes.
	maxRead     = 32 << 20
	longestText = 16 << 10
)

var (
	errCut     = errors.New("the answer is so long that its end is missing")
	errEndless = errors.New("the answer is longer than 1 MiB and no object of JSON")
)

// readBody reads an answer. Of one that has more than most bytes, it shortens texts of more than
// longest bytes, such as a picture in base64, and leaves out what still does not fit, so that the rest
// can be read as JSON. The error is errCut if something is left out.
func readBody(from io.Reader, most, longest int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err != nil || len(body) <= most {
		return body, err
	}
	if !bytes.HasPrefix(bytes.TrimLeft(body[:min(64, len(body))], " \t\r\n\uFEFF"), []byte("{")) {
		return body[:most], errEndless
	}
	s := shortener{most: most, longest: longest}
	_, _ = s.Write(body)
	_, err = io.Copy(&s, io.LimitReader(from, int64(maxRead-len(body))))
	if errors.Is(err, io.ErrShortWrite) || errors.Is(err, errCut) {
		err = nil
	}
	short := s.closed()
	if err == nil && (s.full || len(s.open) > 0) {
		err = errCut
	}
	return short, err
}

// A shortener keeps JSON that is written to it, at most the given bytes, without the parts of
// texts that are longer than longest. JSON in a text is a text of its own: each quotation mark begins one.
type shortener struct {
	most, longest int

	out     bytes.Buffer
	text    bool   // in a text
	escaped bool   // the last byte was a backslash that escapes the next
	length  int    // of the text so far, since the last quotation mark
	slashes int    // backslashes that were seen while dropping
	plain   int    // bytes since the last backslash
	open    []byte // brackets that are open, as they are to be closed
	comma   int    // where the last value ended that something followed
	closing []byte // what was open there
	full    bool
}

// Write implements io.Writer. It fails with errCut once there is enough.
func (s *shortener) Write(p []byte) (int, error) {
	for _, c := range p {
		if s.out.Len() >= s.most-128 {
			s.full = true
			return 0, errCut
		}
		s.add(c)
	}
	return len(p), nil
}

func (s *shortener) add(c byte) {
	if !s.text {
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			return
		}
		s.out.WriteByte(c)
		switch c {
		case '"':
			s.text, s.length, s.plain, s.escaped, s.slashes = true, 0, 0, false, 0
		case '{':
			s.open = append(s.open, '}')
		case '[':
			s.open = append(s.open, ']')
		case '}', ']':
			if len(s.open) > 0 {
				s.open = s.open[:len(s.open)-1]
			}
		case ',':
			if len(s.open) < 64 {
				s.comma, s.closing = s.out.Len()-1, bytes.Clone(s.open)
			}
		}
		return
	}
	ends := c == '"' && !s.escaped
	s.escaped = c == '\\' && !s.escaped
	if dropping := s.length > s.longest && s.plain > 8 && c&0xC0 != 0x80 || s.slashes < 0; dropping {
		s.drop(c, ends)
		return
	}
	s.out.WriteByte(c)
	s.length++
	s.plain++
	if c == '\\' {
		s.plain = 0
	}
	if c == '"' {
		s.length = 0
	}
	if ends {
		s.text = false
	}
}

// drop leaves the byte out, unless it is a quotation mark, or a backslash before one. While it
// does so, slashes is negative: one less than minus the backslashes that were just seen.
func (s *shortener) drop(c byte, ends bool) {
	if s.slashes == 0 {
		s.slashes = -1
	}
	switch c {
	case '\\':
		s.slashes--
	case '"':
		for ; s.slashes < -1; s.slashes++ {
			s.out.WriteByte('\\')
		}
		s.out.WriteByte('"')
		s.slashes, s.length, s.plain = 0, 0, 0
		if ends {
			s.text = false
		}
	default:
		s.slashes = -1
	}
}

// closed returns what was kept. If its end is missing, it ends with the last value that is
// whole.
func (s *shortener) closed() []byte {
	if !s.full && !s.text && len(s.open) == 0 {
		return s.out.Bytes()
	}
	out := bytes.Clone(s.out.Bytes()[:s.comma])
	for i := len(s.closing) - 1; i >= 0; i-- {
		out = append(out, s.closing[i])
	}
	return out
}
