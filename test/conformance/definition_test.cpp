#include "executor/enqueue/job_producer.hpp"
#include "test/conformance/store_test.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using schema::JobDefinition;

/// What is known of kinds of jobs, and what new jobs get from it.
class Definitions : public StoreTest {
protected:
    void set(std::string_view name, const persistence::DefinitionChange& change) {
        store_.definitions().change_definition(schema::job_definition_named(name), change);
    }

    void set_priority(std::string_view name, std::string priority) {
        set(name, [&](JobDefinition& one) { one.priority = priority; });
    }

    void set_override(std::string_view name, std::optional<std::int64_t> priority) {
        set(name, [&](JobDefinition& one) { one.override_priority = priority; });
    }

    [[nodiscard]] std::vector<std::string> names(const persistence::DefinitionFilter& filter = {}) {
        std::vector<std::string> list;
        for (const JobDefinition& one : store_.definitions().definitions(filter, "", 100)) {
            list.push_back(text_of(one.name));
        }
        return list;
    }

    [[nodiscard]] static Job of_element(std::string element) {
        return {
            .process_definition_id = "shipping:3",
            .element_id = std::move(element),
            .handler_type = "noop"};
    }

    Job enqueue(Job job) { return enqueue_by(producer_, std::move(job)); }

    Job enqueue_by(executor::JobProducer& producer, Job job) {
        return this->job(producer.enqueue({std::move(job)}).front());
    }

