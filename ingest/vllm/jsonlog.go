package vllm

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"coldcase/ingest/capture"
)

// jsonLine is a log line of a JSON formatter. Formatters name their keys as
// their users like; these are the usual names.
type jsonLine struct {
	Message     string          `json:"message"`
	Msg         string          `json:"msg"`
	Event       string          `json:"event"`
	Level       string          `json:"level"`
	LevelName   string          `json:"levelname"`
	Severity    string          `json:"severity"`
	Timestamp   json.RawMessage `json:"timestamp"`
	Asctime     string          `json:"asctime"`
	Time        json.RawMessage `json:"time"`
	Process     json.RawMessage `json:"process"`
	ProcessName string          `json:"processName"`
}

// parseJSONLine takes the message out of a JSON log line. ok is false for any
// other JSON object: a record of a client must not be taken for a log line.
func parseJSONLine(line []byte) (f frame, at capture.Stamp, ok bool) {
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return frame{}, 0, false
	}
	if !bytes.Contains(line, []byte(`"message"`)) && !bytes.Contains(line, []byte(`"msg"`)) && !bytes.Contains(line, []byte(`"event"`)) {
		return frame{}, 0, false
	}
	var j jsonLine
	if err := json.Unmarshal(line, &j); err != nil {
		return frame{}, 0, false
	}
	f.level = strings.ToUpper(firstText(j.Level, j.LevelName, j.Severity))
	message := firstText(j.Message, j.Msg, j.Event)
	if f.level == "" || message == "" {
		return frame{}, 0, false
	}
	f.process = j.ProcessName
	f.msg = []byte(message)
	for _, t := range []string{rawText(j.Timestamp), j.Asctime, rawText(j.Time)} {
		if at = jsonTime(t); at != 0 {
			break
		}
	}
	return f, at, true
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func rawText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return ""
}

// jsonTime reads the usual time texts. The zone is dropped: stamps are the
// clock on the wall of the server.
func jsonTime(s string) capture.Stamp {
	s = strings.Replace(s, ",", ".", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
			return capture.Stamp(wall.UnixMilli())
		}
	}
	return 0
}
