package splice

import "io"

// Of a transport stream, only the beginning is read: the tables there say what it contains.
const maxTSHead = 1 << 20

// tsCodecs maps types of streams, from ISO/IEC 13818-1, table 2-34, to codecs.
var tsCodecs = map[byte]struct {
	codec string
	sound bool
}{
	0x01: {"mp1v", false}, 0x02: {"mp2v", false}, 0x10: {"mp4v.20", false}, 0x1b: {"avc1", false}, 0x24: {"hvc1", false},
	0x03: {"mp3", true}, 0x04: {"mp3", true}, 0x0f: {"mp4a.40.2", true}, 0x11: {"mp4a.40.2", true}, 0x81: {"ac-3", true}, 0x87: {"ec-3", true},
}

// isTS returns the size of the packets if the file is a transport stream: 188 bytes, or 192
// with a time before each. Otherwise it returns 0.
func isTS(file io.ReaderAt, size int64) int64 {
	for _, packet := range []int64{188, 192} {
		const packets = 3
		synced := int64(0)
		for i := range int64(packets) {
			var b [1]byte
			if n, _ := file.ReadAt(b[:], i*packet+packet-188); n == 1 && b[0] == 0x47 {
				synced++
			}
		}
		if synced == min(packets, size/packet) && synced > 0 {
			return packet
		}
	}
	return 0
}

// inspectTS returns the codecs of a transport stream. It is whole if it ends with a packet.
func inspectTS(file io.ReaderAt, size int64) (video, sound string, err error) {
	packet := isTS(file, size)
	head := make([]byte, min(size, maxTSHead))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", "", err
	}
	tables := -1 // the number under which the list of streams is sent
	for pos := int(packet) - 188; pos+188 <= len(head); pos += int(packet) {
		p := head[pos : pos+188]
		if p[0] != 0x47 {
			return video, sound, errBroken
		}
		section := tsSection(p)
		switch number := int(p[1]&0x1f)<<8 | int(p[2]); {
		case number == 0 && len(section) >= 12 && tables < 0:
			tables = int(section[10]&0x1f)<<8 | int(section[11])
		case number == tables && len(section) >= 12 && video == "" && sound == "":
			video, sound = tsStreams(section)
		}
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], size-188); size%packet != 0 || err != nil || last[0] != 0x47 {
		return video, sound, errBroken
	}
	return video, sound, nil
}

// tsSection returns the table that begins in the packet, nil if none does.
func tsSection(p []byte) []byte {
	if p[1]&0x40 == 0 || p[3]&0x10 == 0 {
		return nil
	}
	at := 4
	if p[3]&0x20 != 0 {
		at += 1 + int(p[4])
	}
	if at >= len(p) {
		return nil
	}
	if at += 1 + int(p[at]); at >= len(p) {
		return nil
	}
	return p[at:]
}

// tsStreams returns the codecs of the first streams with pictures and with sound in a list
// of streams.
func tsStreams(b []byte) (video, sound string) {
	end := min(len(b), 3+(int(b[1]&0x0f)<<8|int(b[2]))-4)
	for at := 12 + (int(b[10]&0x0f)<<8 | int(b[11])); at+5 <= end; {
		c := tsCodecs[b[at]]
		if c.sound && sound == "" {
			sound = c.codec
		} else if !c.sound && video == "" {
			video = c.codec
		}
		at += 5 + (int(b[at+3]&0x0f)<<8 | int(b[at+4]))
	}
	return video, sound
}
