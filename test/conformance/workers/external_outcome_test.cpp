#include "test/conformance/workers/worker_fixture.hpp"

namespace jobstrand::test {

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ExternalOutcomes : public WorkerTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ExternalOutcomes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(ExternalOutcomes, A_completed_job_is_gone_with_its_texts) {
    give({an_external_job("a").with_payload(std::string(9000, 'x'))});
    (void)take_one();
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
}

// I3
TEST_P(ExternalOutcomes, Only_its_holder_writes_about_a_job) {
    give({an_external_job("a"), an_external_job("free")});
    const Job held = take("w-1", 1).front();
    EXPECT_THAT(
        complete("w-2", {{.id = "a"}, {.id = "free"}, {.id = "none"}}),
        ElementsAre(WorkerAnswer::not_held, WorkerAnswer::not_held, WorkerAnswer::not_found)
    );
    EXPECT_THAT(
        complete("w-1", {{.id = "a", .revision = held.revision - 1}}),
        ElementsAre(WorkerAnswer::not_held)
    ) << "an older acquisition by the same worker";
    EXPECT_EQ(job("a"), held);
    EXPECT_THAT(
        complete("w-1", {{.id = "a", .revision = held.revision}}), ElementsAre(WorkerAnswer::done)
    );
}

TEST_P(ExternalOutcomes, Thousands_are_written_at_once_and_answered_in_their_order) {
    constexpr std::size_t kJobs = 2100;
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < kJobs; ++i) {
        jobs.push_back(an_external_job(std::to_string(10'000 + i)));
    }
    give(jobs);
    std::vector<HeldJob> held;
    for (std::vector<Job> page = take("w-1", 1000); !page.empty(); page = take("w-1", 1000)) {
        for (const Job& job : page) {
            held.push_back({.id = job.id, .revision = job.revision});
        }
    }
    ASSERT_THAT(held, SizeIs(kJobs));
    held.insert(held.begin(), {.id = "none"});
    const std::vector<WorkerAnswer> answers = complete("w-1", held);
    EXPECT_EQ(answers.front(), WorkerAnswer::not_found);
    EXPECT_THAT(std::vector(answers.begin() + 1, answers.end()), Each(WorkerAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_EXTERNAL_JOB"), 0);
}

// R072
TEST_P(ExternalOutcomes, A_failed_job_waits_as_a_timer_and_comes_back_to_the_workers) {
    give({an_external_job("a").with_retry_cycle("R3/PT30S")});
    (void)take_one();
    const schema::JobFailure failure{.message = "no paper", .details = "tray 2"};
    EXPECT_THAT(fail("w-1", {{.id = "a"}}, failure), ElementsAre(WorkerAnswer::done));
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").due_date, clock_.now() + 30s);
    EXPECT_EQ(job("a").retries, 2);
    EXPECT_EQ(job("a").exception_message, "no paper");
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "tray 2");
    clock_.tick(30s);
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, claim_of("node"), noop_).moved, 1U);
    EXPECT_EQ(take_one("w-2").attempts, 1);
}

TEST_P(ExternalOutcomes, A_job_whose_row_says_another_type_comes_back_to_the_workers_too) {
    give({an_external_job("a").of_kind(schema::kMessageType).with_retry_cycle("R3/PT30S")});
    (void)take_one();
    EXPECT_THAT(fail("w-1", {{.id = "a"}}, {.message = "m"}), ElementsAre(WorkerAnswer::done));
    clock_.tick(30s);
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, claim_of("node"), noop_).moved, 1U);
    EXPECT_EQ(place_of("a"), "external");
    EXPECT_EQ(take_one("w-2").attempts, 1);
}

TEST_P(ExternalOutcomes, A_worker_may_say_how_many_attempts_are_left_and_when) {
    give({an_external_job("a"), an_external_job("b")});
    (void)take();
    EXPECT_THAT(
        fail("w-1", {{.id = "a"}}, {.message = "m", .retry_after = 7s, .retries_left = 9}),
        ElementsAre(WorkerAnswer::done)
    );
    EXPECT_EQ(job("a").retries, 9);
    EXPECT_EQ(job("a").due_date, clock_.now() + 7s);
    EXPECT_THAT(
        fail("w-1", {{.id = "b"}}, {.message = "m", .retries_left = 0}),
        ElementsAre(WorkerAnswer::done)
    );
    EXPECT_EQ(place_of("b"), "dead");
}

