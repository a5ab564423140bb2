#include "test/conformance/workers/worker_fixture.hpp"

#include <thread>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ExternalAcquisition : public WorkerTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ExternalAcquisition,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
    insert(JobPlace::executable, a_job("b").of_type("invoice"));
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_THAT(take(), IsEmpty());
}

TEST_P(ExternalAcquisition, Tenant_scope_and_instance_choose) {
    Job of_tenant = an_external_job("a");
    of_tenant.tenant_id = "acme";
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
    (void)store_.jobs().suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    expect_kept("suspended");
    (void)store_.jobs().activate(persistence::SuspensionScope::instance, "i", clock_.now());
    clock_.tick(2min);
    (void)store_.timers().move_due_timers(clock_.now(), 10, claim_of("node-1"), noop_);
    expect_kept("external");
    (void)take_one();
    (void)fail("w-1", {{.id = "a"}}, {.message = "no", .retryable = false});
    expect_kept("dead");
    const std::vector<std::string> ids{"a"};
    (void)store_.jobs().requeue(ids, 3, {}, clock_.now());
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
    (void)store_.jobs().suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    const std::vector<HeldJob> back{{.id = "a"}};
    EXPECT_THAT(
        store_.workers().release_external("w-1", back, clock_.now()),
        ElementsAre(WorkerAnswer::done)
    );
    EXPECT_THAT(ids_of(take()), ElementsAre("b"));
    EXPECT_EQ(place_of("a"), "suspended");
    (void)store_.jobs().activate(persistence::SuspensionScope::instance, "i", clock_.now());
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
    insert(JobPlace::executable, a_job("b").of_instance("i"));
    (void)take_one("w-1");
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("b")));
    EXPECT_THAT(complete("w-1", {{.id = "a"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
}

// R082
TEST_P(ExternalAcquisition, A_worker_waits_for_the_node_that_has_an_exclusive_job_of_the_instance) {
    insert(JobPlace::executable, a_job("b").of_instance("i"));
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
    std::vector<Job> jobs{an_external_job("a"), an_external_job("b"), an_external_job("c")};
    jobs[0].tenant_id = "acme";
    jobs[1].tenant_id = "umbra";
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
    EXPECT_THAT(complete("w-1", held), testing::Each(WorkerAnswer::done));
}

}  // namespace

}  // namespace jobstrand::test
