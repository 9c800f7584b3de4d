package video_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// fullGallery returns a store with tasks of two people in every state, scene and model.
func fullGallery(tb testing.TB) (s *store.Store, ann, bo int64, tasks []db.Task) {
	tb.Helper()
	s = suite.Open(tb)
	ann, bo = suite.AddUser(tb, s, "Ann").ID, suite.AddUser(tb, s, "Bo").ID
	prompts := []string{"A red kite", "Ein Drachen über dem Meer", "the kitesurfer’s cafe\u0301", "红色的风筝", ""}
	for i, state := range slices.Repeat(db.States(), 8) {
		task := suite.NewTask([]int64{ann, bo}[i%2], prompts[i%len(prompts)])
		task.Scene = []string{"text-to-video", "image-to-video", "frames-to-video"}[i%3]
		task.Model = []string{"veo3", "veo3_fast", "bytedance/v1", `o"dd'%`}[i%4]
		suite.Queue(tb, s, &task)
		tasks = append(tasks, suite.Bring(tb, s, task.ID, state, suite.Day))
		must(tb, s.Calls.EndCall(tb.Context(), task.ID, suite.Day)) // the next task has the same key
	}
	return s, ann, bo, tasks
}

// chosen computes in plain Go whether the filter must select the task.
func chosen(f gallery.Filter, t db.Task) bool {
	return t.VisibleTo(f.Viewer) &&
		among(f.Makers, t.UserID) && among(f.Scenes, t.Scene) && among(f.Models, t.Model) &&
		(slices.Contains(f.States, gallery.AnyState) || slices.Contains(f.States, t.State) || len(f.States) == 0 && t.State == db.Success) &&
		(f.Before == 0 || t.ID < f.Before)
}

func TestTasksNeverShowWhatBecomesPrivateMeanwhile(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	task := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a kite").ID, db.Success, suite.Day)
	ctx, stop := context.WithCancel(t.Context())
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for private := true; ctx.Err() == nil; private = !private {
			if _, err := s.Tasks.PrivateTasks(ctx, ann, []int64{task.ID}, private); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	defer flipping.Wait()
	defer stop()
	for range 150 {
		tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: bo.ID, Limit: 10})
		must(t, err)
		for _, seen := range tasks {
			if seen.Private {
				t.Fatal("Bo was given a row of Ann's that is private")
			}
		}
	}
}

func TestEveryMixOfFilters(t *testing.T) {
	s, ann, bo, tasks := fullGallery(t)
	slices.Reverse(tasks)
	states := [][]db.State{nil, {gallery.AnyState}, {db.Success}, {db.Failed}, {db.Pending}, {db.Unconfirmed}, {`no "such" state`}, {db.Failed, db.Success},
		{db.Pending, gallery.AnyState}}
	for _, viewer := range []int64{ann, bo, -1} {
		for _, mine := range []bool{false, true} {
			for _, state := range states {
				for _, scene := range [][]string{nil, {"image-to-video"}, {"video"}} {
					for _, model := range [][]string{nil, {"veo3"}, {`o"dd'%`}, {"veo3", "veo3", `o"dd'%`}} {
						f := gallery.Filter{Viewer: viewer, States: state, Scenes: scene, Models: model, Limit: 100}
						if mine {
							f.Makers = []int64{viewer}
						}
						var want []int64
						for _, task := range tasks {
							if chosen(f, task) {
								want = append(want, task.ID)
							}
						}
						got, total, err := s.Search.CountedTasks(t.Context(), f)
						must(t, err)
						if !slices.Equal(suite.IDs(got), want) || total != len(want) {
							t.Fatalf("%+v: %v, %d in all, want %v", f, suite.IDs(got), total, want)
						}
					}
				}
			}
		}
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	s, ann, _, tasks := fullGallery(t)
	f := gallery.Filter{Viewer: ann, States: []db.State{gallery.AnyState}, Limit: 7}
	var seen []int64
	for {
		page, err := s.Search.Tasks(t.Context(), f)
		must(t, err)
		if len(page) == 0 {
			break
		}
		seen = append(seen, suite.IDs(page)...)
		f.Before = page[len(page)-1].ID
	}
	var want []int64
	for _, task := range slices.Backward(tasks) {
		if task.VisibleTo(ann) {
			want = append(want, task.ID)
		}
	}
	suite.Same(t, seen, want)
	if none, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: ann}); len(none) > 0 || err != nil {
		t.Error("a page of no tasks holds some", err)
	}
}

func TestPageBringsNamesAndMedia(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	var want []db.Task
	for range 3 {
		id := suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, db.Success, suite.Day).ID
		task, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			return t.Keep([]db.Media{{Kind: db.Video, Hash: "a", CreatedAt: suite.Day}, {Kind: db.Cover, Hash: "b", CreatedAt: suite.Day}}, true)
		})
		must(t, err)
		want = append([]db.Task{task}, want...)
	}
	got, err := s.Search.Tasks(t.Context(), gallery.Filter{Limit: 10})
	must(t, err)
	suite.Same(t, got, want)
}

