package handlers

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// maxPrompt is where the pages of services of this kind stop, in characters.
const maxPrompt = 2000

// createForm is the form that makes a video, as it was sent. The tags are the
// rules that hold for every model; checkScene adds those of the chosen one.
type createForm struct {
	Scene  videoapi.Scene
	Chosen videoapi.Model // what Model names, if the scene offers it
	Known  bool           // whether it does

	Model         string   `form:"model" validate:"max=200"`
	Prompt        string   `form:"prompt" validate:"max=2000"`
	Pictures      []string `form:"image_input" validate:"max=20,dive,omitempty,max=2048,http_url"`
	EndPicture    string   `form:"end_image_url" validate:"omitempty,max=2048,http_url"`
	Duration      string   `form:"duration" validate:"max=20"`
	AspectRatio   string   `form:"aspect_ratio" validate:"max=20"`
	Resolution    string   `form:"resolution" validate:"max=20"`
	CameraFixed   string   `form:"camera_fixed"`
	Seed          string   `form:"seed" validate:"max=40"`
	SafetyChecker string   `form:"enable_safety_checker"`
	Audio         string   `form:"generate_audio"`
	Provider      string   `form:"provider" validate:"omitempty,max=100,printascii"`
	Count         string   `form:"count" validate:"omitempty,oneof=1 2 3 4"`

	// From is the task that the form is made from and Use what it takes from it;
	// Parent is that task once settleParent has looked.
	From   int64
	Use    db.Bond
	Parent *db.Task

	// OptionsOf is the model whose options the page showed. Another one than
	// Model means that the person chose a model without seeing its options.
	OptionsOf string
	// SlowTold are the addresses about which the person was told that they are
	// slow.
	SlowTold []string

	Refused *db.Task // what the service has just refused of it; nil for nothing
}

// readForm takes the form out of the values, whoever sent them. Whatever it
// holds gives a form; check says what is wrong with it.
func readForm(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) createForm {
	text := func(name string) string { return strings.TrimSpace(site.PlainText(v.Get(name))) }
	f := createForm{
		Scene: scene, Model: text("model"), Prompt: text("prompt"),
		EndPicture: text("end_image_url"), Duration: text("duration"), AspectRatio: text("aspect_ratio"),
		Resolution: text("resolution"), CameraFixed: boolean(text("camera_fixed")), Seed: text("seed"),
		SafetyChecker: boolean(text("enable_safety_checker")), Audio: boolean(text("generate_audio")),
		Provider: text("provider"), Count: text("count"), OptionsOf: text("options_of"), SlowTold: v["slow_told"][:min(len(v["slow_told"]), 20)],
	}
	if use := db.Bond(text("use")); slices.Contains(db.Bonds(), use) && site.ParseID(text("from")) > 0 {
		f.From, f.Use = site.ParseID(text("from")), use
	}
	for _, p := range v["image_input"] {
		f.Pictures = append(f.Pictures, strings.TrimSpace(site.PlainText(p)))
	}
	if first := text("image_url"); first != "" && strings.Join(f.Pictures, "") == "" {
		f.Pictures = []string{first} // "equal to the first image_input entry"
	}
	models := c.For(scene)
	i := slices.IndexFunc(models, func(m videoapi.Model) bool { return m.ID == f.Model })
	if f.Known = i >= 0; f.Known {
		f.Chosen = models[i]
	}
	if _, sent := v["aspect_ratio"]; sent && f.AspectRatio == "" && slices.Contains(f.Chosen.Ratios, option.AutoRatio) {
		f.AspectRatio = option.AutoRatio // "For Veo, Auto is expressed by … sending an empty string."
	}
	if scene == videoapi.FramesToVideo && f.EndPicture != "" && len(f.Pictures) < 2 {
		f.Pictures = append(slices.Grow(f.Pictures, 2), make([]string, 1-len(f.Pictures))...)
		f.Pictures, f.EndPicture = append(f.Pictures, f.EndPicture), ""
	}
	return f
}

// boolean reads a switch in the ways in which browsers and programs send it;
// everything else stays as it came, to be refused.
func boolean(s string) string {
	switch strings.ToLower(s) {
	case "true", "on", "1", "yes":
		return "true"
	case "false", "off", "0", "no":
		return "false"
	}
	return site.Clip(s, 20)
}

// pictures are the addresses in the order in which the service takes them.
func (f createForm) pictures() []string {
	var all []string
	for _, p := range append(slices.Clip(f.Pictures), f.EndPicture) {
		if p != "" {
			all = append(all, p)
		}
	}
	return all
}

// task is the task that a form without mistakes asks for.
func (f createForm) task(u db.User) db.Task {
	m := f.Chosen
	t := db.Task{
		UserID: u.ID, Scene: string(f.Scene), Model: m.ID, Prompt: f.Prompt,
		Provider: f.Provider, Pictures: f.pictures(), State: db.Queued, CreatedAt: db.Now(),
	}
	t.Options = db.Options{
		Duration:    number(pick(f.Duration, strconv.Itoa(m.Duration))),
		AspectRatio: pick(ratio(f.AspectRatio), m.Ratio),
		Resolution:  pick(f.Resolution, m.Resolution),
	}
	if f.Parent != nil {
		t.ParentID, t.Bond, t.Private = f.Parent.ID, f.Use, f.Parent.Private
	}
	if m.Camera != option.MovingCamera {
		t.Options.CameraFixed = flag(f.CameraFixed, false)
	}
	if m.Safety {
		t.Options.SafetyChecker = flag(f.SafetyChecker, true)
	}
	if m.Sound.Optional() {
		t.Options.Audio = flag(f.Audio, m.Sound == option.SoundOn)
	}
	if m.Seed != nil {
		t.Options.Seed = m.Seed.Default
		if n, err := strconv.ParseInt(f.Seed, 10, 64); err == nil {
			t.Options.Seed = &n
		}
	}
	return t
}

func pick(chosen, usual string) string {
	if chosen == "" {
		return usual
	}
	return chosen
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // checked before
	return n
}

func flag(s string, usual bool) *bool {
	if s != "" {
		usual = s == "true"
	}
	return &usual
}

// view is the form as the page shows it.
func (f createForm) view(c *videoapi.Catalog, token string) createview.CreateForm {
	v := createview.CreateForm{
		Scene: f.Scene, Token: token, Models: c.For(f.Scene), Model: f.Chosen,
		Prompt: f.Prompt, PromptMax: maxPrompt, Pictures: f.inputs(), EndPicture: f.EndPicture,
		Duration: f.Duration, AspectRatio: f.AspectRatio, Resolution: f.Resolution, CameraFixed: f.CameraFixed,
		Seed: f.Seed, SafetyChecker: f.SafetyChecker, Audio: f.Audio, Provider: f.Provider, SlowTold: f.SlowTold,
		Count: f.count(),
	}
	if !f.Known {
		v.Model = v.Models[0]
	}
	return v
}

// inputs are the picture fields that the page shows, filled or not: at least
// as many as the scene has, and no typed one is dropped.
func (f createForm) inputs() []string {
	fields := map[videoapi.Scene]int{videoapi.ImageToVideo: 1, videoapi.FramesToVideo: 2, videoapi.ReferenceToVideo: 3}[f.Scene]
	inputs := slices.Clone(f.Pictures)
	for len(inputs) > fields && inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	for len(inputs) < fields {
		inputs = append(inputs, "")
	}
	return inputs[:min(len(inputs), 20)]
}
