package option_test

import (
	"testing"

	"dailies/db/option"
)

func TestAShapeFollowsThePictureThatLeads(t *testing.T) {
	six := []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9"}
	leads := option.Offer{Ratios: six, Ratio: "16:9", Leads: true}
	auto := option.Offer{Ratios: []string{"16:9", "9:16", option.AutoRatio}, Ratio: "16:9", Leads: true}
	none := option.Offer{Leads: true}
	like := option.Values{Shape: option.LikePicture}
	for name, tt := range map[string]struct {
		offer         option.Offer
		asked         option.Values
		width, height int
		shape         option.Shape
		ratio         string
	}{
		"a portrait":                   {leads, option.Values{}, 900, 1600, option.LikePicture, "9:16"},
		"a phone's portrait":           {leads, option.Values{}, 3024, 4032, option.LikePicture, "3:4"},
		"a banner":                     {leads, like, 3000, 1000, option.LikePicture, "21:9"},
		"a square, nearly":             {leads, like, 1000, 1001, option.LikePicture, "1:1"},
		"an unknown size":              {leads, option.Values{}, 0, 0, option.UnseenPicture, "16:9"},
		"half of a size":               {leads, like, 400, 0, option.UnseenPicture, "16:9"},
		"one that was chosen":          {leads, option.Values{AspectRatio: "16:9"}, 900, 1600, option.ChosenShape, "16:9"},
		"settled for another picture":  {leads, option.Values{Shape: option.LikePicture, AspectRatio: "16:9"}, 900, 1600, option.LikePicture, "9:16"},
		"not known then, but now":      {leads, option.Values{Shape: option.UnseenPicture, AspectRatio: "16:9"}, 900, 1600, option.LikePicture, "9:16"},
		"known then, but not now":      {leads, option.Values{Shape: option.LikePicture, AspectRatio: "9:16"}, 0, 0, option.UnseenPicture, "16:9"},
		"absent where there is Auto":   {auto, option.Values{}, 900, 1600, option.ChosenShape, option.AutoRatio},
		"like it where there is Auto":  {auto, like, 900, 1600, option.LikePicture, "9:16"},
		"unknown where there is Auto":  {auto, like, 0, 0, option.UnseenPicture, "16:9"},
		"no shapes":                    {none, option.Values{}, 900, 1600, option.LikePicture, ""},
		"no shapes, and unknown":       {none, like, 0, 0, option.LikePicture, ""},
		"no shapes, of another model":  {none, option.Values{AspectRatio: "16:9"}, 900, 1600, option.LikePicture, ""},
		"no picture leads":             {option.Offer{Ratios: six, Ratio: "16:9"}, like, 900, 1600, option.ChosenShape, "16:9"},
		"no picture leads, with Auto":  {option.Offer{Ratios: auto.Ratios, Ratio: "16:9"}, option.Values{}, 0, 0, option.ChosenShape, option.AutoRatio},
		"only words beside the shapes": {option.Offer{Ratios: []string{"wide"}, Ratio: "wide", Leads: true}, like, 900, 1600, option.UnseenPicture, "wide"},
	} {
		got := tt.offer.Settle(tt.asked, tt.width, tt.height)
		if got.Shape != tt.shape || got.AspectRatio != tt.ratio {
			t.Errorf("%s: %q, %q", name, got.Shape, got.AspectRatio)
		}
		if again := tt.offer.Complete(got); again != got {
			t.Errorf("%s: completed afterwards: %+v", name, again)
		}
		if sent, _ := tt.offer.Wire(got); sent.Shape != option.ChosenShape {
			t.Errorf("%s: %q is sent", name, sent.Shape)
		}
	}
}

func TestTheShapeOfAPictureIsAChoiceWhereOneLeads(t *testing.T) {
	offer := option.Offer{Ratios: []string{"16:9", "9:16"}, Ratio: "16:9"}
	if got := offer.Choices("aspect_ratio"); len(got) != 2 {
		t.Errorf("without a picture: %q", got)
	}
	if offer.Check("M", option.Text{"aspect_ratio": "picture"}) == nil {
		t.Error("it is accepted without a picture")
	}
	if fitted, notes := fit(offer, option.Text{}); fitted["aspect_ratio"] != "16:9" || notes != nil {
		t.Errorf("without a picture: %v, %v", fitted, notes)
	}
	offer.Leads = true
	if got := offer.Choices("aspect_ratio"); len(got) != 3 || got[0] != "picture" {
		t.Errorf("with a picture: %q", got)
	}
	if problems := offer.Check("M", option.Text{"aspect_ratio": "picture"}); problems != nil {
		t.Errorf("with a picture: %v", problems)
	}
	if fitted, notes := fit(offer, option.Text{}); fitted["aspect_ratio"] != "picture" || notes != nil {
		t.Errorf("with a picture: %v, %v", fitted, notes)
	}
	if got := (option.Offer{Leads: true}).Choices("aspect_ratio"); got != nil {
		t.Errorf("where the model takes none: %q", got)
	}
}
