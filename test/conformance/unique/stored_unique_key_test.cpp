#include "persistence/sql/db_error.hpp"
#include "test/conformance/unique/unique_fixture.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What becomes of a new job whose unique key another job has (B8).
class UniqueKey : public UniqueTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UniqueKey,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// B8
TEST_P(UniqueKey, A_second_job_is_rejected_and_told_who_has_the_key) {
    EXPECT_EQ(enqueue(a_job("a").with_key("k")), (Enqueued{.id = "a"}));
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    EXPECT_EQ(place_of("b"), "nowhere");
    EXPECT_EQ(job("a").unique_key, "k");
    EXPECT_EQ(owner_of("k"), "a");
}

// B8
TEST_P(UniqueKey, A_second_job_is_not_added_when_the_first_is_to_be_kept) {
    (void)enqueue(a_job("a").with_key("k").with_payload("first"));
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), kKeep), (Enqueued{.id = "a", .is_added = false}));
    EXPECT_EQ(place_of("b"), "nowhere");
    EXPECT_EQ(job("a").payload, "first");
}

// B8
TEST_P(UniqueKey, A_waiting_job_makes_room_for_one_that_replaces_it) {
    (void)enqueue(a_job("a").with_key("k").with_payload(std::string(5000, 'p')));
    const auto due = clock_.now() + 1h;
    EXPECT_EQ(
        enqueue(a_job("b").with_key("k").with_priority(7).due_at(due), kReplace),
        (Enqueued{.id = "b", .is_added = true, .replaced = "a"})
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("b").priority, 7);
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0) << "its payload goes with it";
    EXPECT_EQ(owner_of("k"), "b");
    EXPECT_THAT(refusal_of(a_job("c").with_key("k")), HasSubstr("job b has"));
}

TEST_P(UniqueKey, A_job_makes_room_wherever_it_waits) {
    store_.jobs().suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    (void)enqueue(a_job("timer").with_key("1").due_at(clock_.now() + 1h));
    (void)enqueue(a_job("external").with_key("2").of_kind(schema::kExternalWorkerType));
    (void)enqueue(a_job("suspended").with_key("3").of_instance("i"));
    for (const auto& [key, old] :
         {std::pair{"1", "timer"}, {"2", "external"}, {"3", "suspended"}}) {
        EXPECT_EQ(place_of(old), old);
        EXPECT_EQ(enqueue(a_job(std::string("new") + key).with_key(key), kReplace).replaced, old);
        EXPECT_EQ(place_of(old), "nowhere");
    }
}

// A running job cannot be replaced: its run goes on, and with it what it does.
TEST_P(UniqueKey, A_running_job_is_not_replaced) {
    (void)enqueue(a_job("a").with_key("k"));
    ASSERT_THAT(ids_of(acquire()), ElementsAre("a"));
    EXPECT_THAT(
        refusal_of(a_job("b").with_key("k"), kReplace),
        "job a has the unique key k, and is running or being changed: it cannot be replaced"
    );
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(owner_of("k"), "a");
}

TEST_P(UniqueKey, A_job_whose_lock_is_over_is_not_running) {
    (void)enqueue(a_job("a").with_key("k"));
    ASSERT_THAT(ids_of(acquire()), ElementsAre("a"));
    clock_.tick(1h);
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), kReplace).replaced, "a");
}

// B8
TEST_P(UniqueKey, A_key_may_be_held_for_a_period_whatever_becomes_of_its_job) {
    const KeyRule hour{.on_duplicate = OnDuplicate::reject, .period = 1h};
    (void)enqueue(a_job("a").with_key("k"), hour);
    complete("a");
    clock_.tick(59min);
    EXPECT_THAT(
        refusal_of(a_job("b").with_key("k"), hour), HasSubstr("job a has the unique key k")
    );
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), kKeep), (Enqueued{.id = "a", .is_added = false}));
    EXPECT_THAT(
        refusal_of(a_job("b").with_key("k"), kReplace), HasSubstr("there is nothing to be replaced")
    );
    clock_.tick(1min);
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), hour), (Enqueued{.id = "b"}));
}

