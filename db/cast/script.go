package cast

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db/format"
)

// A PictureRule says what a model does with pictures in a scene.
type PictureRule struct {
	References bool // they are references, which cast members share; otherwise each has its own meaning
	Places     int  // how many there may be
	// Refer returns how the model's prompts refer to picture n, counted from 1; empty if
	// they do not.
	Refer func(n int) string
}

// A Choice is one picture of a cast member.
type Choice struct {
	Handle string // as Fold returns it
	Number int    // from 1
}

// String returns the choice as it stands in the place of a picture's address, such as
// @anna or, for the second picture, @anna.2.
func (c Choice) String() string {
	if c.Number == 1 {
		return "@" + c.Handle
	}
	return fmt.Sprintf("@%s.%d", c.Handle, c.Number)
}

// ParseChoice reads a choice that stands in the place of a picture's address. It reports
// false for anything else, such as an address.
func ParseChoice(text string) (c Choice, ok bool) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "@")
	if !ok {
		rest, ok = strings.CutPrefix(text, "＠")
	}
	if !ok {
		return c, false
	}
	handle, number, numbered := strings.Cut(rest, ".")
	c = Choice{Fold(handle), 1}
	if numbered {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > MaxPictures {
			return Choice{}, false
		}
		c.Number = n
	}
	return c, IsHandle(handle)
}

// A Script is a prompt with its pictures as the service gets them, and what became of the
// handles in them.
type Script struct {
	Prompt   string       // in the words that are sent
	Pictures []string     // addresses: the person's own, with gaps kept, and then those of the cast
	Owners   []int        // for each picture, whose it is in Cast, or -1
	Cast     []Appearance // those in the prompt, in its order, and then those that are only in pictures
	Unknown  []string     // what looks like handles in the prompt, as typed, although nobody has them
	Nobody   []int        // which of the pictures name somebody who is not in the cast, or has no such picture
	Shared   []Choice     // the pictures that were added for those in the prompt
	// Left are those in Cast who have no place among the references. If the user has chosen
	// the pictures, there are none: whoever has no picture is in the words alone.
	Left []int
	// Beyond is how many of the chosen pictures have no place.
	Beyond int
}

// Cast returns what is sent of a prompt and its pictures. A picture is an address, empty,
// or a Choice. The person's own pictures come first. In a scene with references, those who
// are in the prompt share the places that are left: each one's first picture, then the
// second ones, then the third ones. If chosen is not nil, these pictures are taken instead.
func (r PictureRule) Cast(members []Member, prompt string, pictures []string, chosen []Choice) Script {
	by := map[string]Member{}
	for _, m := range members {
		by[m.Fold()] = m
	}
	pieces := Pieces(prompt, func(handle string) bool { return by[handle].ID != 0 })
	d := casting{rule: r, by: by, at: map[string]int{}}
	d.Unknown = Unknown(pieces)
	mentioned := Mentioned(pieces)
	for _, handle := range mentioned {
		d.enter(handle)
	}
	d.place(pictures)
	if r.References {
		d.share(mentioned, chosen)
	}
	d.Prompt = Write(pieces, d.words)
	return d.Script
}

// casting is a Script that is being written.
type casting struct {
	Script
	rule PictureRule
	by   map[string]Member
	at   map[string]int // where somebody is in Cast, by handle
	n    int            // how many pictures there are, without gaps
}

// enter adds somebody to the script, if they are not in it yet, and returns where they are.
func (d *casting) enter(handle string) int {
	at, ok := d.at[handle]
	if !ok {
		at = len(d.Cast)
		d.at[handle] = at
		d.Cast = append(d.Cast, AppearanceOf(d.by[handle]))
	}
	return at
}

// place puts the person's own pictures into the script.
func (d *casting) place(pictures []string) {
	for i, address := range pictures {
		c, ok := ParseChoice(address)
		m := d.by[c.Handle]
		switch {
		case !ok:
			d.add(address, -1)
		case m.ID == 0 || c.Number > len(m.Pictures):
			d.Nobody = append(d.Nobody, i)
			d.add(address, -1)
		default:
			d.add(m.Pictures[c.Number-1], d.enter(c.Handle))
		}
	}
}

