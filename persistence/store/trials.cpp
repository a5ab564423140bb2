#include "persistence/store/trial_stage.hpp"
#include "schema/concurrency.hpp"
#include "schema/job_failure.hpp"
#include "schema/limits.hpp"

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using schema::Job;
using schema::JobPlace;
using schema::Transition;

Fence fence_of(const Job& job) {
    return {
        .id = job.id,
        .revision = job.revision,
        .group = job.process_instance_id,
        .claim = job.claim};
}

std::vector<Fence> fences_of(const std::vector<Job>& jobs) {
    std::vector<Fence> fences;
    for (const Job& job : jobs) {
        fences.push_back(fence_of(job));
    }
    return fences;
}

/// Too long for the row of its job.
std::string long_text() {
    return std::string(schema::limits::kInlinePayloadLength + 1, 'x');
}

/// Retries are left, or not.
Transition failure_of(const Job& job, bool is_retryable, schema::TimePoint now) {
    const schema::JobFailure failure{
        .message = "no", .details = "of no use", .retryable = is_retryable};
    return schema::failed(job, failure, schema::RetryPolicy{}, now);
}

void enqueue(TrialStage& stage) {
    Job job = stage.job();
    job.payload = long_text();
    for (const JobPlace place : schema::kJobPlaces) {
        job.id = stage.job().id;
        stage.insert(place, job);
    }
    EnqueuerStore& store = stage.store().enqueuer();
    const Job given = stage.exclusive_job();
    store.insert({{.place = JobPlace::executable, .job = given}}, IdOrigin::given);
    (void)store.is_stored(given.id);
    const schema::JobDefinitionName definition{.definition = stage.name()};
    store.record_definitions(nullptr, std::span(&definition, 1));
    (void)store.known_definitions(nullptr, {});
    store.in_transaction(
        [&](Transaction& transaction) {
            Job held = stage.job();
            held.lock_owner = stage.name();
            held.lock_expiration = stage.claim().until;
            const auto stored =
                store.insert(transaction, {{.place = JobPlace::executable, .job = held}});
            (void)store.read_again(transaction, {stored.front().job});
        },
        {}
    );
}

void keep_unique_keys(TrialStage& stage) {
    EnqueuerStore& store = stage.store().enqueuer();
    Job first = stage.job();
    first.unique_key = stage.name();
    const auto add = [&](Job job, schema::OnDuplicate on_duplicate) {
        store.in_transaction(
            [&](Transaction& transaction) {
                const KeyWish wish{
                    .key = stage.name(),
                    .job = job.id,
                    .rule = {.on_duplicate = on_duplicate, .period = 1min}};
                if (store.take_keys(transaction, std::span(&wish, 1), stage.now())
                        .front()
                        .is_added) {
                    store.insert(transaction, {{.place = JobPlace::executable, .job = job}});
                }
            },
            {}
        );
    };
    add(first, schema::OnDuplicate::reject);
    Job next = stage.job();
    next.unique_key = stage.name();
    add(next, schema::OnDuplicate::keep);
    add(next, schema::OnDuplicate::replace);
    (void)store.key_owner(stage.name());
    (void)stage.store().executor().remove_expired_keys(
        {.now = stage.now() + 2min,
         .after = stage.name().substr(0, stage.name().size() - 1),
         .rows = 1}
    );
}

void take(TrialStage& stage) {
    ExecutorStore& store = stage.store().executor();
    stage.insert(JobPlace::executable, stage.job());
    (void)store.has_acquirable(stage.served());
    (void)store.look_around(stage.served(), stage.now());
    PageLimit first(1);
    first.asks_for_nodes = true;
    const std::vector<Job> taken =
        TrialStage::all_of(1, store.acquire(stage.claim(), stage.served(), first));
    (void)store.take_up(stage.claim());
    const std::vector<Fence> fences = fences_of(taken);
    (void)store.not_held(stage.name(), fences);
    store.in_transaction(
        [&](Transaction& transaction) {
            (void)store.is_held(transaction, stage.name(), fences.front());
        },
        {}
    );
    Job behind = stage.job();
    behind.payload = long_text();
    behind = stage.insert(JobPlace::executable, behind);
    PageLimit limit(1);
    limit.before = behind.id + '~';
    (void)store.acquire(stage.claim(), stage.served(), limit, taken.front().id);
    const Job by_hand = stage.insert(JobPlace::executable, stage.exclusive_job());
    (void)store.acquire_one(by_hand.id, stage.claim(), stage.now());
}

