#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "test/conformance/unique_fixture.hpp"

#include <fstream>
#include <sstream>

namespace jobstrand::test {

namespace {

/// What becomes of a new job whose unique key another job has (B8).
class UniqueKey : public UniqueTest {};

ON_EVERY_DATABASE(UniqueKey);

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
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("nowhere", "timer"));
    EXPECT_EQ(job("b").priority, 7);
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0) << "its payload goes with it";
    EXPECT_EQ(owner_of("k"), "b");
    EXPECT_THAT(refusal_of(a_job("c").with_key("k")), HasSubstr("job b has"));
}

TEST_P(UniqueKey, A_job_makes_room_wherever_it_waits) {
    suspend(SuspensionScope::instance, "i");
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
    insert(many_jobs("j", 3));
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
    EXPECT_THAT(places_of({"b", "c"}), ElementsAre("nowhere", "nowhere"));
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
    in_transaction([&](Transaction& transaction) {
        const KeyRule year{.period = 24h * 365};
        EXPECT_THROW(
            (void)producer_.enqueue_unique(
                transaction,
                {{.job = a_job("b").with_key("fresh"), .rule = year},
                 {.job = a_job("c").with_key("k"), .rule = {}}}
            ),
            persistence::KeyHeld
        );
    });
    EXPECT_EQ(owner_of("fresh"), "");
    EXPECT_TRUE(enqueue(a_job("b").with_key("fresh")).is_added);
}