TEST_P(ExternalOutcomes, A_failed_job_may_be_taken_back_by_its_worker_while_nobody_else_has_it) {
    give({an_external_job("waits"), an_external_job("dead"), an_external_job("free")});
    const auto take_back = [this](std::string_view worker, std::string_view id) {
        return store_.workers().take_back(claim_of(worker), id, clock_.now());
    };
    EXPECT_FALSE(take_back("w-1", "waits")) << "it has not failed";
    (void)take();
    (void)fail("w-1", {{.id = "waits"}}, {.message = "m"});
    (void)fail("w-1", {{.id = "dead"}}, {.message = "m", .retries_left = 0});
    (void)fail("w-1", {{.id = "free"}}, {.message = "m", .retry_after = 0s, .retries_left = 2});
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, claim_of("node"), noop_).moved, 1U);
    for (const char* const id : {"waits", "dead", "free"}) {
        EXPECT_FALSE(take_back("w-2", id)) << id;
        EXPECT_TRUE(take_back("w-1", id)) << id;
        EXPECT_TRUE(take_back("w-1", id)) << "once more";
        EXPECT_EQ(job(id).lock_owner, "w-1");
    }
    EXPECT_THAT(complete("w-1", {{.id = "waits"}, {.id = "dead"}}), Each(WorkerAnswer::done));
    EXPECT_THAT(
        fail("w-1", {{.id = "free"}}, {.message = "n", .retry_after = 0s, .retries_left = 1}),
        ElementsAre(WorkerAnswer::done)
    );
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 10, claim_of("node"), noop_).moved, 1U);
    EXPECT_EQ(take_one("w-2").id, "free");
    EXPECT_FALSE(take_back("w-1", "free")) << "another has it";
    EXPECT_FALSE(take_back("w-1", "nobody"));
}

TEST_P(ExternalOutcomes, An_exclusive_or_suspended_job_is_not_taken_back) {
    give(
        {an_external_job("a").of_instance("order-17"),
         an_external_job("b").of_instance("order-18").not_exclusive()}
    );
    (void)take();
    (void)fail("w-1", {{.id = "a"}, {.id = "b"}}, {.message = "m"});
    store_.jobs().suspend(persistence::SuspensionScope::instance, "order-18", clock_.now());
    for (const char* const id : {"a", "b"}) {
        const std::string place = place_of(id);
        EXPECT_FALSE(store_.workers().take_back(claim_of("w-1"), id, clock_.now()));
        EXPECT_EQ(place_of(id), place) << id;
    }
}

TEST_P(ExternalOutcomes, A_dead_letter_of_a_worker_is_requeued_to_the_workers) {
    give({an_external_job("a").with_retries(1)});
    (void)take_one();
    (void)fail("w-1", {{.id = "a"}}, {.message = "m"});
    ASSERT_EQ(place_of("a"), "dead");
    const std::vector<std::string> ids{"a"};
    EXPECT_THAT(store_.jobs().requeue(ids, 2, {}, clock_.now()), ElementsAre(JobAnswer::done));
    EXPECT_EQ(take_one().retries, 2);
}

TEST_P(ExternalOutcomes, What_a_worker_hands_on_is_an_executable_job_with_its_retries_anew) {
    Job given = an_external_job("a").with_retries(1).after_attempts(2).of_instance("i");
    given.exception_message = "earlier";
    give({given});
    (void)take_one();
    std::string read;
    const std::string outcome = R"({"variables":")" + std::string(9000, 'v') + "\"}";
    EXPECT_THAT(
        finish(
            "w-1",
            {{.id = "a"}},
            [&](const Job& row) {
                read = row.payload;
                return schema::handed_on(row, outcome, 3);
            }
        ),
        ElementsAre(WorkerAnswer::done)
    );
    const std::vector<std::string> outcomes{std::string(schema::kWorkerOutcomeType)};
    const auto acquired = store_.executor().acquire(claim_of("node-1"), outcomes, 10);
    ASSERT_THAT(acquired, SizeIs(1));
    EXPECT_EQ(acquired.front().payload, outcome);
    EXPECT_EQ(acquired.front().type, schema::kMessageType);
    EXPECT_EQ(acquired.front().retries, 3);
    EXPECT_EQ(acquired.front().attempts, 0);
    EXPECT_EQ(acquired.front().exception_message, "");
    EXPECT_EQ(acquired.front().correlation_id, given.correlation_id);
}