    [[nodiscard]] executor::JobProducer producer_on(persistence::SqlStore& store) {
        return executor::JobProducer(
            {.store = store.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
            {}
        );
    }

    RecordingIntake intake_;
    executor::WakeUps wake_ups_;
    executor::JobProducer producer_ = producer_on(store_);
};

ON_EVERY_DATABASE(Definitions);

// R031
TEST_P(Definitions, Are_found_by_their_element) {
    set_priority("shipping:3", "8");
    set_priority("shipping:3/charge", "10");
    set_priority("billing:1/charge", "10");
    set_priority("billing:1//mail", "1");
    EXPECT_THAT(names({.element = "charge"}), ElementsAre("billing:1/charge", "shipping:3/charge"));
    EXPECT_THAT(names({.type = "mail"}), ElementsAre("billing:1//mail"));
    EXPECT_THAT(
        names({.definition = "shipping:3"}), ElementsAre("shipping:3", "shipping:3/charge")
    );
}

TEST_P(Definitions, Keep_what_is_not_changed) {
    set("shipping:3", [](JobDefinition& one) {
        one.priority = "8";
        one.retry_cycle = "R5/PT5M";
        one.category = "mail-${region}";
        one.exclusive = false;
        one.override_priority = -9'223'372'036'854'775'807;
    });
    set_priority("shipping:3", "");
    const auto name = schema::job_definition_named("shipping:3");
    EXPECT_EQ(
        store_.definitions().find_definition(name).value(),
        (JobDefinition{
            .name = name,
            .retry_cycle = "R5/PT5M",
            .category = "mail-${region}",
            .exclusive = false,
            .override_priority = -9'223'372'036'854'775'807})
    );
    EXPECT_TRUE(store_.definitions().remove_definition(name));
    EXPECT_FALSE(store_.definitions().remove_definition(name));
    EXPECT_EQ(store_.definitions().find_definition(name), std::nullopt);
}

TEST_P(Definitions, A_change_that_is_refused_changes_nothing) {
    set_priority("shipping:3", "8");
    const auto refuse = [](JobDefinition& one) {
        one.priority = "9";
        throw std::invalid_argument("no");
    };
    EXPECT_THROW(set("shipping:3", refuse), std::invalid_argument);
    EXPECT_THROW(set("billing:1", refuse), std::invalid_argument);
    EXPECT_THAT(names(), ElementsAre("shipping:3"));
    EXPECT_EQ(enqueue(of_element("charge")).priority, 8);
}

TEST_P(Definitions, Names_of_any_length_and_text_are_kept_apart) {
    const std::string longer = "lieferung:ä/" + std::string(240, 'e');
    set_priority(longer, "5");
    set_priority(longer + "e", "6");
    Job job = of_element(std::string(240, 'e'));
    job.process_definition_id = "lieferung:ä";
    EXPECT_EQ(enqueue(job).priority, 5);
    job.element_id += "e";
    EXPECT_EQ(enqueue(job).priority, 6);
}

// R019, R020, R029
TEST_P(Definitions, New_jobs_get_the_priority_of_their_element_else_of_their_definition) {
    set_priority("shipping:3", "8");
    set_priority("shipping:3/charge", "100");
    EXPECT_EQ(enqueue(of_element("charge")).priority, 100);
    EXPECT_EQ(enqueue(of_element("pack")).priority, 8);
    EXPECT_EQ(enqueue({.handler_type = "noop"}).priority, 0);
    Job says = of_element("charge");
    says.priority = 3;
    EXPECT_EQ(enqueue(says).priority, 3);
}

// R011, R025, R028
TEST_P(Definitions, An_override_counts_for_new_jobs_until_it_is_cleared) {
    set_priority("shipping:3/charge", "100");
    const Job before = enqueue(of_element("charge"));
    set_override("shipping:3/charge", -10);
    const Job meanwhile = enqueue(of_element("charge"));
    set_override("shipping:3/charge", std::nullopt);
    EXPECT_EQ(meanwhile.priority, -10);
    EXPECT_EQ(enqueue(of_element("charge")).priority, 100);
    EXPECT_EQ(job(before.id).priority, 100);
    EXPECT_EQ(job(meanwhile.id).priority, -10);
}

// R069
TEST_P(Definitions, New_jobs_get_a_retry_cycle_and_the_attempts_in_it) {
    set("shipping:3/charge", [](JobDefinition& one) { one.retry_cycle = "R5/PT5M"; });
    const Job job = enqueue(of_element("charge"));
    EXPECT_EQ(job.retry_cycle, "R5/PT5M");
    EXPECT_EQ(job.retries, 5);
}

TEST_P(Definitions, New_jobs_get_the_category_that_the_text_comes_to) {
    set("shipping:3", [](JobDefinition& one) { one.category = "mail-${region}"; });
    Job order = of_element("charge");
    order.payload = R"({"region":"eu"})";
    EXPECT_EQ(enqueue(order).category, "mail-eu");
    order.category = "mine";
    EXPECT_EQ(enqueue(order).category, "mine");
}

TEST_P(Definitions, What_another_process_changes_counts_within_five_seconds) {
    set_priority("shipping:3", "8");
    Node other(*database_, faults_);
    executor::JobProducer there = producer_on(other.store());
    EXPECT_EQ(enqueue_by(there, of_element("charge")).priority, 8);
    set_priority("shipping:3", "9");
    EXPECT_EQ(enqueue_by(there, of_element("charge")).priority, 8);
    clock_.tick(persistence::kDefinitionsAge);
    EXPECT_EQ(enqueue_by(there, of_element("charge")).priority, 9);
}

TEST_P(Definitions, Are_read_in_the_transaction_of_an_app_too) {
    set_priority("shipping:3", "8");
    Node other(*database_, faults_);
    executor::JobProducer there = producer_on(other.store());
    std::string id;
    other.store().enqueuer().in_transaction(
        [&](Transaction& transaction) {
            id = there.enqueue(transaction, {of_element("charge")}).front();
        },
        {}
    );
    EXPECT_EQ(job(id).priority, 8);
}

TEST_P(Definitions, What_means_nothing_in_a_row_is_left_out) {
    set_priority("shipping:3", "8");
    execute("UPDATE ACT_RU_JOBDEF SET RETRY_CYCLE_ = 'often'");
    clock_.tick(persistence::kDefinitionsAge);
    EXPECT_EQ(enqueue(of_element("charge")).priority, 0);
}

TEST_P(Definitions, Are_recorded_when_first_seen_and_only_then) {
    executor::JobProducer recorder(
        {.store = store_.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
        {.records_definitions = true}
    );
    enqueue_by(recorder, of_element("charge"));
    enqueue_by(recorder, of_element("charge"));
    in_transaction([&](Transaction& transaction) {
        recorder.enqueue(transaction, {of_element("pack"), {.handler_type = "noop"}});
    });
    EXPECT_THAT(names(), ElementsAre("shipping:3/charge/noop", "shipping:3/pack/noop"));
    execute("DELETE FROM ACT_RU_JOBDEF");
    enqueue_by(recorder, of_element("pack"));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_P(Definitions, What_was_not_committed_is_recorded_the_next_time) {
    executor::JobProducer recorder(
        {.store = store_.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
        {.records_definitions = true}
    );
    const auto give_up = [&](Transaction& transaction) {
        recorder.enqueue(transaction, {of_element("pack")});
        throw std::runtime_error("the app gives up");
    };
    EXPECT_THROW(in_transaction(give_up), std::runtime_error);
    EXPECT_THAT(names(), IsEmpty());
    enqueue_by(recorder, of_element("pack"));
    EXPECT_THAT(names(), ElementsAre("shipping:3/pack/noop"));
}

TEST_P(Definitions, Recording_keeps_what_was_set) {
    set_priority("shipping:3/charge/noop", "8");
    executor::JobProducer recorder(
        {.store = store_.enqueuer(), .intake = intake_, .clock = clock_, .wake_ups = wake_ups_},
        {.records_definitions = true}
    );
    EXPECT_EQ(enqueue_by(recorder, of_element("charge")).priority, 8);
}

/// Overrides that reach the jobs that are there.
class OverrideCascade : public Definitions {
protected:
    std::int64_t cascade(std::string_view name, std::int64_t priority) {
        std::int64_t changed = 0;
        std::optional<persistence::OverridePosition> position{std::in_place};
        while (position) {
            const auto step = store_.definitions().override_priorities(
                schema::job_definition_named(name), priority, *position, clock_.now()
            );
            changed += step.changed;
            position = step.next;
        }
        return changed;
    }

    void insert_named(JobPlace place, const std::string& id, const std::string& element) {
        Job job = a_job(id).of_definition("shipping:3").of_element(element);
        insert(place, std::move(job));
    }
};

ON_EVERY_DATABASE(OverrideCascade);

// R011, R026
TEST_P(OverrideCascade, Changes_the_jobs_of_the_definition_in_all_places) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        insert_named(place, id, "charge");
        insert_named(place, id + "-pack", "pack");
    }
    EXPECT_EQ(cascade("shipping:3/charge", -10), 5);
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        EXPECT_EQ(job(id).priority, -10) << id;
        EXPECT_EQ(job(id + "-pack").priority, 0) << id;
    }
    EXPECT_EQ(cascade("shipping:3/charge", -10), 0);
    EXPECT_EQ(cascade("shipping:3//noop", 3), 10);
    EXPECT_EQ(cascade("shipping:3//mail", 4), 0);
    EXPECT_EQ(cascade("shipping:4", 4), 0);
}

// R027
TEST_P(OverrideCascade, Leaves_alone_what_a_node_holds) {
    Job job = a_job("held").of_definition("shipping:3");
    const Job held = insert_and_acquire(std::move(job));
    insert_named(JobPlace::executable, "free", "charge");
    EXPECT_EQ(cascade("shipping:3", 7), 1);
    EXPECT_EQ(this->job("held").priority, 0);
    expect_done(completed_outcome(held));
}

TEST_P(OverrideCascade, A_claim_of_the_same_time_is_not_lost) {
    insert_named(JobPlace::executable, "a", "charge");
    EXPECT_EQ(cascade("shipping:3", 7), 1);
    const auto taken = acquire();
    ASSERT_THAT(ids_of(taken), ElementsAre("a"));
    EXPECT_EQ(taken.front().priority, 7);
}

TEST_P(OverrideCascade, Goes_on_page_by_page_and_from_the_beginning_after_a_stop) {
    insert(many_jobs("m", 1500, a_job("").of_definition("shipping:3")));
    const auto name = schema::job_definition_named("shipping:3");
    const persistence::OverridePosition begin{.place = JobPlace::executable};
    const auto first = store_.definitions().override_priorities(name, 9, begin, clock_.now());
    EXPECT_EQ(first.changed, 1000);
    ASSERT_TRUE(first.next);
    EXPECT_EQ(first.next->place, JobPlace::executable);
    EXPECT_EQ(cascade("shipping:3", 9), 500);
}

/// What is suspended beside whole instances and definitions.
class KindSuspensions : public StoreTest {
protected:
    [[nodiscard]] static Job of_element(std::string id, std::string element) {
        Job job = a_job(std::move(id)).of_definition("shipping:3").of_element(std::move(element));
        return job;
    }