TEST_P(UniqueKey, What_a_transaction_has_enqueued_it_may_replace) {
    in_transaction([&](Transaction& transaction) {
        (void
        )producer_.enqueue_unique(transaction, {{.job = a_job("a").with_key("k"), .rule = {}}});
        EXPECT_EQ(
            producer_
                .enqueue_unique(transaction, {{.job = a_job("b").with_key("k"), .rule = kReplace}})
                .front()
                .replaced,
            "a"
        );
    });
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
        faults_.add({.point = lost, .kind = DbErrorKind::in_doubt});
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

/// How long a job has its unique key (B8).
class UniqueKeyEnd : public UniqueTest {
protected:
    UniqueKeyEnd() = default;

    void SetUp() override {
        UniqueTest::SetUp();
        (void)enqueue(a_job("a").with_key("k"));
    }
};

ON_EVERY_DATABASE(UniqueKeyEnd);

TEST_P(UniqueKeyEnd, A_job_that_has_succeeded_frees_its_key_in_the_same_transaction) {
    complete("a");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    EXPECT_TRUE(enqueue(a_job("b").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, A_transactional_handler_that_commits_frees_the_key_with_its_job) {
    const auto acquired = acquire_one("a");
    in_transaction([&](Transaction& transaction) {
        (void)store_.executor().apply(transaction, "node-1", completed_outcome(acquired.job));
    });
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// River #619: jobs conflicted with themselves when they were tried again.
TEST_P(UniqueKeyEnd, A_job_keeps_its_key_through_failures_timers_and_suspensions) {
    fail("a");
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    EXPECT_EQ(fire_timer("a"), JobAnswer::done);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(job("a").unique_key, "k");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    complete("a");
    (void)enqueue(a_job("s").with_key("k").of_instance("i"));
    suspend(SuspensionScope::instance, "i");
    EXPECT_EQ(place_of("s"), "suspended");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job s has the unique key k");
    activate(SuspensionScope::instance, "i");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job s has the unique key k");
    complete("s");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// B8
TEST_P(UniqueKeyEnd, A_dead_letter_does_not_have_its_key_any_more) {
    make_dead("a");
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(job("a").unique_key, "k");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    EXPECT_TRUE(enqueue(a_job("b").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, A_job_that_is_cancelled_or_removed_frees_its_key) {
    const std::vector<std::string> a{"a"};
    (void)store_.jobs().cancel(JobPlace::executable, a, "wrong", clock_.now());
    EXPECT_EQ(owner_of("k"), "");
    (void)enqueue(a_job("b").with_key("k"));
    remove(JobPlace::executable, {"b"});
    EXPECT_EQ(owner_of("k"), "");
    EXPECT_TRUE(enqueue(a_job("c").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, The_removal_of_a_dead_letter_frees_nobody_elses_key) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    remove(JobPlace::dead_letter, {"a"});
    EXPECT_EQ(owner_of("k"), "b");
}

TEST_P(UniqueKeyEnd, An_external_job_frees_its_key_when_its_worker_has_completed_it) {
    (void)enqueue(a_job("e").with_key("e").of_kind(schema::kExternalWorkerType));
    const auto taken = store_.workers().acquire_external(
        claim_of("worker"), {.topics = noop_}, PageLimit(1), clock_.now()
    );
    ASSERT_THAT(ids_of(taken), ElementsAre("e"));
    EXPECT_THAT(refusal_of(a_job("f").with_key("e"), kReplace), HasSubstr("is running"));
    const std::vector<persistence::WorkerOutcome> done{
        {.job = {.id = "e"}, .transition = [](const Job& job) { return schema::completed(job); }}};
    (void)store_.workers().apply_external("worker", done, clock_.now());
    EXPECT_EQ(place_of("e"), "nowhere");
    EXPECT_EQ(owner_of("e"), "");
}

TEST_P(UniqueKeyEnd, A_requeued_dead_letter_takes_its_key_back) {
    make_dead("a");
    EXPECT_EQ(requeue("a"), JobAnswer::done);
    EXPECT_EQ(owner_of("k"), "a");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    complete("a");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// B8
TEST_P(UniqueKeyEnd, A_dead_letter_whose_key_another_job_has_is_not_requeued) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    EXPECT_EQ(requeue("a"), JobAnswer::key_held);
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(owner_of("k"), "b");
    complete("b");
    EXPECT_EQ(requeue("a"), JobAnswer::done);
    EXPECT_EQ(owner_of("k"), "a");
}

TEST_P(UniqueKeyEnd, Of_two_dead_letters_with_one_key_one_is_requeued) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    make_dead("b");
    insert(JobPlace::dead_letter, a_job("c"));
    EXPECT_THAT(
        requeue({"c", "b", "a"}, 1),
        ElementsAre(JobAnswer::done, JobAnswer::key_held, JobAnswer::done)
    );
    EXPECT_EQ(owner_of("k"), "a");
}

TEST_P(UniqueKeyEnd, A_dead_letter_has_the_rest_of_its_period_when_it_is_requeued) {
    (void)enqueue(a_job("p").with_key("p"), {.period = 1h});
    const auto until = clock_.now() + 1h;
    make_dead("p");
    EXPECT_THAT(refusal_of(a_job("q").with_key("p")), HasSubstr("job p has"));
    EXPECT_EQ(requeue("p"), JobAnswer::done);
    EXPECT_EQ(store_.jobs().key_owner("p")->until, until);
    make_dead("p");
    clock_.tick(2h);
    EXPECT_EQ(requeue("p"), JobAnswer::done);
    EXPECT_EQ(store_.jobs().key_owner("p")->until, std::nullopt) << "from now on while it is open";
}

// By a tool that knows nothing of keys, or a version before them.
TEST_P(UniqueKeyEnd, A_key_that_was_left_over_is_taken_by_the_next_job) {
    execute("DELETE FROM ACT_RU_JOB");
    EXPECT_EQ(owner_of("k"), "a");
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), kKeep), (Enqueued{.id = "b"}));
    EXPECT_EQ(owner_of("k"), "b");
}

TEST_P(UniqueKeyEnd, A_row_that_cannot_be_read_frees_its_key_when_it_becomes_a_dead_letter) {
    execute("UPDATE ACT_RU_JOB SET REV_ = 2147483600 WHERE ID_ = 'a'");
    EXPECT_TRUE(acquire().empty());
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(owner_of("k"), "");
}

TEST_P(UniqueKeyEnd, A_turn_that_SQL_gave_a_key_does_not_pass_it_on) {
    insert(JobPlace::timer, [this] {
        Job turn = a_job("t").due_at(clock_.now()).with_key("t");
        turn.repeat = "R3/PT1H";
        return turn;
    }());
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('t', 't')");
    const auto due = move_due(10);
    ASSERT_THAT(ids_of(due.locked), ElementsAre("t"));
    EXPECT_EQ(store_.jobs().list(JobPlace::timer, {}, "", 10).at(0).unique_key, "");
    apply({completed_outcome(due.locked[0])});
    EXPECT_EQ(owner_of("t"), "");
}

constexpr std::string_view kPage = JOBSTRAND_SOURCE_DIR "/docs/unique-keys.md";

/// The SQL of the page for one database, block by block.
std::vector<std::string> blocks_for(std::string_view database) {
    std::ifstream file{std::string(kPage)};
    std::vector<std::string> blocks;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line == "```sql " + std::string(database)) {
            is_inside = true;
            blocks.emplace_back();
        } else if (line == "```") {
            is_inside = false;
        } else if (is_inside) {
            blocks.back() += line + '\n';
        }
    }
    return blocks;
}

/// Unique keys that apps write themselves, as docs/unique-keys.md says (B8).
class UniqueKeySql : public UniqueTest {
protected:
    /// On a connection of its own, as an app's.
    void run_sql(const std::string& block) {
        const auto app = database_->connect(SessionPool::Access::write);
        std::istringstream statements(block);
        for (std::string statement; std::getline(statements, statement, ';');) {
            if (statement.find_first_not_of(" \n") != std::string::npos) {
                app->run_script(statement);
            }
        }
    }

    std::vector<std::string> blocks_ = blocks_for(connection_->dialect().name);
};

ON_EVERY_DATABASE(UniqueKeySql);

// B8
TEST_P(UniqueKeySql, The_statements_of_the_page_add_a_job_once) {
    ASSERT_THAT(blocks_, SizeIs(2));
    run_sql(blocks_[0]);
    EXPECT_EQ(place_of("mail-1"), "executable");
    EXPECT_EQ(place_of("mail-2"), "nowhere") << "the first one was kept";
    EXPECT_EQ(owner_of("order-17"), "mail-1");
    EXPECT_THROW(run_sql(blocks_[0]), DbError) << "the first transaction is refused";
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
    EXPECT_EQ(
        refusal_of(a_job("b").with_key("order-17")), "job mail-1 has the unique key order-17"
    );
}

// B8
TEST_P(UniqueKeySql, The_end_of_a_job_from_SQL_frees_its_key) {
    run_sql(blocks_.at(0));
    complete("mail-1");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    run_sql(blocks_[0]);
    make_dead("mail-1");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

TEST_P(UniqueKeySql, A_period_from_SQL_holds_until_its_end) {
    run_sql(blocks_.at(1));
    const auto owner = store_.jobs().key_owner("digest-17");
    ASSERT_TRUE(owner && owner->until);
    complete("digest-1");
    EXPECT_EQ(owner_of("digest-17"), "digest-1");
    EXPECT_THROW(run_sql(blocks_[1]), DbError);
    execute("UPDATE JS_UNIQUE SET UNTIL_ = '2001-01-01 00:00:00.000'");
    run_sql(blocks_[1]);
    EXPECT_EQ(place_of("digest-1"), "executable");
}

TEST_P(UniqueKeySql, A_job_from_SQL_makes_room_for_one_that_replaces_it) {
    run_sql(blocks_.at(0));
    EXPECT_EQ(enqueue(a_job("b").with_key("order-17"), kReplace).replaced, "mail-1");
    EXPECT_EQ(owner_of("order-17"), "b");
}

}  // namespace

}  // namespace jobstrand::test
