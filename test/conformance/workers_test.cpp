#include "persistence/run_store.hpp"
#include "persistence/worker_store.hpp"
#include "test/conformance/store_test.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::test {

namespace {

using persistence::HeldJob;
using persistence::ToldRun;
using persistence::WorkerAnswer;
using persistence::WorkerOutcome;

[[nodiscard]] JobBuilder an_external_job(std::string id) {
    return a_job(std::move(id)).of_kind(schema::kExternalWorkerType).of_type("invoice");
}

/// Workers that take jobs of the topic "invoice" for five minutes.
class WorkerTest : public StoreTest {
protected:
    /// Inserts free external jobs.
    void give(const std::vector<Job>& jobs) { insert(JobPlace::external_worker, jobs); }

    [[nodiscard]] std::vector<Job> take(
        std::string_view worker = "w-1",
        std::size_t limit = 100,
        persistence::WantedJobs wanted = {}
    ) {
        if (wanted.topics.empty()) {
            wanted.topics = invoices_;
        }
        return store_.workers().acquire_external(claim_of(worker), wanted, limit, clock_.now());
    }

    std::vector<WorkerAnswer> release(std::string_view worker, const std::vector<HeldJob>& jobs) {
        return store_.workers().release_external(worker, jobs, clock_.now());
    }

    /// The only job that there is to take.
    Job take_one(std::string_view worker = "w-1") {
        const std::vector<Job> taken = take(worker);
        EXPECT_EQ(taken.size(), 1U);
        return taken.empty() ? Job{} : taken.front();
    }

    std::vector<WorkerAnswer> finish(
        std::string_view worker,
        const std::vector<HeldJob>& jobs,
        const std::function<schema::Transition(const Job&)>& transition
    ) {
        std::vector<WorkerOutcome> outcomes;
        for (const HeldJob& job : jobs) {
            outcomes.push_back({.job = job, .transition = transition, .reads_payload = true});
        }
        return store_.workers().apply_external(worker, outcomes, clock_.now());
    }

    std::vector<WorkerAnswer> complete(std::string_view worker, const std::vector<HeldJob>& jobs) {
        return finish(worker, jobs, [](const Job& row) { return schema::completed(row); });
    }

    std::vector<WorkerAnswer>
    fail(std::string_view worker, const std::vector<HeldJob>& jobs, schema::JobFailure failure) {
        return finish(worker, jobs, [&](const Job& row) {
            return schema::failed(row, failure, {}, clock_.now());
        });
    }