    [[nodiscard]] static Job of_tenant(std::string id, std::string tenant) {
        return a_job(std::move(id)).of_tenant(std::move(tenant));
    }

    [[nodiscard]] std::vector<std::string> scopes_that_keep(std::string_view id) {
        std::vector<std::string> ids;
        for (const persistence::Suspension& one : store_.jobs().suspensions_of(job(id))) {
            ids.push_back(one.id);
        }
        return ids;
    }
};

ON_EVERY_DATABASE(KindSuspensions);

// R034
TEST_P(KindSuspensions, Only_the_jobs_of_an_element_are_suspended_new_ones_too) {
    insert(of_element("charge", "charge"));
    insert(of_element("pack", "pack"));
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge"), 1);
    insert(of_element("new", "charge"));
    EXPECT_THAT(places_of({"charge", "new"}), ElementsAre("suspended", "suspended"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("pack"));
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("shipping:3/charge"));
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 2);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("charge", "new"));
}

TEST_P(KindSuspensions, Only_the_jobs_of_a_handler_type_are_suspended) {
    insert(of_element("a", "charge"));
    Job mail = of_element("b", "charge");
    mail.handler_type = "mail";
    insert(JobPlace::timer, mail);
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3//mail"), 1);
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("executable", "suspended"));
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge/noop"), 1);
}

