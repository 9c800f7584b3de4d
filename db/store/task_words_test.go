package store_test

import (
	"slices"
	"testing"

	"dailies/db"
)

// In scripts without spaces any part of a run is found, in others any
// beginning of a word; and each way to write a character is one.
func TestWordsOfAnyScriptAreFound(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	prompts := []string{
		1: "红色的风筝飞过上海", 2: "夕焼けの空を飛ぶ赤い凧、カメラはゆっくり", 3: "ว่าวสีแดงบินเหนือทะเล", 4: "빨간 연이 바다 위로 날아간다",
		5: "طائرة ورقية حمراء فوق البحر", 6: "красный воздушный змей", 7: "ພູເຂົາສູງ", 8: "ភ្នំខ្ពស់", 9: "မြင့်သောတောင်", 10: "རི་མཐོན་པོ",
		11: "iPhone手机3号", 12: "लाल पतंग समुद्र के ऊपर", 13: "cafe\u0301 Ａｂｃ ｶﾒﾗ", 14: "\u1112\u1161\u11ab\u1100\u1173\u11af", 15: "葛\U000E0100城", 16: "a kite",
	}
	for _, prompt := range prompts[1:] {
		bring(t, s, addTask(t, s, u.ID, prompt).ID, db.Success, day)
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
		got, total, err := s.CountedTasks(t.Context(), db.TaskFilter{Query: query, Limit: 100})
		must(t, err)
		if !slices.Equal(idsOf(got), want) || total != len(want) {
			t.Errorf("%q: %v, %d in all, want %v", query, idsOf(got), total, want)
		}
	}
}

func TestThePromptStaysAsItWasTyped(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	for _, prompt := range []string{"红色的风筝", "Ａ cafe\u0301…", "\uE000v"} {
		id := addTask(t, s, u.ID, prompt).ID
		if task, err := s.Task(t.Context(), id); err != nil || task.Prompt != prompt {
			t.Errorf("%q is %q, %v", prompt, task.Prompt, err)
		}
	}
}

// Facets cannot be typed: a prompt that holds some shows nothing to anybody.
func TestNobodyTypesFacets(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	bring(t, s, addTask(t, s, ann.ID, "\uE000v \uE000b \uE000u2 \uE000x2 \uE000f").ID, db.Failed, day)
	for _, f := range []db.TaskFilter{{}, {States: []db.State{db.AnyState}}, {Starred: true}, {Makers: []int64{bo.ID}}} {
		f.Viewer, f.Limit = bo.ID, 10
		if got, err := s.Tasks(t.Context(), f); len(got) > 0 || err != nil {
			t.Errorf("%+v shows %v, %v", f, idsOf(got), err)
		}
	}
	if got, err := s.Bin(t.Context(), bo, 0, 10); len(got) > 0 || err != nil {
		t.Errorf("the bin shows %v, %v", idsOf(got), err)
	}
}
