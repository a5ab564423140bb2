package jobstrand;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shares places out among topics: in the long run each has the share that its weight is of all. */
final class Shares {
    private final Map<String, Integer> weights;
    private final Map<String, Integer> credits = new HashMap<>();

    Shares(Map<String, Integer> weights) {
        this.weights = weights;
    }

    /** Returns the topic of each place, in the order in which they are to be filled. */
    List<String> of(int places) {
        int sum = weights.values().stream().mapToInt(Integer::intValue).sum();
        List<String> chosen = new ArrayList<>(places);
        while (chosen.size() < places) {
            String best = null;
            for (Map.Entry<String, Integer> one : weights.entrySet()) {
                credits.merge(one.getKey(), one.getValue(), Integer::sum);
                if (best == null || credits.get(one.getKey()) > credits.get(best)) {
                    best = one.getKey();
                }
            }
            credits.merge(best, -sum, Integer::sum);
            chosen.add(best);
        }
        return chosen;
    }
}