// add adds a picture of the one who is there in Cast, or of nobody.
func (d *casting) add(address string, owner int) {
	d.Pictures, d.Owners = append(d.Pictures, address), append(d.Owners, owner)
	if owner >= 0 {
		d.Cast[owner].Sent = append(d.Cast[owner].Sent, d.n)
	}
	if address != "" {
		d.n++
	}
}

// share adds the pictures of those who are in the prompt.
func (d *casting) share(mentioned []string, chosen []Choice) {
	if chosen != nil {
		d.choose(mentioned, chosen)
		return
	}
	for number := range MaxPictures {
		for _, handle := range mentioned {
			of := d.by[handle].Pictures
			if number < len(of) && d.n < d.rule.Places && !d.has(handle, of[number]) {
				d.add(of[number], d.at[handle])
				d.Shared = append(d.Shared, Choice{handle, number + 1})
			}
		}
	}
	for _, handle := range mentioned {
		if at := d.at[handle]; len(d.Cast[at].Sent) == 0 {
			d.Left = append(d.Left, at)
		}
	}
}

// choose adds the chosen pictures.
func (d *casting) choose(mentioned []string, chosen []Choice) {
	for _, c := range chosen {
		m := d.by[c.Handle]
		switch {
		case !slices.Contains(mentioned, c.Handle), c.Number < 1, c.Number > len(m.Pictures), d.has(c.Handle, m.Pictures[c.Number-1]):
		case d.n >= d.rule.Places:
			d.Beyond++
		default:
			d.add(m.Pictures[c.Number-1], d.at[c.Handle])
			d.Shared = append(d.Shared, c)
		}
	}
}

// has reports whether the picture is in the script already, as one of theirs.
func (d *casting) has(handle, address string) bool {
	for i, p := range d.Pictures {
		if p == address && d.Owners[i] == d.at[handle] {
			return true
		}
	}
	return false
}

// words returns what stands in the place of a handle.
func (d *casting) words(handle string, first bool) string {
	m := d.Cast[d.at[handle]]
	words := m.Name
	var refers []string
	for _, i := range m.Sent {
		if d.rule.Refer == nil {
			break
		}
		if refer := d.rule.Refer(i + 1); refer != "" {
			refers = append(refers, refer)
		}
	}
	if len(refers) > 0 {
		words = fmt.Sprintf("%s (%s)", words, format.List(refers))
	}
	if first && m.Look != "" {
		words = fmt.Sprintf("%s [%s]", words, m.Look)
	}
	return words
}

// WithoutPictures returns those of whom no picture is sent.
func (s Script) WithoutPictures() (without []Appearance) {
	for _, m := range s.Cast {
		if len(m.Sent) == 0 {
			without = append(without, m)
		}
	}
	return without
}

// KeyOf returns the key of a handle as Unknown returns it, with the @ before it.
func KeyOf(typed string) string { return Fold(strings.TrimLeft(typed, "@＠")) }

// Rename returns the text with another handle in the place of one that nobody in the cast
// has. Both are given as Fold returns them.
func Rename(text, from, to string) string {
	var renamed strings.Builder
	for _, p := range Pieces(text, func(string) bool { return false }) {
		if p.Handle == from {
			p.Text = "@" + to
		}
		renamed.WriteString(p.Text)
	}
	return renamed.String()
}

// Nearest returns the one of the handles that somebody probably meant who typed another: it
// differs in one character, or in two if it is long, or is the only one that begins with
// what was typed. It is empty if there is none. All are given as Fold returns them.
func Nearest(typed string, handles []string) string {
	const most = 2
	nearest, least := "", most+1
	var begin []string
	for _, h := range handles {
		if strings.HasPrefix(h, typed) && utf8.RuneCountInString(typed) >= MinHandle {
			begin = append(begin, h)
		}
		if d := distance([]rune(typed), []rune(h), most); d < least && (d < 2 || utf8.RuneCountInString(h) > 5) {
			nearest, least = h, d
		}
	}
	if nearest == "" && len(begin) == 1 {
		return begin[0]
	}
	return nearest
}

// distance returns how many characters have to be added, removed or replaced to make b of
// a; more than most if that is more than most.
func distance(a, b []rune, most int) int {
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0] // that of one character less of both
		row[0] = i + 1
		for j := range b {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
		if slices.Min(row) > most {
			return most + 1
		}
	}
	return row[len(b)]
}
