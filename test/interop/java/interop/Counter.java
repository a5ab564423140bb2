package interop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.flowable.engine.delegate.DelegateExecution;

/** The bean that the models call: counts how often each instance has worked. Thread safety: full. */
public final class Counter {
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();

    public boolean ran(DelegateExecution execution) {
        runs.merge(execution.getProcessInstanceId(), 1, Integer::sum);
        return true;
    }

    public boolean failsUnless(DelegateExecution execution, boolean fixed) {
        if (!fixed) {
            throw new IllegalStateException("not fixed yet");
        }
        return ran(execution);
    }

    int of(String instance) {
        return runs.getOrDefault(instance, 0);
    }

    Map<String, Integer> all() {
        return Map.copyOf(runs);
    }
}