void take_by_the_page(TrialStage& stage) {
    if (stage.settings().locks != schema::LockGranularity::page) {
        return;
    }
    ExecutorStore& store = stage.store().executor();
    LockClaim claim = stage.claim();
    claim.pages_from = 1;
    for (int jobs = 0; jobs < 4; ++jobs) {
        stage.insert(JobPlace::executable, stage.job());
    }
    std::vector<Job> taken = TrialStage::all_of(2, store.acquire(claim, stage.served(), 2));
    for (Job& job : store.acquire(claim, stage.served(), 1, taken.back().id)) {
        taken.push_back(std::move(job));
    }
    (void)store.look_around(stage.served(), stage.now());
    (void)store.take_up(claim);
    (void)store.not_held(stage.name(), fences_of(taken));
    (void)store.extend_locks(claim, std::vector{fence_of(taken.front())});
    stage.apply(
        {{taken.front(), schema::completed(taken.front())},
         {taken.at(1), failure_of(taken.at(1), true, stage.now())}}
    );
    store.release(stage.name(), std::vector{fence_of(taken.back())});
    (void)store.acquire(claim, stage.served(), 1);
    (void)store.reset_expired_locks(JobPlace::executable, {.now = claim.until + 1min, .rows = 1});
}

void take_in_order(TrialStage& stage) {
    if (!stage.settings().order.is_any()) {
        return;
    }
    stage.insert(JobPlace::executable, stage.job());
    Job timer = stage.job();
    timer.due_date = stage.now();
    stage.insert(JobPlace::executable, timer);
    ExecutorStore& store = stage.store().executor();
    const auto take_one = [&](const RangePositions& behind) {
        return store.acquire_in_order(
            stage.claim(), stage.served(), stage.settings().order, 1, behind
        );
    };
    RangePositions behind;
    for (const Job& job : take_one({})) {
        behind.emplace(range_of(stage.settings().order, job), position_of(job));
    }
    (void)take_one(behind);
}

void take_instances_together(TrialStage& stage) {
    if (!stage.settings().instances_together) {
        return;
    }
    stage.insert(JobPlace::executable, stage.exclusive_job());
    stage.insert(JobPlace::executable, stage.exclusive_job());
    PageLimit limit(1);
    limit.same_instance = 1;
    (void)stage.store().executor().acquire(stage.claim(), stage.served(), limit);
}

void hold_locks(TrialStage& stage) {
    ExecutorStore& store = stage.store().executor();
    const std::vector<Job> taken =
        stage.insert_and_take({stage.exclusive_job(), stage.job(), stage.job()});
    (void)store.extend_locks(stage.claim(), fences_of(taken));
    store.release(stage.name(), std::vector{fence_of(taken.back())});
    const schema::TimePoint later = stage.claim().until + 1min;
    (void)store.reset_expired_groups(later);
    (void)store.reset_expired_locks(JobPlace::executable, {.now = later, .rows = 3, .page = 3});
    const std::vector<Job> again =
        TrialStage::all_of(1, store.acquire(stage.claim(), stage.served(), 1));
    (void)store.count_start(stage.name(), fence_of(again.front()), later);
    store.uncount_starts(std::vector{again.front().id});
    Job held = stage.job();
    held.type = schema::kExternalWorkerType;
    held.lock_owner = stage.name();
    held.lock_expiration = stage.now();
    stage.insert(JobPlace::external_worker, held);
    held.id = stage.job().id;
    held.due_date = stage.now();
    stage.insert(JobPlace::timer, held);
    for (const JobPlace place : {JobPlace::external_worker, JobPlace::timer}) {
        (void)store.reset_expired_locks(place, {.now = later, .rows = 1, .page = 1});
    }
}

void run_exclusive_jobs_one_at_a_time(TrialStage& stage) {
    ExecutorStore& store = stage.store().executor();
    const std::vector<Job> taken = stage.insert_and_take({stage.exclusive_job()});
    const std::string other = stage.name() + "-2";
    LockClaim others = stage.claim();
    others.owner = other;
    stage.insert(JobPlace::executable, stage.exclusive_job());
    PageLimit limit(1);
    limit.before = stage.job().id;
    (void)store.acquire(others, stage.served(), limit, taken.front().id);
    stage.apply({{taken.front(), schema::completed(taken.front())}});
    GroupEnd end{.group = stage.name(), .claimed = 1, .began = stage.claim().until};
    const GroupsPassedOn passed =
        store.pass_on(stage.claim(), stage.served(), limit.bytes, std::span(&end, 1));
    for (const Job& job : passed.jobs) {
        stage.apply({{job, schema::completed(job)}});
    }
    (void)store.pass_on(stage.claim(), stage.served(), limit.bytes, std::span(&end, 1));
}

