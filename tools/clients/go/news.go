package jobstrand

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	mostLines      = 100  // That are kept of a run: the last ones.
	mostOfLine     = 1000 // Bytes: its beginning.
	mostOfAllLines = 8000 // Bytes that are told together.
	mostOfNote     = 255
)

// news is what a run tells of itself. It is safe for use by several goroutines.
type news struct {
	mu      sync.Mutex
	part    *float64 // Nil: nobody has said.
	note    string
	lines   []string
	isFresh bool // Something was said since it was taken.
}

// toldNews is that as the service wants it.
type toldNews struct {
	Progress *float64 `json:"progress,omitempty"`
	Note     string   `json:"note,omitempty"`
	Lines    []string `json:"lines,omitempty"`
}

func (n *news) progress(part float64, note string) {
	if math.IsNaN(part) {
		part = 0
	}
	part = min(1, max(0, part))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.part, n.note, n.isFresh = &part, storable(note, mostOfNote), true
}

func (n *news) log(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		n.lines = append(n.lines, storable(strings.TrimSuffix(line, "\r"), mostOfLine))
	}
	if more := len(n.lines) - mostLines; more > 0 {
		n.lines = append([]string(nil), n.lines[more:]...)
	}
	n.isFresh = true
}

// lastLines is called under the lock.
func (n *news) lastLines() []string {
	first, room := len(n.lines), mostOfAllLines
	for first > 0 {
		if room -= len(n.lines[first-1]) + 1; room < 0 {
			break
		}
		first--
	}
	return append([]string(nil), n.lines[first:]...)
}

// text has the lines, for the details of a failure.
func (n *news) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lastLines(), "\n")
}

// take returns nil when nothing was said since it was called last.
func (n *news) take() *toldNews {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.isFresh {
		return nil
	}
	n.isFresh = false
	return &toldNews{n.part, n.note, n.lastLines()}
}

// notTold has what was taken last be taken again.
func (n *news) notTold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.isFresh = true
}

// storable is UTF-8 without NUL, which databases do not store.
func storable(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