    const std::vector<std::string> invoices_{"invoice"};
};

class ExternalAcquisition : public WorkerTest {};

ON_EVERY_DATABASE(ExternalAcquisition);

TEST_P(ExternalAcquisition, A_worker_gets_the_oldest_jobs_of_its_topics_locked) {
    give({an_external_job("a"), an_external_job("b").of_type("mail"), an_external_job("c")});
    const std::vector<Job> taken = take("w-1", 1);
    ASSERT_THAT(ids_of(taken), ElementsAre("a"));
    EXPECT_EQ(taken.front(), job("a"));
    EXPECT_EQ(job("a").lock_owner, "w-1");
    EXPECT_EQ(job("a").lock_expiration, claim_of("w-1").until);
    EXPECT_EQ(job("a").revision, 2);
    const std::vector<std::string> both{"mail", "invoice"};
    EXPECT_THAT(ids_of(take("w-2", 9, {.topics = both})), ElementsAre("b", "c"));
    EXPECT_THAT(take("w-3"), IsEmpty());
}

TEST_P(ExternalAcquisition, By_priority_the_highest_come_first_and_of_one_the_oldest) {
    give(
        {an_external_job("a"),
         an_external_job("b").with_priority(5),
         an_external_job("c").with_priority(-1),
         an_external_job("d").with_priority(5),
         an_external_job("e").with_priority(9).of_type("mail"),
         an_external_job("f").with_priority(7)}
    );
    const persistence::WantedJobs wanted{.topics = invoices_, .by_priority = true};
    EXPECT_THAT(ids_of(take("w-1", 2, wanted)), ElementsAre("f", "b"));
    EXPECT_THAT(ids_of(take("w-2", 9, wanted)), ElementsAre("d", "a", "c"));
    EXPECT_THAT(take("w-3", 9, wanted), IsEmpty());
}

// What waits for its group is passed over, however high it stands.
TEST_P(ExternalAcquisition, By_priority_it_goes_on_behind_what_cannot_be_taken) {
    std::vector<Job> jobs{an_external_job("a").of_instance("i").with_priority(1)};
    for (int i = 0; i < 120; ++i) {
        jobs.push_back(
            an_external_job("b" + std::to_string(100 + i)).of_instance("i").with_priority(9)
        );
    }
    jobs.push_back(an_external_job("z").with_priority(-3));
    give(jobs);
    const persistence::WantedJobs wanted{.topics = invoices_, .by_priority = true};
    EXPECT_THAT(ids_of(take("w-1", 1, wanted)), ElementsAre("b100"));
    EXPECT_THAT(ids_of(take("w-2", 1, wanted)), ElementsAre("z"));
}

TEST_P(ExternalAcquisition, Nodes_and_workers_leave_each_others_jobs_alone) {
    give({an_external_job("a").of_type("noop")});
    insert(a_job("b").of_type("invoice"));
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_THAT(take(), IsEmpty());
}

TEST_P(ExternalAcquisition, Tenant_scope_and_instance_choose) {
    const Job of_tenant = an_external_job("a").of_tenant("acme");
    Job of_scope = an_external_job("b");
    of_scope.scope_type = "cmmn";
    give({of_tenant, of_scope, an_external_job("c").of_instance("i").not_exclusive()});
    EXPECT_THAT(ids_of(take("w", 9, {.topics = invoices_, .tenant = "acme"})), ElementsAre("a"));
    EXPECT_THAT(
        ids_of(take("w", 9, {.topics = invoices_, .scope_type = "cmmn"})), ElementsAre("b")
    );
    EXPECT_THAT(
        ids_of(take("w", 9, {.topics = invoices_, .tenant = "", .are_of_instances = true})),
        ElementsAre("c")
    );
}

/// Names with what a pattern, a list or a text in SQL would take for its own.
Job an_external_job_for(std::string id, std::string users, std::string groups) {
    Job job = an_external_job(std::move(id));
    job.candidate_users = std::move(users);
    job.candidate_groups = std::move(groups);
    return job;
}

// As Flowable's forUserOrGroups.
TEST_P(ExternalAcquisition, Who_asks_for_a_user_or_groups_gets_the_jobs_that_name_one_of_them) {
    give(
        {an_external_job_for("a", "kermit\nfozzie", ""),
         an_external_job_for("b", "", "bears\nmuppets"),
         an_external_job_for("c", "gonzo", "muppets"),
         an_external_job("d")}
    );
    const auto take_for = [this](std::string_view user, const std::vector<std::string>& groups) {
        return ids_of(take(
            "w-1",
            9,
            {.topics = invoices_,
             .candidate = persistence::WantedCandidate{.user = user, .groups = groups}}
        ));
    };
    EXPECT_THAT(take_for("animal", {"drummers", "singers"}), IsEmpty());
    EXPECT_THAT(take_for("muppets", {"kermit"}), IsEmpty()) << "a user is no group";
    EXPECT_THAT(take_for("fozzie", {}), ElementsAre("a"));
    EXPECT_THAT(take_for("gonzo", {"bears"}), ElementsAre("b", "c"));
    EXPECT_THAT(take_for("", {}), IsEmpty());
    EXPECT_THAT(ids_of(take()), ElementsAre("d"));
}

TEST_P(ExternalAcquisition, Who_asks_for_nobody_gets_jobs_whomever_they_name) {
    give({an_external_job_for("a", "kermit", ""), an_external_job_for("b", "", "bears")});
    EXPECT_THAT(ids_of(take()), ElementsAre("a", "b"));
}

TEST_P(ExternalAcquisition, A_name_is_found_only_as_it_is_whatever_is_in_it) {
    const std::vector<std::string> names{
        "100%",
        "100_",
        "100",
        "o'hara",
        "O'Hara",
        "a\"b",
        "back\\slash",
        "cn=a,ou=b",
        "müller",
        "muller",
        " blank",
        "blank "};
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < names.size(); ++i) {
        jobs.push_back(an_external_job_for("j" + std::to_string(10 + i), "", "x\n" + names[i]));
    }
    give(jobs);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::vector<std::string> groups{names[i]};
        const persistence::WantedJobs wanted{
            .topics = invoices_, .candidate = persistence::WantedCandidate{.groups = groups}};
        EXPECT_THAT(ids_of(take("w-1", 99, wanted)), ElementsAre("j" + std::to_string(10 + i)))
            << names[i];
    }
}