func TestSearchFindsWordsByTheirBeginning(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for _, prompt := range []string{
		"A red kite over the sea", "Ein Drachen ÜBER dem Meer", "the kitesurfer’s cafe\u0301", "红色的风筝 in the sky", "",
		"seedance-2.0 in 4k, don't stop", "हिन्दी में", "supercalifragilisticexpialidocious-and-longer",
		fmt.Sprintf("\uE000u%d \uE000s%X", u.ID, "success"), "⚠️Lighthouse ☀️ at dusk 1️⃣",
	} {
		suite.Bring(t, s, suite.AddTask(t, s, u.ID, prompt).ID, db.Success, suite.Day)
	}
	for query, want := range map[string][]int64{
		"":      {10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		" \t\n": {10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		"?!…\"": nil, "🎈": nil, "❤️": nil, "👩‍🚀": nil, "🎈 kite": {3, 1}, // what has no letter is found nowhere
		"kite ❤️": {3, 1}, "❤️kite": {3, 1}, "red❤️kite": {1}, "🎈 nothing": nil, // emoji beside words count for nothing
		"lighthouse": {10}, "⚠️ lighthouse": {10}, "☀️": nil, "dusk ❤️": {10}, "1️⃣": {10},
		"kit": {3, 1}, "KITE": {3, 1}, "kites": {3}, "ite": nil,
		"uber": {2}, "über meer": {2}, "meer über": {2}, "über sea": nil,
		"café": {3}, "cafe": {3}, "surfer's": nil, "kitesurfer's": {3},
		"红色": {4}, "in": {6, 4}, "dont": nil, "don't": {6}, "seedance-2.0": {6}, "2.0": {6},
		"the AND sea": nil, "kite OR sea": nil, "NOT kite": nil, "sea*": {1}, `"red kite"`: {1}, "prompt:kite": nil,
		"facets": nil, "\uE000": nil, "u1": {9}, "हिन्दी": {7},
		"supercalifragilisticexpialidocious": {8}, "supercalifragilisticexpialidociousness": {8},
		"a red kite over the sea a red nothing": {1}, // only the first eight words count
	} {
		got, err := s.Search.Tasks(t.Context(), gallery.Filter{Query: query, Limit: 100})
		must(t, err)
		if !slices.Equal(suite.IDs(got), want) {
			t.Errorf("%q: %v, want %v", query, suite.IDs(got), want)
		}
	}
}

func TestSearchFollowsTheTask(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Bo")
	id := suite.AddTask(t, s, u.ID, "a kite").ID
	find := func(query string, state db.State) int {
		t.Helper()
		_, total, err := s.Search.CountedTasks(t.Context(), gallery.Filter{Viewer: u.ID, Query: query, States: []db.State{state}})
		must(t, err)
		return total
	}
	for i, state := range []db.State{db.Sending, db.Pending, db.Processing, db.Success} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.State, t.Prompt = state, fmt.Sprint("kite number", i)
			return nil
		})
		must(t, err)
		if find("kite", state) != 1 || find(fmt.Sprint("number", i), gallery.AnyState) != 1 {
			t.Errorf("not found as %s", state)
		}
		if find("kite", db.Queued) != 0 || find("number9", gallery.AnyState) != 0 || find("a", state) != 0 {
			t.Errorf("found as what it was, when it is %s", state)
		}
	}
}

