package jobstrand

import "time"

// ahead is what counts as soon.
const ahead = 50 * time.Millisecond

// mostAhead is how many jobs wait at most, however short they are.
const mostAhead = 2000

// forecast tells how many jobs the places of a worker start soon, from how long the last runs of each topic have taken and how
// fast waiting jobs were started. A topic of which no run has ended is slow: who held more of it than it runs would keep jobs
// from workers that are idle.
type forecast struct {
	means map[string]float64 // Of each topic, in seconds.
	mean  float64            // Of the runs of quick topics; 0: there was none.
	rate  float64            // Of starts, per second, while jobs waited; 0: not known.
}

func (f *forecast) ended(topic string, took time.Duration) {
	const partOfLast = 1.0 / 16 // After a change of work, a few dozen runs tell.
	seconds := max(took.Seconds(), 1e-7)
	mean, isKnown := f.means[topic]
	if !isKnown {
		mean = seconds
	}
	mean += (seconds - mean) * partOfLast
	f.means[topic] = mean
	if mean > ahead.Seconds() {
		return
	}
	if f.mean == 0 {
		f.mean = seconds
	}
	f.mean += (seconds - f.mean) * partOfLast
}

// takesAtLeast says that a run which goes on has taken that long already.
func (f *forecast) takesAtLeast(topic string, took time.Duration) {
	f.means[topic] = max(f.means[topic], took.Seconds())
}

// drained says that so many jobs were started while others waited for a place.
func (f *forecast) drained(starts int, took time.Duration) {
	rate := float64(starts) / max(took.Seconds(), 1e-6)
	if f.rate != 0 {
		rate = (f.rate + rate) / 2
	}
	f.rate = rate
}

// quick returns those topics that are worth fetching before a place is free.
func (f *forecast) quick(topics []string) []string {
	var quick []string
	for _, topic := range topics {
		if mean, isKnown := f.means[topic]; isKnown && mean <= ahead.Seconds() {
			quick = append(quick, topic)
		}
	}
	return quick
}

// starts returns how many jobs of quick topics so many places start soon.
func (f *forecast) starts(places int) int {
	if f.mean == 0 || places <= 0 {
		return 0
	}
	byRate := 4 * float64(places)
	if f.rate != 0 {
		byRate = f.rate * ahead.Seconds()
	}
	return int(min(float64(places)*ahead.Seconds()/f.mean, byRate, mostAhead))
}

// shares shares places out among topics: in the long run each has the share that its weight is of all.
type shares struct {
	topics  []string
	weights map[string]int
	credits map[string]int
}

// of returns the topic of each place, in the order in which they are to be filled.
func (s *shares) of(places int) []string {
	chosen := make([]string, 0, places)
	for range places {
		best, sum := "", 0
		for _, topic := range s.topics {
			s.credits[topic] += s.weights[topic]
			sum += s.weights[topic]
			if best == "" || s.credits[topic] > s.credits[best] {
				best = topic
			}
		}
		s.credits[best] -= sum
		chosen = append(chosen, best)
	}
	return chosen
}