TEST_P(ExternalAcquisition, By_priority_too_only_the_jobs_of_a_user_are_sorted) {
    Job highest = an_external_job_for("c", "kermit", "");
    highest.priority = 9;
    Job of_another = an_external_job_for("b", "gonzo", "");
    of_another.priority = 99;
    give({an_external_job_for("a", "kermit", ""), of_another, highest});
    const persistence::WantedJobs wanted{
        .topics = invoices_,
        .candidate = persistence::WantedCandidate{.user = "kermit"},
        .by_priority = true};
    EXPECT_THAT(ids_of(take("w-1", 9, wanted)), ElementsAre("c", "a"));
}

TEST_P(ExternalAcquisition, A_job_keeps_whom_it_is_for_through_a_retry_a_suspension_and_its_death) {
    Job made = an_external_job_for("a", "kermit\nfozzie", "bears");
    made.process_instance_id = "i";
    made.exclusive = false;
    made.calling_instances = "order\npayment";
    give({made});
    const auto expect_kept = [&](std::string_view place) {
        EXPECT_EQ(place_of("a"), place);
        EXPECT_EQ(job("a").candidate_users, "kermit\nfozzie");
        EXPECT_EQ(job("a").candidate_groups, "bears");
        EXPECT_EQ(job("a").calling_instances, "order\npayment");
    };
    (void)take_one();
    (void)fail("w-1", {{.id = "a"}}, {.message = "no", .retry_after = 1min});
    expect_kept("timer");
    suspend(SuspensionScope::instance, "i");
    expect_kept("suspended");
    activate(SuspensionScope::instance, "i");
    clock_.tick(2min);
    move_due(10);
    expect_kept("external");
    (void)take_one();
    (void)fail("w-1", {{.id = "a"}}, {.message = "no", .retryable = false});
    expect_kept("dead");
    requeue({"a"}, 3);
    expect_kept("external");
}

TEST_P(ExternalAcquisition, Long_payloads_are_read_and_bound_a_page) {
    const std::string longer(9000, 'x');
    give({an_external_job("a").with_payload(longer), an_external_job("b").with_payload(longer)});
    const auto taken = store_.workers().acquire_external(
        claim_of("w"), {.topics = invoices_}, {100, 10'000}, clock_.now()
    );
    ASSERT_THAT(ids_of(taken), ElementsAre("a"));
    EXPECT_EQ(taken.front().payload, longer);
    EXPECT_THAT(ids_of(take()), ElementsAre("b"));
}

TEST_P(ExternalAcquisition, A_lock_that_ended_frees_its_job_without_using_a_retry) {
    give({an_external_job("a")});
    (void)take_one("w-1");
    clock_.tick(5min);
    EXPECT_THAT(take("w-2"), IsEmpty()) << "it ends now";
    clock_.tick(1ms);
    EXPECT_EQ(take_one("w-2").lock_owner, "w-2");
    EXPECT_EQ(job("a").retries, 3);
    EXPECT_EQ(job("a").attempts, 0);
}

TEST_P(ExternalAcquisition, A_lock_of_flowables_that_nobody_owns_keeps_the_job_until_it_ends) {
    Job waiting = an_external_job("a");
    waiting.lock_expiration = clock_.now() + 1min;
    give({waiting});
    EXPECT_THAT(take(), IsEmpty());
    clock_.tick(2min);
    EXPECT_THAT(ids_of(take()), ElementsAre("a"));
}

TEST_P(ExternalAcquisition, Jobs_of_what_was_suspended_while_they_were_held_move_aside) {
    give({an_external_job("a").of_instance("i").not_exclusive(), an_external_job("b")});
    const std::vector<Job> held = take("w-1", 1);
    suspend(SuspensionScope::instance, "i");
    EXPECT_THAT(release("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_THAT(ids_of(take()), ElementsAre("b"));
    EXPECT_EQ(place_of("a"), "suspended");
    activate(SuspensionScope::instance, "i");
    EXPECT_EQ(place_of("a"), "external");
}

// R082
TEST_P(ExternalAcquisition, Of_exclusive_jobs_of_an_instance_one_is_held_at_a_time) {
    give(
        {an_external_job("a").of_instance("i"),
         an_external_job("b").of_instance("i"),
         an_external_job("c").of_instance("j"),
         an_external_job("d").of_instance("i").not_exclusive()}
    );
    EXPECT_THAT(ids_of(take("w-1")), ElementsAre("a", "c", "d"));
    EXPECT_THAT(take("w-1"), IsEmpty());
    EXPECT_THAT(take("w-2"), IsEmpty());
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_THAT(ids_of(take("w-2")), ElementsAre("b"));
}

// R082
TEST_P(ExternalAcquisition, A_node_waits_for_the_worker_that_has_an_exclusive_job_of_the_instance) {
    give({an_external_job("a").of_instance("i")});
    insert(a_job("b").of_instance("i"));
    (void)take_one("w-1");
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("b")));
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
}

// R082
TEST_P(ExternalAcquisition, A_worker_waits_for_the_node_that_has_an_exclusive_job_of_the_instance) {
    insert(a_job("b").of_instance("i"));
    ASSERT_THAT(acquire(), SizeIs(1));
    give({an_external_job("a").of_instance("i"), an_external_job("free")});
    EXPECT_THAT(ids_of(take("node-1")), ElementsAre("free")) << "even if it bears the node's name";
}

// R082
TEST_P(ExternalAcquisition, The_instance_of_an_exclusive_job_is_free_again_when_its_lock_ends) {
    give({an_external_job("a").of_instance("i"), an_external_job("b").of_instance("i")});
    ASSERT_THAT(ids_of(take("w-1")), ElementsAre("a"));
    clock_.tick(6min);
    EXPECT_THAT(take("w-2"), IsEmpty()) << "this call frees it";
    EXPECT_THAT(ids_of(take("w-2")), ElementsAre("a"));
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::not_held));
}

