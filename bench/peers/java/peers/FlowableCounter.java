package peers;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.flowable.common.engine.impl.interceptor.CommandContext;
import org.flowable.engine.delegate.DelegateExecution;
import org.flowable.job.service.JobHandler;
import org.flowable.job.service.impl.persistence.entity.JobEntity;
import org.flowable.variable.api.delegate.VariableScope;

/** What the jobs do: a bean that the models call, and the handler of plain jobs. Thread safety: full. */
public final class FlowableCounter implements JobHandler {
    static final String PLAIN = "plain";
    private static final int WAIT_MS = 100;

    // By process instance: a variable in the database would cost statements that the published models do not need.
    private final Map<String, Integer> numberOf = new ConcurrentHashMap<>();
    private volatile Ledger ledger;

    void report(Ledger to) {
        ledger = to;
        numberOf.clear();
    }

    void expect(String processInstance, int number) {
        numberOf.put(processInstance, number);
    }

    public boolean ran(DelegateExecution execution) {
        ledger.succeeded(numberOf.getOrDefault(execution.getProcessInstanceId(), -1));
        return true;
    }

    public boolean waited(DelegateExecution execution) throws InterruptedException {
        Thread.sleep(WAIT_MS);
        return ran(execution);
    }

    @Override
    public String getType() {
        return PLAIN;
    }

    @Override
    public void execute(JobEntity job, String number, VariableScope scope, CommandContext context) {
        ledger.succeeded(Integer.parseInt(number));
    }
}
