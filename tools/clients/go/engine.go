package jobstrand

import (
	"bytes"
	"crypto/sha256"
)

// EngineOf returns the engine of a job among the names of several whose databases are as one (spreadOver). The key is its
// process instance id, else its unique key, else the key of its series, else its id. Among no names it is the empty text.
func EngineOf(key string, names []string) string {
	engine := ""
	var most [sha256.Size]byte
	for i, name := range names {
		weight := sha256.Sum256([]byte(name + "\n" + key))
		if i == 0 || bytes.Compare(weight[:], most[:]) > 0 {
			engine, most = name, weight
		}
	}
	return engine
}
