package sampletest

import (
	"database/sql"
	"math/rand/v2"
	"strings"
)

// foreignPrompt returns a prompt in one of five scripts that somePrompt does not
// use. The first three are written without spaces between words, so their words are
// returned separately, for the column words.
func foreignPrompt(r *rand.Rand) (prompt string, words sql.NullString) {
	kinds := []string{
		"红 色 的 风 筝 飞 过 山 水 城 市 日 落 时 慢 镜 头 光 在 上 海 人 一 个 大 小 树 天 地 云 月",
		"夕 焼 け の 空 を 飛 ぶ 赤 い 凧 と 山 カ メ ラ が ゆ っ く り 水 面 に 近 づ く 街 の 光",
		"ว่ า ว สี แ ด ง บิ น เ ห นื อ ท ะ เ ล ภู เ ข า พ ร ะ อ า ทิ ต ย์ ต ก ก ล้ อ ง ช้ า",
		"طائرة ورقية حمراء فوق البحر عند الغروب كاميرا بطيئة جبل ماء مدينة ضوء على من في",
		"красный воздушный змей над морем на закате камера медленно гора вода город свет в и",
	}
	kind := r.IntN(len(kinds))
	letters := strings.Fields(kinds[kind])
	var chosen []string
	for range 12 + r.IntN(30) {
		chosen = append(chosen, letters[r.IntN(len(letters))])
	}
	prompt = strings.Join(chosen, " ")
	if kind < 3 {
		words = sql.NullString{String: " " + prompt, Valid: true}
		prompt = strings.Join(chosen, "")
	}
	return prompt, words
}