void keep_limits(TrialStage& stage) {
    ExecutorStore& store = stage.store().executor();
    schema::JobLimit limit{
        .value = stage.name(),
        .concurrent = 1,
        .rate = schema::StartRate{.starts = 10, .period = 1s}};
    LimitStore& limits = stage.store().limits();
    limits.set_limit(limit);
    (void)store.refresh_limits();
    const std::string group = schema::group_name(schema::LimitKind::type, stage.name());
    const std::string before_group = group.substr(0, group.size() - 1);
    const std::vector<Job> taken = stage.insert_and_take({stage.job()});
    const auto let_one_wait = [&] {
        const Job waiting = stage.insert(JobPlace::executable, stage.job());
        PageLimit page(1);
        page.before = stage.job().id;
        (void)store.acquire(stage.claim(), stage.served(), page, taken.front().id);
        return waiting;
    };
    (void)let_one_wait();
    stage.apply({{taken.front(), schema::completed(taken.front())}});
    const auto take_waiting = [&] {
        return store.acquire_limited(stage.claim(), stage.served(), 1, before_group).jobs;
    };
    for (const Job& job : take_waiting()) {
        stage.apply({{job, schema::completed(job)}});
    }
    (void)store.forget_idle_groups(before_group, stage.now() + 1h);
    (void)limits.remove_limit(limit);
    (void)store.refresh_limits();
}

void keep_named_locks(TrialStage& stage) {
    NamedLockStore& locks = stage.store().named_locks();
    const NamedLockClaim claim{.name = stage.name(), .owner = stage.name(), .time = 1min};
    (void)locks.acquire(claim, stage.now());
    (void)locks.renew(claim, stage.now());
    (void)locks.list(stage.name().substr(0, stage.name().size() - 1), 1, stage.now());
    (void)locks.release(stage.name(), stage.name(), stage.now());
}

void write_outcomes(TrialStage& stage) {
    std::vector<Job> jobs;
    for (int count = 0; count < 7; ++count) {
        jobs.push_back(stage.job());
    }
    jobs.at(0).payload = long_text();
    jobs.at(0).unique_key = stage.name();
    jobs.push_back(stage.exclusive_job());
    const std::vector<Job> taken = stage.insert_and_take(std::move(jobs));
    (void)stage.store().jobs().suspend(SuspensionScope::job, taken.at(6).id, stage.now());
    stage.apply({
        {taken.at(0), schema::completed(taken.at(0))},
        {taken.at(1), failure_of(taken.at(1), true, stage.now())},
        {taken.at(2), failure_of(taken.at(2), false, stage.now())},
        {taken.at(3), schema::released(taken.at(3))},
        {taken.at(4), schema::not_served(taken.at(4), stage.name())},
        {taken.at(6), failure_of(taken.at(6), true, stage.now())},
        {taken.at(7), schema::completed(taken.at(7))},
    });
    ExecutorStore& store = stage.store().executor();
    store.in_transaction(
        [&](Transaction& transaction) {
            (void)store.apply(
                transaction,
                stage.name(),
                {.job = std::make_shared<const Job>(taken.at(5)),
                 .transition = schema::completed(taken.at(5))}
            );
        },
        {}
    );
}

/// Some connections have a way of their own for many rows, and for lists of many ids.
void work_with_many(TrialStage& stage) {
    constexpr int kMany = 32;
    std::vector<Job> jobs;
    for (int count = 0; count < kMany; ++count) {
        jobs.push_back(stage.job());
    }
    std::vector<std::pair<Job, Transition>> outcomes;
    for (const Job& job : stage.insert_and_take(std::move(jobs))) {
        outcomes.emplace_back(job, schema::completed(job));
    }
    stage.apply(outcomes);
}

void requeue_dead_letters(TrialStage& stage) {
    const std::vector<Job> taken = stage.insert_and_take({stage.job(), stage.job()});
    OperatorStore& jobs = stage.store().jobs();
    std::vector<std::string> ids;
    for (const Job& job : taken) {
        stage.apply({{job, failure_of(job, false, stage.now())}});
        ids.push_back(job.id);
    }
    (void)jobs.requeue(std::span(ids).first(1), 1, {}, stage.now());
    (void)jobs.remove(JobPlace::dead_letter, std::span(ids).last(1), stage.now());
}