TEST_P(UniqueKey, A_period_ends_although_its_job_is_still_open) {
    (void)enqueue(a_job("a").with_key("k"), {.period = 1h});
    clock_.tick(1h);
    EXPECT_EQ(enqueue(a_job("b").with_key("k")), (Enqueued{.id = "b"}));
    complete("a");
    EXPECT_EQ(owner_of("k"), "b") << "the end of the first one frees nothing";
}

TEST_P(UniqueKey, A_waiting_job_is_replaced_within_its_period_which_begins_anew) {
    (void)enqueue(a_job("a").with_key("k"), {.period = 1h});
    clock_.tick(30min);
    const KeyRule again{.on_duplicate = OnDuplicate::replace, .period = 1h};
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), again).replaced, "a");
    EXPECT_EQ(store_.jobs().key_owner("k")->until, clock_.now() + 1h);
}

TEST_P(UniqueKey, Keys_are_compared_exactly) {
    const std::vector<std::string> keys{"k", "K", "k k", " k", "ķ", "鍵", "k\tk", "%", "'"};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::string id = "j" + std::to_string(i);
        EXPECT_TRUE(enqueue(a_job(id).with_key(keys[i])).is_added) << keys[i];
        EXPECT_EQ(job(id).unique_key, keys[i]);
        EXPECT_EQ(owner_of(keys[i]), id);
    }
    EXPECT_TRUE(enqueue(a_job("long").with_key(std::string(255, 'x'))).is_added);
}

TEST_P(UniqueKey, Jobs_without_a_key_write_no_row) {
    insert(JobPlace::executable, many_jobs("j", 3));
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// So that it can still be replaced.
TEST_P(UniqueKey, A_job_with_a_key_is_stored_free_and_acquisition_is_woken) {
    bool is_woken = false;
    wake_ups_.sleepers.acquisition = [&] { is_woken = true; };
    (void)enqueue(a_job("a").of_type("mail").with_key("k"));
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "");
    EXPECT_TRUE(is_woken);
}

TEST_P(UniqueKey, A_list_is_as_if_its_jobs_came_one_after_the_other) {
    const std::vector<Enqueued> enqueued = enqueue({
        {.job = a_job("a").with_key("k"), .rule = kReject},
        {.job = a_job("plain"), .rule = {}},
        {.job = a_job("b").with_key("k"), .rule = kKeep},
        {.job = a_job("c").with_key("other"), .rule = kReplace},
        {.job = a_job("d").with_key("other"), .rule = kReplace},
    });
    EXPECT_THAT(
        enqueued,
        ElementsAre(
            Enqueued{.id = "a"},
            Enqueued{.id = "plain"},
            Enqueued{.id = "a", .is_added = false},
            Enqueued{.id = "d", .is_added = false},
            Enqueued{.id = "d"}
        )
    );
    EXPECT_EQ(place_of("b"), "nowhere");
    EXPECT_EQ(place_of("c"), "nowhere");
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 3);
    EXPECT_EQ(
        refusal_of(
            {{.job = a_job("x").with_key("x"), .rule = {}},
             {.job = a_job("y").with_key("x"), .rule = {}}}
        ),
        "the unique key x is there twice"
    );
    EXPECT_THAT(
        refusal_of(
            {{.job = a_job("e").with_key("k"), .rule = kReject},
             {.job = a_job("f").with_key("k"), .rule = kReplace}}
        ),
        HasSubstr("job a has")
    );
}

TEST_P(UniqueKey, One_key_that_is_held_keeps_all_of_its_list_out) {
    (void)enqueue(a_job("a").with_key("k"));
    EXPECT_THAT(
        refusal_of(
            {{.job = a_job("b").with_key("fresh"), .rule = {}},
             {.job = a_job("c").with_key("k"), .rule = {}}}
        ),
        HasSubstr("job a has")
    );
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
    EXPECT_EQ(count_rows("JS_UNIQUE"), 1);
}