// Any query returns a result, never an error, and never tasks that the viewer may
// not see.
func FuzzSearch(f *testing.F) {
	s, ann, bo, _ := fullGallery(f)
	for _, seed := range []string{
		"kite", `"`, `""`, `"kite" OR *`, "NEAR(a b, 2)", "prompt : x", "- x", "^x", "{a b}", "a+b", "(", "\x00", "a\x00b", "\xff\xfe",
		"\uE000u2", "é\u0301\u0301", "\u0301", "अ\u093E", "𞤀𞤁 \U00010D40", "\u200b\u200d", "a\u0327b", strings.Repeat("x ", 5000), "ﬀ İ ß",
		"风筝", "ー", "ที่", "ក្រ", "葛\U000E0100", "한글", "\uE000v", "a风b筝c", "（風）", strings.Repeat("風", 300),
	} {
		f.Add(seed, seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, query, scene, model, state string) {
		for _, filter := range []gallery.Filter{
			{Viewer: ann, Query: query, States: []db.State{gallery.AnyState}, Limit: 100},
			{Viewer: ann, Query: query, Scenes: []string{scene, "x"}, Models: []string{model}, States: []db.State{db.State(state)}, Makers: []int64{ann}, Limit: 100},
		} {
			start := time.Now()
			tasks, total, err := s.Search.CountedTasks(t.Context(), filter)
			must(t, err)
			states, err := s.Search.CountFacet(t.Context(), filter, gallery.ByState)
			must(t, err)
			counted := states[string(filter.States[0])]
			if filter.States[0] == gallery.AnyState {
				counted = 0
				for _, n := range states {
					counted += n
				}
			}
			if total != len(tasks) || counted != total && filter.States[0] != "" {
				t.Fatalf("%+v lists %d of %d and counts %v", filter, len(tasks), total, states)
			}
			for _, task := range tasks {
				if task.UserID == bo && task.State != db.Success {
					t.Fatalf("%+v shows task %d, which is %s", filter, task.ID, task.State)
				}
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		}
		if !utf8.ValidString(query) {
			_, err := s.Search.CountFacet(t.Context(), gallery.Filter{Query: query}, gallery.ByModel)
			must(t, err)
		}
	})
}

// In scripts without spaces any part of a run of letters is found; in others, any
// beginning of a word. Different encodings of a character are equivalent.
func TestWordsOfAnyScriptAreFound(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	prompts := []string{
		1: "红色的风筝飞过上海", 2: "夕焼けの空を飛ぶ赤い凧、カメラはゆっくり", 3: "ว่าวสีแดงบินเหนือทะเล", 4: "빨간 연이 바다 위로 날아간다",
		5: "طائرة ورقية حمراء فوق البحر", 6: "красный воздушный змей", 7: "ພູເຂົາສູງ", 8: "ភ្នំខ្ពស់", 9: "မြင့်သောတောင်", 10: "རི་མཐོན་པོ",
		11: "iPhone手机3号", 12: "लाल पतंग समुद्र के ऊपर", 13: "cafe\u0301 Ａｂｃ ｶﾒﾗ", 14: "\u1112\u1161\u11ab\u1100\u1173\u11af", 15: "葛\U000E0100城", 16: "a kite",
	}
	for _, prompt := range prompts[1:] {
		suite.Bring(t, s, suite.AddTask(t, s, u.ID, prompt).ID, db.Success, suite.Day)
	}
	for query, want := range map[string][]int64{
		"红色": {1}, "风筝": {1}, "筝飞": {1}, "上海": {1}, "海": {1}, "风 海": {1}, "筝风": nil, "红风": nil, "风筝 kite": nil,
		"夕焼け": {2}, "焼け": {2}, "飛ぶ赤い": {2}, "カメラ": {13, 2}, "メラ": {13, 2}, "ラメ": nil, "ゆっくり": {2},
		"สี": {3}, "แดง": {3}, "ทะเล": {3}, "แดงบิน": {3}, "บินแดง": nil,
		"연": {4}, "바다": {4}, "바": {4}, "빨간 바다": {4}, "다위": nil,
		"البحر": {5}, "حمر": {5}, "красн": {6}, "КРАСНЫЙ змей": {6}, "расный": nil,
		"ເຂົາ": {7}, "ខ្ពស់": {8}, "တောင်": {9}, "མཐོན": {10}, "iphone": {11}, "手机": {11}, "机3": {11}, "3号": {11}, "phone": nil,
		"पतंग": {12}, "समु": {12}, "सम": {12}, "café": {13}, "abc": {13}, "한글": {14}, "한": {14}, "葛城": {15}, "葛": {15},
	} {
		got, total, err := s.Search.CountedTasks(t.Context(), gallery.Filter{Query: query, Limit: 100})
		must(t, err)
		if !slices.Equal(suite.IDs(got), want) || total != len(want) {
			t.Errorf("%q: %v, %d in all, want %v", query, suite.IDs(got), total, want)
		}
	}
}

func TestThePromptStaysAsItWasTyped(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for _, prompt := range []string{"红色的风筝", "Ａ cafe\u0301…", "\uE000v"} {
		id := suite.AddTask(t, s, u.ID, prompt).ID
		if task, err := s.Tasks.Task(t.Context(), id); err != nil || task.Prompt != prompt {
			t.Errorf("%q is %q, %v", prompt, task.Prompt, err)
		}
	}
}

// Facet markers in a prompt have no effect: nobody sees more tasks because of them.
func TestFacetsInAPromptHaveNoEffect(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "\uE000v \uE000b \uE000u2 \uE000x2 \uE000f").ID, db.Failed, suite.Day)
	for _, f := range []gallery.Filter{{}, {States: []db.State{gallery.AnyState}}, {Starred: true}, {Makers: []int64{bo.ID}}} {
		f.Viewer, f.Limit = bo.ID, 10
		if got, err := s.Search.Tasks(t.Context(), f); len(got) > 0 || err != nil {
			t.Errorf("%+v shows %v, %v", f, suite.IDs(got), err)
		}
	}
	if got, err := s.Bin.Tasks(t.Context(), bo, 0, 10); len(got) > 0 || err != nil {
		t.Errorf("the bin shows %v, %v", suite.IDs(got), err)
	}
}