void fire_timers(TrialStage& stage) {
    TimerStore& store = stage.store().timers();
    const auto add = [&](std::string_view type) {
        Job timer = stage.job();
        timer.type = type;
        timer.due_date = stage.now();
        stage.insert(JobPlace::timer, timer);
    };
    add(schema::kTimerType);
    add(schema::kExternalWorkerType);
    (void)store.next_due(stage.served());
    (void)store.next_due_of_others(stage.served(), stage.now() - 1s, stage.now());
    (void)store.move_due_timers(stage.now(), 2, stage.claim(), stage.served());
    add(schema::kTimerType);
    DueWindow of_others(stage.now(), {}, stage.now() - 1s);
    of_others.as_of = stage.now();
    of_others.are_served_left = true;
    (void)store.move_due_timers(of_others, 1, std::nullopt, stage.served());
    (void)store.move_due_timers(stage.now(), 1, std::nullopt, stage.served());
}

void go_on_with_series(TrialStage& stage) {
    const auto start = [&](const std::string& key, bool overlap) {
        Job turn = stage.job();
        turn.due_date = stage.now();
        stage.store().enqueuer().create(
            {{.series =
                  {.key = key,
                   .group = stage.name(),
                   .repeat = "R/PT1H",
                   .overlap = overlap,
                   .stop_on_dead_letter = true},
              .first_turn = std::move(turn)}},
            stage.now()
        );
    };
    start(stage.name(), true);
    start(stage.name() + "-2", false);
    const DueTimers due =
        stage.store().timers().move_due_timers(stage.now(), 2, stage.claim(), stage.served());
    for (const Job& turn : due.locked) {
        const bool carries_on = !turn.repeat.empty();
        stage.apply(
            {{turn, carries_on ? schema::completed(turn) : failure_of(turn, false, stage.now())}}
        );
    }
}

void tell_that_they_live(TrialStage& stage) {
    NodeStore& nodes = stage.store().nodes();
    const NodeIdentity node{
        .node = stage.name(), .incarnation = stage.name(), .locks = stage.settings().locks};
    ServedJobs served = stage.served();
    served.scope.tenants = {stage.name()};
    nodes.register_node(node, served, stage.now(), stage.claim().until);
    (void)nodes.renew_lease(node, {}, stage.claim().until);
    (void)nodes.set_node_state(stage.name(), NodeState::draining);
    (void)nodes.renew_lease(node, {}, stage.claim().until);
    nodes.record_served(stage.name(), stage.served());
    nodes.record_work(
        stage.name(),
        {.runs = {{.id = stage.name(), .since = stage.now()}},
         .last_minute = {{.handler_type = stage.name()}},
         .standstill = stage.name()}
    );
    const AskedTopic asked{.topic = stage.name(), .worker = stage.name(), .last = stage.now()};
    nodes.record_asked(stage.name(), std::span(&asked, 1));
    (void)nodes.living_before(stage.name(), stage.now());
    (void)nodes.nodes();
    (void)stage.store().served().unserved(stage.now(), 1);
    (void)stage.store().database_now();
    nodes.leave(node);
}

void serve_external_workers(TrialStage& stage) {
    WorkerStore& workers = stage.store().workers();
    const std::vector<std::string> topics{stage.name()};
    const WantedJobs wanted{.topics = topics, .by_priority = stage.settings().order.by_priority};
    for (int jobs = 0; jobs < 4; ++jobs) {
        Job job = jobs == 0 ? stage.exclusive_job() : stage.job();
        job.type = schema::kExternalWorkerType;
        job.retries = 2;
        stage.insert(JobPlace::external_worker, std::move(job));
    }
    const std::vector<Job> taken =
        TrialStage::all_of(4, workers.acquire_external(stage.claim(), wanted, 4, stage.now()));
    const auto held = [&](std::size_t index) { return HeldJob{.id = taken.at(index).id}; };
    const HeldJob first = held(0);
    (void)workers.extend_external(stage.claim(), std::span(&first, 1), stage.now());
    const std::vector<WorkerOutcome> outcomes{
        {.job = held(0),
         .transition = [](const Job& row) { return schema::completed(row); },
         .reads_payload = true},
        {.job = held(1),
         .transition = [&stage](const Job& row) { return failure_of(row, true, stage.now()); }},
        {.job = held(2),
         .transition = [](const Job& row) { return schema::handed_on(row, "outcome", 1); }},
    };
    (void)workers.apply_external(stage.name(), outcomes, stage.now());
    (void)workers.take_back(stage.claim(), held(1).id, stage.now());
    const HeldJob last = held(3);
    (void)workers.release_external(stage.name(), std::span(&last, 1), stage.now());
}

