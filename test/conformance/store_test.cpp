#include "test/conformance/store_test.hpp"

#include "schema/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

namespace jobstrand::test {

Node::Node(
    TestDatabase& database,
    FaultPlan& faults,
    schema::ExclusiveOver exclusive_over,
    schema::HistoryRules history,
    OnIncident on_incident,
    SessionPool::Size connections
)
    : pool_(
          with_faults(
              [&database](SessionPool::Access access) { return database.connect(access); },
              faults
          ),
          connections,
          10s
      ),
      store_(
          pool_,
          log_,
          schedule_,
          {.attempts = 10, .wait = 1ms},
          exclusive_over,
          std::move(history),
          std::move(on_incident)
      ) {}

StoreTest::StoreTest()
    : database_(GetParam().create()),
      connection_(database_->connect(SessionPool::Access::write)),
      node_(*database_, faults_) {}

void StoreTest::SetUp() {
    if (GetParam().missing) {
        GTEST_SKIP() << *GetParam().missing;
    }
}

std::vector<Job> StoreTest::insert(JobPlace place, std::vector<Job> jobs) {
    std::vector<PlacedJob> placed;
    for (Job& job : jobs) {
        placed.push_back({.place = place, .job = std::move(job)});
    }
    std::vector<Job> stored;
    for (PlacedJob& one : store_.enqueuer().insert(std::move(placed))) {
        stored.push_back(std::move(one.job));
    }
    return stored;
}

Job StoreTest::insert(JobPlace place, Job job) {
    return insert(place, std::vector{std::move(job)}).front();
}

std::vector<Job> StoreTest::insert(std::vector<Job> jobs) {
    return insert(JobPlace::executable, std::move(jobs));
}

Job StoreTest::insert(Job job) {
    return insert(JobPlace::executable, std::move(job));
}

Job StoreTest::insert_and_acquire(Job job, std::string_view owner) {
    const std::string id = insert(std::move(job)).id;
    auto acquired = acquire_one(id, owner);
    EXPECT_EQ(acquired.answer, JobAnswer::done);
    return acquired.job;
}

std::vector<Job> StoreTest::acquire(std::size_t limit, std::string_view owner) {
    return store_.executor().acquire(claim_of(owner), noop_, limit);
}

LockClaim StoreTest::claim_of(std::string_view owner) const {
    const char* const locks = std::getenv("JOBSTRAND_TEST_LOCKS");
    const bool is_by_page = locks != nullptr && locks == std::string_view("page");
    return {
        .owner = owner,
        .until = clock_.now() + 5min,
        .now = clock_.now(),
        .pages_from = is_by_page ? 1U : 0U};
}

void StoreTest::insert_of(const std::string& instance, const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
        insert(a_job(id).of_instance(instance));
    }
}

JobBuilder StoreTest::a_timer(std::string id, schema::Duration due_in) const {
    return a_job(std::move(id)).of_kind(schema::kTimerType).due_at(clock_.now() + due_in);
}

persistence::AcquiredJob StoreTest::acquire_one(std::string_view id, std::string_view owner) {
    return store_.executor().acquire_one(id, claim_of(owner), clock_.now());
}

persistence::DueTimers StoreTest::move_due(PageLimit limit, std::string_view owner) {
    return store_.timers().move_due_timers(clock_.now(), limit, claim_of(owner), noop_);
}

persistence::DueTimers StoreTest::move_due_free(PageLimit limit) {
    return store_.timers().move_due_timers(clock_.now(), limit, std::nullopt, {});
}

std::int64_t StoreTest::reset_locks(JobPlace place) {
    return store_.executor().reset_expired_locks(place, {.now = clock_.now()}).freed;
}

std::vector<OutcomeAnswer>
StoreTest::apply(const std::vector<Outcome>& outcomes, std::string_view owner) {
    return store_.executor().apply(owner, outcomes);
}

void StoreTest::expect_done(const Outcome& outcome) {
    EXPECT_EQ(apply({outcome}).front(), OutcomeAnswer::done);
}

persistence::GroupEnd StoreTest::end_of(std::string group, std::int64_t claimed) const {
    return {.group = std::move(group), .claimed = claimed, .began = claim_of("").until};
}

persistence::GroupsPassedOn
StoreTest::pass_on(std::string_view owner, const persistence::GroupEnd& end, std::size_t bytes) {
    return store_.executor().pass_on(claim_of(owner), noop_, bytes, std::span(&end, 1));
}

Outcome StoreTest::failed_outcome(const Job& job, schema::JobFailure failure) const {
    return outcome_of(job, schema::failed(job, failure, schema::RetryPolicy{}, clock_.now()));
}

void StoreTest::complete(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
        EXPECT_EQ(apply({completed_outcome(job)}, job.lock_owner).front(), OutcomeAnswer::done);
    }
}

void StoreTest::in_transaction(const std::function<void(Transaction&)>& work) {
    store_.enqueuer().in_transaction(work, {});
}

std::int64_t StoreTest::suspend(SuspensionScope scope, std::string_view id) {
    return store_.jobs().suspend(scope, id, clock_.now());
}

std::int64_t StoreTest::activate(SuspensionScope scope, std::string_view id) {
    return store_.jobs().activate(scope, id, clock_.now());
}

std::vector<JobAnswer> StoreTest::remove(JobPlace place, const std::vector<std::string>& ids) {
    return store_.jobs().remove(place, ids, clock_.now());
}

std::vector<JobAnswer> StoreTest::requeue(
    const std::vector<std::string>& ids,
    int retries,
    const persistence::DueDates& due_dates
) {
    return store_.jobs().requeue(ids, retries, due_dates, clock_.now());
}