TEST_P(ExternalOutcomes, A_long_payload_is_replaced_when_a_job_is_handed_on) {
    const std::string longer(9000, 'x');
    give({an_external_job("a").with_payload(longer)});
    (void)take_one();
    (void)finish("w-1", {{.id = "a"}}, [&](const Job& row) {
        EXPECT_EQ(row.payload, longer);
        return schema::handed_on(row, "short", 3);
    });
    EXPECT_EQ(job("a").payload, "short");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
}

TEST_P(ExternalOutcomes, A_lost_answer_of_the_commit_is_no_lost_answer_to_the_worker) {
    give({an_external_job("a")});
    (void)take_one();
    faults_.add({.point = FaultPoint::after_commit, .kind = persistence::DbErrorKind::in_doubt});
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(place_of("a"), "nowhere");
}

class ExternalLocks : public WorkerTest {
protected:
    std::vector<WorkerAnswer>
    extend(std::string_view worker, const std::vector<HeldJob>& jobs, schema::Duration by) {
        const LockClaim claim{.owner = worker, .until = clock_.now() + by, .now = clock_.now()};
        return store_.workers().extend_external(claim, jobs, clock_.now());
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ExternalLocks,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(ExternalLocks, Are_prolonged_by_their_holder_with_the_revision_kept) {
    give({an_external_job("a")});
    const Job held = take_one();
    EXPECT_THAT(extend("w-2", {{.id = "a"}}, 1h), ElementsAre(WorkerAnswer::not_held));
    EXPECT_THAT(extend("w-1", {{.id = "a"}}, 1h), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(job("a").lock_expiration, clock_.now() + 1h);
    EXPECT_EQ(job("a").revision, held.revision);
}

// R082
TEST_P(ExternalLocks, That_are_prolonged_keep_the_instance_of_an_exclusive_job) {
    give({an_external_job("a").of_instance("i"), an_external_job("b").of_instance("i")});
    (void)take("w-1");
    EXPECT_THAT(extend("w-1", {{.id = "a"}}, 1h), ElementsAre(WorkerAnswer::done));
    clock_.tick(30min);
    EXPECT_EQ(store_.executor().reset_expired_groups(clock_.now()), 0);
    EXPECT_THAT(take("w-2"), IsEmpty());
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
}

TEST_P(ExternalLocks, Are_given_back_without_using_a_retry) {
    give({an_external_job("a").of_instance("i")});
    const Job held = take_one();
    const std::vector<HeldJob> jobs{{.id = "a", .revision = held.revision}};
    EXPECT_THAT(
        store_.workers().release_external("w-2", jobs, clock_.now()),
        ElementsAre(WorkerAnswer::not_held)
    );
    EXPECT_THAT(
        store_.workers().release_external("w-1", jobs, clock_.now()),
        ElementsAre(WorkerAnswer::done)
    );
    EXPECT_EQ(job("a").retries, 3);
    EXPECT_EQ(take_one("w-2").revision, held.revision + 2);
}

TEST_P(ExternalLocks, Of_a_worker_are_given_back_all_at_once) {
    Job of_tenant = an_external_job("a");
    of_tenant.tenant_id = "acme";
    give({of_tenant, an_external_job("b"), an_external_job("c")});
    (void)take("w-1", 2);
    (void)take("w-2");
    EXPECT_EQ(store_.workers().release_all_external("w-1", "other", clock_.now()), 0);
    EXPECT_EQ(store_.workers().release_all_external("w-1", "acme", clock_.now()), 1);
    EXPECT_EQ(store_.workers().release_all_external("w-1", std::nullopt, clock_.now()), 1);
    EXPECT_EQ(job("c").lock_owner, "w-2");
    EXPECT_THAT(ids_of(take("w-3")), ElementsAre("a", "b"));
}

}  // namespace

}  // namespace jobstrand::test