void log_runs(TrialStage& stage) {
    RunNewsStore& news = stage.store().run_news();
    const ToldRun told{
        .job = stage.name(),
        .owner = stage.name(),
        .handler_type = stage.name(),
        .told = stage.now()};
    news.write_news(std::span(&told, 1), {});
    news.write_news(std::span(&told, 1), std::span(&told, 1));
    news.forget_news(stage.now());
    ThroughputStore& throughput = stage.store().throughput();
    schema::ThroughputSpan span{.length = schema::kShortSpan, .at = stage.now()};
    span.counts.of(stage.name()).begun = 1;
    throughput.add_throughput(stage.name(), std::span(&span, 1));
    throughput.add_throughput(stage.name(), std::span(&span, 1));
    (void)throughput.forget_throughput(schema::kShortSpan, stage.now() + 1s);
    const FinishedRun run{.ended = stage.now(), .job = stage.name(), .handler_type = stage.name()};
    stage.store().runs().add_runs(std::span(&run, 1));
}

void forget_the_past(TrialStage& stage) {
    const std::vector<Job> taken = stage.insert_and_take({stage.job()});
    stage.apply({{taken.front(), failure_of(taken.front(), false, stage.now())}});
    const FinishedRun run{.ended = stage.now(), .job = stage.name(), .handler_type = stage.name()};
    stage.store().runs().add_runs(std::span(&run, 1));
    const schema::TimePoint later = stage.now() + 1h;
    HistoryStore& history = stage.store().history();
    (void)history.clean_job_log({.before = later, .page = 1});
    (void)history.resolve_incidents(std::vector{taken.front().id}, stage.now());
    (void)history.clean_incidents({.before = later, .page = 1});
    (void)stage.store().runs().clean_runs({.before = later, .page = 1});
    const std::string action = stage.store().audit().begin_action(
        {.who = stage.name(), .via = {}, .action = {}, .arguments = {}, .reason = {}}, stage.now()
    );
    stage.store().audit().end_action(action, "done", 1);
    (void)stage.store().audit().forget_audit(later);
}

void answer_repeated_requests(TrialStage& stage) {
    RepeatableRequest request{
        .key = stage.name(), .digest = stage.name(), .now = stage.now(), .until = stage.now()};
    for (int times = 0; times < 2; ++times) {
        stage.store().enqueuer().in_transaction(
            [&](Transaction& transaction) {
                (void)RequestStore::take_request(transaction, request);
                RequestStore::answer_request(transaction, request.key, 200, "done");
            },
            {}
        );
        request.now += 1s;  // It is not remembered any longer.
    }
    stage.store().requests().forget_requests(request.now);
}

constexpr std::array kTrials{
    Trial{"enqueue jobs", enqueue},
    Trial{"keep unique keys", keep_unique_keys},
    Trial{"take jobs", take},
    Trial{"take jobs by the page", take_by_the_page},
    Trial{"take jobs in the order of the settings", take_in_order},
    Trial{"take the jobs of an instance together", take_instances_together},
    Trial{"renew locks, and free what dead nodes have left", hold_locks},
    Trial{"run exclusive jobs one at a time", run_exclusive_jobs_one_at_a_time},
    Trial{"keep limits", keep_limits},
    Trial{"keep named locks", keep_named_locks},
    Trial{"write what became of jobs", write_outcomes},
    Trial{"work with many jobs at once", work_with_many},
    Trial{"requeue and remove dead letters", requeue_dead_letters},
    Trial{"fire timers", fire_timers},
    Trial{"go on with series", go_on_with_series},
    Trial{"tell that this node lives", tell_that_they_live},
    Trial{"serve external workers", serve_external_workers},
    Trial{"tell of runs", log_runs},
    Trial{"forget the past", forget_the_past},
    Trial{"carry out repeated requests once", answer_repeated_requests},
};

}  // namespace

std::span<const Trial> trials() {
    return kTrials;
}

}  // namespace jobstrand::persistence