TEST_P(ExternalAcquisition, More_held_groups_than_a_page_has_jobs_hide_no_free_job) {
    std::vector<Job> jobs;
    for (Job job : many_jobs("j", 5)) {
        jobs.push_back(an_external_job(job.id).of_instance("i"));
    }
    jobs.push_back(an_external_job("z"));
    give(jobs);
    ASSERT_THAT(take("w-1", 1), SizeIs(1));
    EXPECT_THAT(ids_of(take("w-2", 1)), ElementsAre("z"));
}

TEST_P(ExternalAcquisition, A_worker_of_several_tenants_gets_jobs_of_these_only) {
    std::vector<Job> jobs{
        an_external_job("a").of_tenant("acme"),
        an_external_job("b").of_tenant("umbra"),
        an_external_job("c")};
    give(jobs);
    const std::vector<std::string> tenants{"umbra", "other"};
    EXPECT_THAT(ids_of(take("w", 9, {.topics = invoices_, .tenants = tenants})), ElementsAre("b"));
}

TEST_P(ExternalAcquisition, Two_workers_at_once_never_get_the_same_job) {
    constexpr std::size_t kJobs = 200;
    std::vector<Job> jobs;
    for (Job job : many_jobs("j", kJobs)) {
        jobs.push_back(an_external_job(job.id));
    }
    give(jobs);
    Node other(*database_, faults_);
    std::vector<Job> theirs;
    const auto take_all = [&](persistence::SqlStore& store, std::string_view worker, auto& taken) {
        const persistence::WantedJobs wanted{.topics = invoices_};
        while (true) {
            const auto page =
                store.workers().acquire_external(claim_of(worker), wanted, 7, clock_.now());
            if (page.empty()) {
                return;
            }
            taken.insert(taken.end(), page.begin(), page.end());
        }
    };
    std::thread second([&] { take_all(other.store(), "w-2", theirs); });
    std::vector<Job> ours;
    take_all(store_, "w-1", ours);
    second.join();
    // Whoever passes over rows that the other is claiming may end early, so some may be left.
    take_all(store_, "w-1", ours);
    EXPECT_EQ(ours.size() + theirs.size(), kJobs);
    std::vector<HeldJob> held;
    for (const Job& job : ours) {
        held.push_back({.id = job.id, .revision = job.revision});
    }
    EXPECT_THAT(complete("w-1", held), Each(WorkerAnswer::done));
}

class ExternalOutcomes : public WorkerTest {};

ON_EVERY_DATABASE(ExternalOutcomes);

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
    EXPECT_EQ(move_due(10).moved, 1U);
    EXPECT_EQ(take_one("w-2").attempts, 1);
}