JobAnswer StoreTest::fire_timer(std::string_view id) {
    return store_.jobs().fire_timer(id, clock_.now());
}

JobAnswer StoreTest::reschedule_timer(std::string_view id, schema::TimePoint due_date) {
    return store_.jobs().reschedule_timer(id, due_date, clock_.now());
}

JobAnswer
StoreTest::change(JobPlace place, std::string_view id, const persistence::JobChanges& changes) {
    return store_.jobs().change(place, id, changes, clock_.now());
}

void StoreTest::register_node(
    const std::string& name,
    const persistence::ServedJobs& served,
    schema::Duration lease
) {
    store_.nodes().register_node(
        {.node = name, .incarnation = "1"}, served, clock_.now(), clock_.now() + lease
    );
}

Node StoreTest::node_with(schema::HistoryRules history, OnIncident on_incident) {
    return Node(
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        std::move(history),
        std::move(on_incident)
    );
}

std::vector<schema::JobEvent> StoreTest::events_of(std::string_view id) {
    std::vector<schema::JobEvent> events;
    for (const auto& line : store_.history().job_log({.job = std::string(id)}, {}, 100)) {
        events.push_back(line.event);
    }
    return events;
}

std::string StoreTest::place_of(std::string_view id) {
    const auto found = store_.jobs().find(id);
    return found ? std::string(schema::name_of(found->place)) : "nowhere";
}

std::vector<std::string> StoreTest::places_of(const std::vector<std::string_view>& ids) {
    std::vector<std::string> places;
    for (const std::string_view id : ids) {
        places.push_back(place_of(id));
    }
    return places;
}

Job StoreTest::job(std::string_view id) {
    return store_.jobs().find(id).value().job;
}

std::int64_t StoreTest::count_rows(std::string_view table) {
    std::int64_t rows = 0;
    const std::string sql = fmt::format("SELECT COUNT(*) FROM {}", table);
    connection_->query({.sql = sql, .columns = 1}, {}, [&](const persistence::Row& row) {
        rows = row.integer(0);
    });
    return rows;
}

std::int64_t StoreTest::execute(std::string_view sql, std::vector<Value> parameters) {
    return connection_->execute(sql, parameters);
}

std::vector<std::string> ids_of(const std::vector<Job>& jobs) {
    std::vector<std::string> ids;
    for (const Job& job : jobs) {
        ids.push_back(job.id);
    }
    return ids;
}

std::vector<Fence> fences_of(const std::vector<Job>& jobs) {
    std::vector<Fence> fences;
    for (const Job& job : jobs) {
        fences.push_back(
            {.id = job.id,
             .revision = job.revision,
             .group = std::string(schema::exclusive_group(job, schema::ExclusiveOver::instance)),
             .claim = job.claim}
        );
    }
    return fences;
}

std::vector<Job> many_jobs(std::string_view prefix, std::size_t count, const JobBuilder& like) {
    std::vector<Job> jobs(count, like);
    for (std::size_t i = 0; i < count; ++i) {
        jobs[i].id = fmt::format("{}{:03}", prefix, i);
        jobs[i].correlation_id = jobs[i].id;
    }
    return jobs;
}

/// Gives a member that nobody has named a value: a visitor for their types.
struct FillMember {
    std::string_view name;
    Job& job;

    void operator()(std::string Job::*member) const {
        if ((job.*member).empty()) {
            job.*member = name;
        }
    }
    void operator()(bool Job::*member) const { job.*member = !(Job{}.*member); }
    void operator()(std::optional<schema::TimePoint> Job::*member) const {
        job.*member = (job.*member).value_or(schema::TimePoint(1'767'225'600'002ms));
    }
    template <typename Number>
    void operator()(Number Job::*member) const {
        job.*member = job.*member == Job{}.*member ? 7 : job.*member;
    }
};

Job full_job(std::string id) {
    Job job = a_job(std::move(id));
    job.category = "category";
    job.type = schema::kTimerType;
    job.exclusive = false;
    job.execution_id = "execution";
    job.process_instance_id = "instance";
    job.process_definition_id = "definition";
    job.element_id = "element";
    job.element_name = "element name";
    job.scope_id = "scope";
    job.sub_scope_id = "sub-scope";
    job.scope_type = "cmmn";
    job.scope_definition_id = "scope definition";
    job.correlation_id = "correlation";
    job.retries = 7;
    job.exception_stack_id = "stack";
    job.exception_message = "message";
    job.due_date = schema::TimePoint(1'767'225'600'001ms);
    job.repeat = "R3/PT1H";
    job.payload = R"({"key": "value"})";
    job.custom_values_id = "values";
    job.create_time = schema::TimePoint(1'767'225'599'999ms);
    job.tenant_id = "tenant";
    job.priority = -5;
    job.root_process_instance_id = "root";
    job.deployment_id = "deployment";
    job.job_definition_id = "job definition";
    job.retry_cycle = "R5/PT1S";
    job.attempts = 2;
    job.series = "series";
    const auto is_everywhere = [](const schema::JobField& field) {
        return std::ranges::all_of(schema::kJobPlaces, field.is_in);
    };
    for (const schema::JobField& field : schema::job_fields()) {
        if (is_everywhere(field) && !field.is_about(&Job::revision)) {
            std::visit(FillMember{field.name, job}, field.member);
        }
    }
    return job;
}

Outcome outcome_of(const Job& job, schema::Transition transition) {
    return {.job = std::make_shared<const Job>(job), .transition = std::move(transition)};
}

Outcome completed_outcome(const Job& job) {
    return outcome_of(job, schema::completed(job));
}

std::string name_of_database(const testing::TestParamInfo<DatabaseUnderTest>& info) {
    return info.param.name;
}

}  // namespace jobstrand::test