// The app may go on after the refusal, and must not commit the keys of jobs that are not there.
TEST_P(UniqueKey, A_refusal_leaves_nothing_in_the_transaction_of_the_app) {
    (void)enqueue(a_job("a").with_key("k"));
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            const KeyRule year{.period = 24h * 365};
            EXPECT_THROW(
                (void)producer_.enqueue_unique(
                    transaction,
                    {{.job = a_job("b").with_key("fresh"), .rule = year},
                     {.job = a_job("c").with_key("k"), .rule = {}}}
                ),
                persistence::KeyHeld
            );
        },
        {}
    );
    EXPECT_EQ(owner_of("fresh"), "");
    EXPECT_TRUE(enqueue(a_job("b").with_key("fresh")).is_added);
}

TEST_P(UniqueKey, What_a_transaction_has_enqueued_it_may_replace) {
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            (void
            )producer_.enqueue_unique(transaction, {{.job = a_job("a").with_key("k"), .rule = {}}});
            EXPECT_EQ(
                producer_
                    .enqueue_unique(
                        transaction, {{.job = a_job("b").with_key("k"), .rule = kReplace}}
                    )
                    .front()
                    .replaced,
                "a"
            );
        },
        {}
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(owner_of("k"), "b");
}

TEST_P(UniqueKey, Thousands_of_keys_are_taken_at_once_and_again_when_their_period_is_over) {
    std::vector<UniqueJob> jobs;
    for (int i = 0; i < 2500; ++i) {
        const std::string number = std::to_string(i);
        jobs.push_back({.job = a_job("a" + number).with_key("k" + number), .rule = {.period = 1h}});
    }
    (void)enqueue(jobs);
    EXPECT_EQ(count_rows("JS_UNIQUE"), 2500);
    for (UniqueJob& unique : jobs) {
        unique.job.id.front() = 'b';
        unique.rule.on_duplicate = OnDuplicate::keep;
    }
    EXPECT_FALSE(enqueue(jobs).at(1234).is_added);
    clock_.tick(1h);
    EXPECT_EQ(enqueue(jobs).at(1234), (Enqueued{.id = "b1234"}));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 5000);
    EXPECT_EQ(owner_of("k1234"), "b1234");
}

// I9
TEST_P(UniqueKey, A_commit_whose_answer_is_lost_adds_the_job_once) {
    for (const FaultPoint lost : {FaultPoint::after_commit, FaultPoint::before_commit}) {
        const std::string id = lost == FaultPoint::after_commit ? "done" : "undone";
        faults_.add({.point = lost, .kind = persistence::DbErrorKind::in_doubt});
        EXPECT_EQ(enqueue(a_job(id).with_key(id)), (Enqueued{.id = id}));
        EXPECT_EQ(place_of(id), "executable");
        EXPECT_EQ(owner_of(id), id);
    }
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
}

TEST_P(UniqueKey, Keys_whose_period_is_over_are_forgotten_part_by_part) {
    std::vector<UniqueJob> jobs;
    for (int i = 0; i < 10; ++i) {
        const KeyRule rule = i % 2 == 0 ? KeyRule{.period = 1h} : KeyRule{};
        jobs.push_back(
            {.job = a_job("j" + std::to_string(i)).with_key("k" + std::to_string(i)), .rule = rule}
        );
    }
    (void)enqueue(jobs);
    EXPECT_EQ(store_.executor().remove_expired_keys({.now = clock_.now()}).removed, 0);
    clock_.tick(2h);
    const auto first = store_.executor().remove_expired_keys({.now = clock_.now(), .rows = 6});
    EXPECT_EQ(first.removed, 3);
    EXPECT_EQ(first.end, "k5");
    const auto rest =
        store_.executor().remove_expired_keys({.now = clock_.now(), .after = first.end, .rows = 6});
    EXPECT_EQ(rest.removed, 2);
    EXPECT_EQ(rest.end, "");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 5) << "those of open jobs stay";
}

}  // namespace

}  // namespace jobstrand::test