TEST_P(ExternalOutcomes, A_job_whose_row_says_another_type_comes_back_to_the_workers_too) {
    give({an_external_job("a").of_kind(schema::kMessageType).with_retry_cycle("R3/PT30S")});
    (void)take_one();
    EXPECT_THAT(fail("w-1", {{.id = "a"}}, {.message = "m"}), ElementsAre(WorkerAnswer::done));
    clock_.tick(30s);
    EXPECT_EQ(move_due(10).moved, 1U);
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
    EXPECT_EQ(move_due(10).moved, 1U);
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
    EXPECT_EQ(move_due(10).moved, 1U);
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
    suspend(SuspensionScope::instance, "order-18");
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
    EXPECT_THAT(requeue({"a"}, 2), ElementsAre(JobAnswer::done));
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
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
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

ON_EVERY_DATABASE(ExternalLocks);

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
    EXPECT_THAT(release("w-2", jobs), ElementsAre(WorkerAnswer::not_held));
    EXPECT_THAT(release("w-1", jobs), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(job("a").retries, 3);
    EXPECT_EQ(take_one("w-2").revision, held.revision + 2);
}

TEST_P(ExternalLocks, Of_a_worker_are_given_back_all_at_once) {
    give({an_external_job("a").of_tenant("acme"), an_external_job("b"), an_external_job("c")});
    (void)take("w-1", 2);
    (void)take("w-2");
    EXPECT_EQ(store_.workers().release_all_external("w-1", "other", clock_.now()), 0);
    EXPECT_EQ(store_.workers().release_all_external("w-1", "acme", clock_.now()), 1);
    EXPECT_EQ(store_.workers().release_all_external("w-1", std::nullopt, clock_.now()), 1);
    EXPECT_EQ(job("c").lock_owner, "w-2");
    EXPECT_THAT(ids_of(take("w-3")), ElementsAre("a", "b"));
}

/// What runs under way tell of themselves.
class RunNewsRows : public WorkerTest {
protected:
    ToldRun a_run(std::string job, int revision = 2) {
        return {
            .job = std::move(job), .revision = revision, .owner = "node-1", .told = clock_.now()};
    }

    std::vector<std::string> told() {
        std::vector<std::string> jobs;
        for (const ToldRun& run : news_.run_news({}, 100)) {
            jobs.push_back(run.job);
        }
        return jobs;
    }

    persistence::RunNewsStore& news_ = store_.run_news();
};

ON_EVERY_DATABASE(RunNewsRows);

TEST_P(RunNewsRows, Are_read_as_they_were_told_and_told_anew) {
    ToldRun full = a_run("a");
    full.handler_type = "mail";
    full.tenant = "t";
    full.news = {.progress = 0.4, .note = "pâge 4", .lines = "one\ntwö \\x41 'three'\n"};
    news_.write_news(std::vector{full, a_run("b")}, {});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"a"}, 1), std::vector{full});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"b"}, 1), std::vector{a_run("b")});
    clock_.tick(1s);
    full.told = clock_.now();
    full.news = {.progress = 1.0, .note = {}, .lines = {}};
    full.revision = 3;
    news_.write_news(std::vector{full}, {});
    EXPECT_EQ(news_.run_news(std::vector<std::string>{"a", "c"}, 9), std::vector{full});
    EXPECT_THAT(told(), ElementsAre("a", "b")) << "the latest first";
    EXPECT_EQ(news_.run_news({}, 1).size(), 1U);
}

TEST_P(RunNewsRows, Go_with_their_run_and_not_with_an_earlier_one) {
    news_.write_news(std::vector{a_run("a"), a_run("b", 7)}, {});
    news_.write_news(std::vector{a_run("c")}, std::vector{a_run("a"), a_run("b", 6), a_run("d")});
    EXPECT_THAT(told(), ElementsAre("c", "b"));
}

TEST_P(RunNewsRows, Are_forgotten_when_nobody_has_the_job_any_more) {
    (void)insert_and_acquire(a_job("node").of_type("noop"));
    give({an_external_job("worker"), an_external_job("x-free")});
    const int revision = take("w-1", 1).at(0).revision;
    ToldRun of_worker = a_run("worker", revision);
    of_worker.owner = "w-1";
    news_.write_news(std::vector{a_run("node"), of_worker, a_run("x-free"), a_run("gone")}, {});
    news_.forget_news(clock_.now());
    EXPECT_EQ(told().size(), 4U) << "they are fresh";
    clock_.tick(1ms);
    news_.forget_news(clock_.now());
    EXPECT_THAT(told(), ElementsAre("worker", "node"));
    of_worker.revision = revision - 1;
    news_.write_news(std::vector{of_worker}, {});
    news_.forget_news(clock_.now() + 1ms);
    EXPECT_THAT(told(), ElementsAre("node")) << "it was an earlier run";
}

}  // namespace

}  // namespace jobstrand::test