TEST_P(KindSuspensions, A_job_that_runs_is_not_disturbed_and_its_retry_lands_suspended) {
    const Job running = insert_and_acquire(of_element("charge", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge"), 0);
    expect_done(failed_outcome(running));
    EXPECT_EQ(place_of("charge"), "suspended");
    EXPECT_EQ(job("charge").retries, running.retries - 1);
}

TEST_P(KindSuspensions, The_jobs_of_a_tenant_are_suspended_new_ones_too) {
    insert(of_tenant("a", "acme"));
    insert(of_tenant("b", "other"));
    const Job running = insert_and_acquire(of_tenant("r", "acme"), "node-2");
    EXPECT_EQ(suspend(SuspensionScope::tenant, "acme"), 1);
    insert(of_tenant("new", "acme"));
    EXPECT_EQ(place_of("new"), "suspended");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
    EXPECT_THAT(apply({failed_outcome(running)}, "node-2"), ElementsAre(OutcomeAnswer::done));
    EXPECT_EQ(place_of("r"), "suspended");
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("acme"));
    EXPECT_EQ(activate(SuspensionScope::tenant, "acme"), 3);
}

TEST_P(KindSuspensions, Tenants_are_listed_with_their_jobs) {
    insert(of_tenant("a", "acme"));
    suspend(SuspensionScope::tenant, "acme");
    const auto tenants = store_.jobs().scopes(SuspensionScope::tenant, "", 10);
    ASSERT_EQ(tenants.size(), 1U);
    EXPECT_EQ(tenants.front().id, "acme");
    EXPECT_TRUE(tenants.front().suspended_since);
    EXPECT_EQ(tenants.front().jobs.at(JobPlace::suspended), 1);
}

TEST_P(KindSuspensions, New_jobs_of_a_definition_wait_while_those_that_are_there_go_on) {
    insert(of_element("old", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::new_of_definition, "shipping:3"), 0);
    insert(of_element("new", "charge"));
    const auto taken = acquire();
    EXPECT_THAT(ids_of(taken), ElementsAre("old"));
    expect_done(failed_outcome(taken.front()));
    EXPECT_THAT(places_of({"old", "new"}), ElementsAre("timer", "suspended"));
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 1);
    insert(of_element("newer", "charge"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("new", "newer"));
}

TEST_P(KindSuspensions, New_jobs_of_an_element_wait_while_those_that_are_there_go_on) {
    constexpr auto kNewOnly = SuspensionScope::new_of_job_definition;
    insert(of_element("old", "charge"));
    EXPECT_EQ(suspend(kNewOnly, "shipping:3/charge"), 0);
    insert(of_element("new", "charge"));
    insert(of_element("other", "pack"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("old", "other"));
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("shipping:3/charge"));
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 1);
    insert(of_element("newer", "charge"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("new", "newer"));
}

TEST_P(KindSuspensions, A_single_job_waits_until_it_is_activated) {
    insert(a_job("a"));
    insert(of_element("b", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::job, "a"), 1);
    EXPECT_EQ(suspend(SuspensionScope::job, "b"), 1);
    EXPECT_THAT(scopes_that_keep("a"), ElementsAre("a"));
    suspend(SuspensionScope::definition, "shipping:3");
    EXPECT_EQ(activate(SuspensionScope::job, "b"), 0);
    EXPECT_EQ(activate(SuspensionScope::job, "a"), 1);
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 1);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "b"));
}

TEST_P(KindSuspensions, What_is_suspended_twice_waits_for_both) {
    insert(of_element("a", "charge"));
    suspend(SuspensionScope::job_definition, "shipping:3/charge");
    suspend(SuspensionScope::definition, "shipping:3");
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 0);
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 1);
}

}  // namespace

}  // namespace jobstrand::test
