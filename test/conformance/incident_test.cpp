#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

/// Dead letters that have to be looked at.
class Incidents : public StoreTest {
protected:
    std::vector<Incident> open(std::string job = {}) {
        return store_.history().incidents({.is_open = true, .job = std::move(job)}, {}, 1'000);
    }
    std::vector<Incident> resolved(std::string job = {}) {
        return store_.history().incidents({.is_open = false, .job = std::move(job)}, {}, 1'000);
    }

    /// Runs the job, which fails for the last time.
    void make_dead(Job job) {
        job.retries = 1;
        const Job held = insert_and_acquire(std::move(job));
        expect_done(failed_outcome(held, {.message = "no network"}));
    }
};

ON_EVERY_DATABASE(Incidents);

// R065
TEST_P(Incidents, Retries_that_are_used_up_open_one_which_is_found_by_its_job) {
    make_dead(a_job("a").of_instance("instance").of_definition("definition").of_tenant("tenant"));
    const auto found = open("a");
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(
        found.front(),
        (Incident{
            .id = found.front().id,
            .job = "a",
            .time = clock_.now(),
            .type = "failedJob",
            .cause = "retries_exhausted",
            .message = "no network",
            .handler_type = "noop",
            .process_instance_id = "instance",
            .process_definition_id = "definition",
            .tenant_id = "tenant",
            .node = "node-1",
            .cause_id = found.front().id,
            .root_cause_id = found.front().id})
    );
    EXPECT_EQ(store_.history().count_open_incidents(), 1);
    EXPECT_THAT(open("b"), IsEmpty());
}

TEST_P(Incidents, Those_of_all_instances_of_a_hierarchy_are_found_by_its_root_also_later) {
    make_dead(a_job("called").of_instance("order-17/payment").under_root("order-17"));
    make_dead(a_job("deeper").of_instance("order-17/payment/card").under_root("order-17"));
    make_dead(a_job("another").of_instance("order-18/payment").under_root("order-18"));
    const auto of_root = [this](bool is_open) {
        std::vector<std::string> jobs;
        for (const Incident& incident : store_.history().incidents(
                 {.is_open = is_open, .root_process_instance_id = "order-17"}, {}, 1'000
             )) {
            EXPECT_EQ(incident.root_process_instance_id, "order-17");
            jobs.push_back(incident.job);
        }
        return jobs;
    };
    EXPECT_THAT(of_root(true), UnorderedElementsAre("called", "deeper"));
    ASSERT_THAT(requeue({"called"}, 3), ElementsAre(JobAnswer::done));
    EXPECT_THAT(of_root(true), ElementsAre("deeper"));
    EXPECT_THAT(of_root(false), ElementsAre("called"));
}

// As Camunda's createRecursiveIncidents, but that here none of them is stored.
TEST_P(Incidents, Each_calling_instance_has_one_too_which_says_where_it_comes_from) {
    Job job = a_job("a")
                  .of_instance("order/payment/card")
                  .under_root("order")
                  .of_definition("card:1")
                  .of_element("charge");
    job.calling_instances = "order/payment";
    make_dead(job);
    make_dead(a_job("another").of_instance("order/pay").under_root("other"));
    const auto of = [this](std::string instance, bool is_open = true) {
        const auto found = store_.history().incidents(
            {.is_open = is_open, .process_instance_id = std::move(instance)}, {}, 1'000
        );
        EXPECT_THAT(found, SizeIs(1));
        return found.empty() ? Incident{} : found.front();
    };
    const Incident own = of("order/payment/card");
    EXPECT_EQ(own.cause_id, own.id);
    EXPECT_EQ(own.root_cause_id, own.id);
    EXPECT_EQ(own.cause_instance, "");
    Incident caller = own;
    caller.id = own.id + ".1";
    caller.process_instance_id = "order/payment";
    caller.process_definition_id.clear();
    caller.element_id.clear();
    caller.cause_instance = "order/payment/card";
    caller.root_cause_instance = "order/payment/card";
    EXPECT_EQ(of("order/payment"), caller);
    Incident root = caller;
    root.id = own.id + ".2";
    root.process_instance_id = "order";
    root.cause_id = caller.id;
    root.cause_instance = "order/payment";
    EXPECT_EQ(of("order"), root);
    EXPECT_THAT(open(), SizeIs(2)) << "who asks for no instance gets each once";
    EXPECT_EQ(store_.history().count_open_incidents(), 2);

    ASSERT_THAT(requeue({"a"}, 3), ElementsAre(JobAnswer::done));
    EXPECT_THAT(store_.history().incidents({.process_instance_id = "order"}, {}, 1'000), IsEmpty());
    EXPECT_EQ(of("order", false).root_cause_id, own.id);
    EXPECT_EQ(of("order", false).resolution, "requeued");
}

TEST_P(Incidents, An_instance_is_found_among_the_calling_ones_by_its_whole_name_alone) {
    Job job = a_job("a").of_instance("card");
    job.calling_instances = "order-1%\nOrder'2\npay_ment";
    make_dead(job);
    for (const char* const instance : {"order-1%", "Order'2", "pay_ment", "card"}) {
        EXPECT_THAT(store_.history().incidents({.process_instance_id = instance}, {}, 9), SizeIs(1))
            << instance;
    }
    for (const char* const instance : {"order-1", "order-1x", "order'2", "payxment", "pay", "%"}) {
        EXPECT_THAT(store_.history().incidents({.process_instance_id = instance}, {}, 9), IsEmpty())
            << instance;
    }
}

TEST_P(Incidents, Those_of_a_calling_instance_are_listed_page_by_page) {
    for (const char* const id : {"a", "b", "c"}) {
        Job job = a_job(id).of_instance(std::string("card-") + id);
        job.calling_instances = "order";
        make_dead(job);
    }
    const auto ids_behind = [this](bool is_open, std::string_view behind) {
        std::vector<std::string> jobs;
        std::string last;
        for (const Incident& incident : store_.history().incidents(
                 {.is_open = is_open, .process_instance_id = "order"}, behind, 2
             )) {
            jobs.push_back(incident.job);
            last = incident.id;
        }
        jobs.push_back(last);
        return jobs;
    };
    EXPECT_THAT(ids_behind(true, "b"), ElementsAre("c", testing::EndsWith(".1")));
    const std::vector<std::string> ids{"a", "b", "c"};
    (void)store_.history().resolve_incidents(ids, clock_.now());
    const auto first = ids_behind(false, {});
    ASSERT_THAT(first, SizeIs(3));
    EXPECT_THAT(ids_behind(false, first.back()), SizeIs(2)) << "the third, and none twice";
}

TEST_P(Incidents, A_failure_with_retries_left_opens_none) {
    const Job held = insert_and_acquire(a_job("a"));
    expect_done(failed_outcome(held, {.message = "no network"}));
    EXPECT_THAT(open(), IsEmpty());
}

// R066
TEST_P(Incidents, None_is_opened_where_they_are_switched_off) {
    Node without = node_with({.incidents = false});
    const Job held = insert_and_acquire(a_job("a").with_retries(1));
    const auto outcome = failed_outcome(held, {.message = "no network"});
    ASSERT_THAT(
        without.store().executor().apply("node-1", std::vector{outcome}),
        ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_THAT(open(), IsEmpty());
}

// R065
TEST_P(Incidents, A_requeue_resolves_it_and_its_job_finds_it_in_the_past) {
    make_dead(a_job("a"));
    const Incident before = open("a").front();
    const std::vector<std::string> ids{"a"};
    EXPECT_THAT(
        store_.history().annotate_incidents(ids, "anna calls"), ElementsAre(JobAnswer::done)
    );
    clock_.tick(1h);
    ASSERT_THAT(requeue(ids, 3), ElementsAre(JobAnswer::done));
    EXPECT_THAT(open(), IsEmpty());
    Incident after = before;
    after.annotation = "anna calls";
    after.end = clock_.now();
    after.resolution = "requeued";
    EXPECT_THAT(resolved("a"), ElementsAre(after));
}

TEST_P(Incidents, A_job_that_dies_again_has_a_new_one) {
    make_dead(a_job("a"));
    const std::vector<std::string> ids{"a"};
    for (int i = 0; i < 2; ++i) {
        ASSERT_THAT(requeue(ids, 1), ElementsAre(JobAnswer::done));
        clock_.tick(1min);
        const auto held = acquire(1);
        ASSERT_THAT(held, SizeIs(1));
        apply({failed_outcome(held.front(), {.message = "again"})});
    }
    EXPECT_THAT(open("a"), ElementsAre(Field(&Incident::message, "again")));
    EXPECT_THAT(
        resolved("a"),
        ElementsAre(Field(&Incident::message, "again"), Field(&Incident::message, "no network"))
    );
}

TEST_P(Incidents, A_removal_resolves_it) {
    make_dead(a_job("a"));
    remove(JobPlace::dead_letter, {"a"});
    EXPECT_THAT(open(), IsEmpty());
    EXPECT_THAT(resolved("a"), ElementsAre(Field(&Incident::resolution, "removed")));
}

TEST_P(Incidents, One_is_resolved_by_hand_and_its_dead_letter_stays) {
    make_dead(a_job("a"));
    const std::vector<std::string> ids{"a", "b"};
    EXPECT_THAT(
        store_.history().resolve_incidents(ids, clock_.now()),
        ElementsAre(JobAnswer::done, JobAnswer::not_found)
    );
    EXPECT_THAT(open(), IsEmpty());
    EXPECT_THAT(resolved("a"), ElementsAre(Field(&Incident::resolution, "by hand")));
    EXPECT_EQ(place_of("a"), "dead");
    requeue({"a"}, 3);
    EXPECT_THAT(resolved("a"), SizeIs(1));
}

TEST_P(Incidents, Setting_retries_to_0_opens_one_and_cancelling_does_not) {
    insert(many_jobs("job", 2));
    const std::vector<std::string> given_up{"job000"};
    const std::vector<std::string> cancelled{"job001"};
    (void)store_.jobs().change_all(
        JobPlace::executable,
        given_up,
        {.fields = {schema::set_to(&Job::retries, 0)}, .due_date = {}},
        clock_.now()
    );
    (void)store_.jobs().cancel(JobPlace::executable, cancelled, "no", clock_.now());
    EXPECT_THAT(
        open(),
        ElementsAre(AllOf(Field(&Incident::job, "job000"), Field(&Incident::cause, "given_up")))
    );
}

TEST_P(Incidents, A_thousand_dead_letters_are_requeued_and_resolved_with_a_few_statements) {
    std::vector<Job> jobs = many_jobs("job", 1'000, a_job("").with_retries(1));
    insert(jobs);
    std::vector<Outcome> outcomes;
    for (const Job& job : acquire(1'000)) {
        outcomes.push_back(failed_outcome(job));
    }
    apply(outcomes);
    EXPECT_EQ(store_.history().count_open_incidents(), 1'000);
    const auto answers = requeue(ids_of(jobs), 3);
    EXPECT_THAT(answers, Each(JobAnswer::done));
    EXPECT_EQ(count_rows("ACT_RU_INCIDENT"), 0);
    EXPECT_EQ(count_rows("ACT_HI_INCIDENT"), 1'000);
}

TEST_P(Incidents, One_whose_dead_letter_somebody_took_away_makes_room_for_the_next) {
    make_dead(a_job("a"));
    (void)store_.history().annotate_incidents(std::vector<std::string>{"a"}, "old");
    execute("DELETE FROM ACT_RU_DEADLETTER_JOB");
    clock_.tick(1min);
    make_dead(a_job("a"));
    const auto found = open("a");
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().time, clock_.now());
    EXPECT_EQ(found.front().annotation, "");
}

TEST_P(Incidents, Who_listens_is_told_after_the_commit) {
    std::vector<std::string> told;
    Node listening(
        *database_,
        faults_,
        schema::ExclusiveOver::instance,
        {},
        [&](const Incident& incident) {
            EXPECT_EQ(place_of(incident.job), "dead");
            told.push_back(incident.job);
        }
    );
    const Job held = insert_and_acquire(a_job("a").with_retries(1));
    const auto outcome = failed_outcome(held);
    (void)listening.store().executor().apply("node-1", std::vector{outcome});
    EXPECT_THAT(told, ElementsAre("a"));
    EXPECT_EQ(listening.store().history_book().opened, 1);
}

TEST_P(Incidents, An_app_is_told_by_a_job_of_the_same_transaction_and_of_its_death_by_none) {
    Node telling = node_with({.incident_target = "ops"});
    const auto fail_for_good = [&](const Job& job) {
        return telling.store().executor().apply(
            "node-1",
            std::vector{failed_outcome(job, {.message = "say \"no\"\n", .retryable = false})}
        );
    };
    ASSERT_THAT(fail_for_good(insert_and_acquire(a_job("a"))), ElementsAre(OutcomeAnswer::done));
    const std::vector<std::string> http{"http"};
    auto notices = store_.executor().acquire(claim_of("node-1"), http, 10);
    ASSERT_THAT(notices, SizeIs(1));
    EXPECT_EQ(
        notices.front().payload,
        R"({"target":"ops","event":"incidents","count":1,"incidents":[{"id":")" +
            open("a").front().id +
            R"(","jobId":"a","time":"2026-01-01T00:00:00.000Z","cause":"not_retryable",)"
            R"("handlerType":"noop","message":"say \"no\"\u000a"}]})"
    );
    ASSERT_THAT(fail_for_good(notices.front()), ElementsAre(OutcomeAnswer::done));
    EXPECT_THAT(open(), SizeIs(2));
    EXPECT_THAT(store_.executor().acquire(claim_of("node-1"), http, 10), IsEmpty());
}

TEST_P(Incidents, A_notice_of_many_is_one_job) {
    Node telling = node_with({.incident_target = "ops"});
    insert(many_jobs("job", 150));
    std::vector<Outcome> outcomes;
    for (const Job& job : acquire(150)) {
        outcomes.push_back(failed_outcome(job, {.message = "no", .retryable = false}));
    }
    (void)telling.store().executor().apply("node-1", outcomes);
    const auto notices =
        store_.executor().acquire(claim_of("node-1"), std::vector<std::string>{"http"}, 10);
    ASSERT_THAT(notices, SizeIs(1));
    EXPECT_THAT(notices.front().payload, HasSubstr(R"("count":150,)"));
    EXPECT_THAT(notices.front().payload, HasSubstr(R"("jobId":"job099")"));
    EXPECT_THAT(notices.front().payload, testing::Not(HasSubstr(R"("jobId":"job100")")));
}

TEST_P(Incidents, Resolved_ones_are_forgotten_when_they_are_old) {
    make_dead(a_job("a"));
    requeue({"a"}, 3);
    make_dead(a_job("b"));
    EXPECT_EQ(store_.history().clean_incidents({.before = clock_.now(), .rows = {}}).removed, 0);
    clock_.tick(1h);
    EXPECT_EQ(store_.history().clean_incidents({.before = clock_.now(), .rows = {}}).removed, 1);
    EXPECT_THAT(open(), SizeIs(1));
}

}  // namespace

}  // namespace jobstrand::test
