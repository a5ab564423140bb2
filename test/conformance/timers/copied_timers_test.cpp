#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// Pages of due timers of which the server copies most, and some need a look.
class CopiedTimers : public StoreTest {
protected:
    Job a_timer(std::string id, std::string element = "pack") {
        Job job = a_job(std::move(id)).of_kind(schema::kTimerType).due_at(clock_.now() - 1s);
        job.process_definition_id = "shipping:3";
        job.element_id = std::move(element);
        return job;
    }

    persistence::DueTimers move(persistence::SqlStore& store) {
        return store.timers().move_due_timers(clock_.now(), 100, claim_of("node-1"), {{"noop"}});
    }

    std::vector<schema::JobEvent> events_of(const std::string& id) {
        std::vector<schema::JobEvent> events;
        for (const persistence::JobLogLine& line : store_.history().job_log({.job = id}, {}, 100)) {
            events.push_back(line.event);
        }
        return events;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    CopiedTimers,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(CopiedTimers, What_is_suspended_waits_and_the_others_of_its_page_go) {
    Job tenant = a_timer("tenant");
    tenant.tenant_id = "acme";
    Job instance = a_timer("instance");
    instance.process_instance_id = "order-17";
    insert(JobPlace::timer, std::vector{a_timer("a"), a_timer("b")});
    store_.jobs().suspend(SuspensionScope::job_definition, "shipping:3/charge", clock_.now());
    store_.jobs().suspend(SuspensionScope::tenant, "acme", clock_.now());
    store_.jobs().suspend(SuspensionScope::instance, "order-17", clock_.now());
    insert(JobPlace::timer, std::vector{tenant, instance, a_timer("kind")});
    // As an app leaves one that it inserts while its kind is being suspended.
    execute("UPDATE ACT_RU_TIMER_JOB SET ELEMENT_ID_ = 'charge' WHERE ID_ = 'kind'");
    const auto due = move(store_);
    EXPECT_THAT(ids_of(due.locked), UnorderedElementsAre("a", "b"));
    for (const char* const id : {"tenant", "instance", "kind"}) {
        EXPECT_EQ(place_of(id), "suspended") << id;
    }
    store_.jobs().activate(SuspensionScope::job_definition, "shipping:3/charge", clock_.now());
    EXPECT_EQ(place_of("kind"), "executable");
}

TEST_P(CopiedTimers, Keep_a_priority_that_an_override_gave_them) {
    insert(JobPlace::timer, std::vector{a_timer("a", "charge"), a_timer("b")});
    std::optional<persistence::OverridePosition> position{std::in_place};
    while (position) {
        position =
            store_.definitions()
                .override_priorities(
                    schema::job_definition_named("shipping:3/charge"), 8, *position, clock_.now()
                )
                .next;
    }
    (void)move(store_);
    EXPECT_EQ(job("a").priority, 8);
    EXPECT_EQ(job("b").priority, 0);
}

TEST_P(CopiedTimers, Are_logged_as_timers_that_were_sent_are) {
    Node full(
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        schema::HistoryRules{.job_log = schema::JobLogLevel::full}
    );
    persistence::SqlStore& store = full.store();
    insert(JobPlace::timer, std::vector{a_timer("a"), a_timer("taken")});
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('taken', 'mail')");
    // Where an id is taken the rows are sent, elsewhere they are copied.
    EXPECT_THAT(ids_of(move(store).locked), ElementsAre("a"));
    insert(JobPlace::timer, a_timer("b"));
    const std::vector<Job> held = move(store).locked;
    ASSERT_THAT(ids_of(held), ElementsAre("b"));
    EXPECT_THAT(events_of("a"), IsEmpty()) << "to fall due is no event";
    EXPECT_THAT(events_of("b"), IsEmpty());
    EXPECT_THAT(events_of("taken"), ElementsAre(schema::JobEvent::dead));
    EXPECT_THAT(store_.history().incidents({.job = "taken"}, {}, 100), SizeIs(1));
    const std::vector outcomes{completed_outcome(held.front())};
    ASSERT_THAT(store.executor().apply("node-1", outcomes), ElementsAre(OutcomeAnswer::done));
    EXPECT_THAT(events_of("b"), ElementsAre(schema::JobEvent::succeeded));
}

TEST_P(CopiedTimers, That_failed_before_keep_what_is_told_of_the_failure) {
    const Job held = insert_and_acquire(a_job("a"));
    const std::vector outcomes{
        failed_outcome(held, {.message = "no network", .details = "at line 3"}, clock_.now())};
    ASSERT_THAT(store_.executor().apply("node-1", outcomes), ElementsAre(OutcomeAnswer::done));
    const Job waiting = job("a");
    clock_.tick(*waiting.due_date - clock_.now());
    ASSERT_THAT(ids_of(move(store_).locked), ElementsAre("a"));
    const Job moved = job("a");
    EXPECT_EQ(moved.exception_message, "no network");
    EXPECT_EQ(moved.exception_stack_id, waiting.exception_stack_id);
    EXPECT_EQ(moved.attempts, 1);
    EXPECT_EQ(moved.retries, waiting.retries);
}

}  // namespace
}  // namespace jobstrand::test
