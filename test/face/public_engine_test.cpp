#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/named_lock.hpp>
#include <jobstrand/testing.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

/// The engine as an app sees it: nothing but the public headers is used here.
class PublicEngine : public testing::Test {
protected:
    [[nodiscard]] EngineOptions options() const {
        return {.database_url = file_.url_text(), .log = nullptr};
    }

    std::vector<std::string> texts_of(std::string_view sql) {
        std::vector<std::string> texts;
        engine_.in_transaction([&](Transaction& transaction) {
            texts.clear();
            transaction.query(sql, {}, [&](const Row& row) { texts.emplace_back(row.text(0)); });
        });
        return texts;
    }

    /// What a call in a wrong order is told.
    template <typename Misuse>
    static std::string told(const Misuse& misuse) {
        try {
            misuse();
        } catch (const std::logic_error& error) {
            return error.what();
        }
        return "nothing";
    }

    SqliteFile file_;
    Engine engine_{options()};
};

Succeeded do_nothing(const JobContext&) {
    return {};
}

TEST_F(PublicEngine, Runs_what_is_enqueued_and_tells_the_handler_all_about_it) {
    std::promise<std::string> seen;
    engine_.add_handler("greet", [&](const JobContext& context) {
        seen.set_value(
            std::string(context.job.payload) + " " + std::string(context.job.tenant_id) + " " +
            std::to_string(context.attempt) + " " + std::to_string(context.job.priority)
        );
        EXPECT_FALSE(context.stop.stop_requested());
        EXPECT_GT(context.fencing_token, 0);
        return Succeeded{};
    });
    engine_.start();
    const std::string id = engine_.enqueue(
        {.handler_type = "greet", .payload = "world", .priority = 7, .tenant_id = "acme"}
    );
    std::future<std::string> greeting = seen.get_future();
    ASSERT_EQ(greeting.wait_for(30s), std::future_status::ready);
    EXPECT_EQ(greeting.get(), "world acme 1 7");
    EXPECT_TRUE(engine_.stop());
    EXPECT_EQ(engine_.find(id), std::nullopt);
}

/// What handlers have seen, and a wait for it.
class Seen {
public:
    void add(std::string_view text) {
        const std::lock_guard lock(mutex_);
        texts_.emplace_back(text);
        if (texts_.size() == expected_) {
            all_.set_value();
        }
    }

    explicit Seen(std::size_t expected) : expected_(expected) {}

    [[nodiscard]] std::vector<std::string> wait() {
        EXPECT_EQ(done_.wait_for(30s), std::future_status::ready);
        const std::lock_guard lock(mutex_);
        return texts_;
    }

private:
    const std::size_t expected_;
    std::mutex mutex_;
    std::vector<std::string> texts_;  ///< Guarded by mutex_.
    std::promise<void> all_;
    std::future<void> done_ = all_.get_future();
};

TEST_F(PublicEngine, A_job_runs_as_its_commit_has_left_it) {
    Seen seen(3);
    engine_.add_handler("note", [&](const JobContext& context) {
        seen.add(context.job.payload);
        return Succeeded{};
    });
    engine_.start();
    engine_.in_transaction([&](Transaction& transaction) {
        for (const std::string id : {"deleted", "changed", "kept"}) {
            engine_.enqueue(transaction, {.handler_type = "note", .payload = "old", .id = id});
        }
        transaction.execute("DELETE FROM ACT_RU_JOB WHERE ID_ = ?", {"deleted"});
        transaction.execute(
            "UPDATE ACT_RU_JOB SET HANDLER_CFG_ = ? WHERE ID_ = ?", {"new", "changed"}
        );
    });
    engine_.enqueue({.handler_type = "note", .payload = "after"});
    EXPECT_THAT(seen.wait(), testing::UnorderedElementsAre("new", "old", "after"));
    EXPECT_TRUE(engine_.stop());
    EXPECT_EQ(engine_.count(JobPlace::executable), 0);
}

// Older tables take any value; each node meets such rows, and lives.
TEST_F(PublicEngine, Rows_that_cannot_be_read_keep_no_other_job_waiting) {
    file_.connect()->run_script(
        "PRAGMA ignore_check_constraints = ON;"
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, HANDLER_TYPE_, DUEDATE_) VALUES"
        " ('t1', 'note', ''), ('t2', 'note', '2020-02-30 00:00:00');"
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, HANDLER_TYPE_, HANDLER_CFG_, DUEDATE_) VALUES"
        " ('t4', 'note', 'timer', '2020-01-01T00:00:00+00:00');"
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, HANDLER_CFG_, RETRIES_) VALUES"
        " ('j1', 'note', 'odd', 'many'), (x'abcd', 'note', 'bytes', 3), ('', 'note', 'none', 3)"
    );
    Seen seen(4);
    engine_.add_handler("note", [&](const JobContext& context) {
        seen.add(context.job.payload);
        return Succeeded{};
    });
    engine_.start();
    engine_.enqueue({.handler_type = "note", .payload = "good"});
    EXPECT_THAT(seen.wait(), testing::UnorderedElementsAre("timer", "bytes", "none", "good"));
    EXPECT_TRUE(engine_.stop());
    EXPECT_EQ(engine_.count(JobPlace::dead_letter), 3);
}

TEST_F(PublicEngine, Values_of_all_types_go_in_and_come_back) {
    const TimePoint time{1'700'000'000'123ms};
    const std::array bytes{std::byte{0}, std::byte{255}, std::byte{7}};
    engine_.in_transaction([&](Transaction& transaction) {
        transaction.execute("CREATE TABLE IF NOT EXISTS things (a, b, c, d, e, f, g, h)");
        transaction.execute(
            "INSERT INTO things VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            {nullptr,
             true,
             std::size_t{17},
             0.1,
             "text",
             Bytes(bytes),
             time,
             std::optional<std::string>()}
        );
        int rows = 0;
        transaction.query("SELECT * FROM things", {}, [&](const Row& row) {
            ++rows;
            EXPECT_TRUE(row.is_null(0));
            EXPECT_TRUE(row.boolean(1));
            EXPECT_EQ(row.integer(2), 17);
            EXPECT_EQ(row.real(3), 0.1);
            EXPECT_EQ(row.text(4), "text");
            EXPECT_THAT(row.blob(5), testing::ElementsAreArray(bytes));
            EXPECT_EQ(row.time(6), time);
            EXPECT_TRUE(row.is_null(7));
            EXPECT_THAT(
                told([&] { (void)row.text(8); }), HasSubstr("column 8 was read, but the statement")
            );
        });
        EXPECT_EQ(rows, 1);
    });
}

TEST_F(PublicEngine, Values_for_drivers_that_take_texts_are_written_as_databases_read_them) {
    const std::array bytes{std::byte{0xAB}, std::byte{1}};
    const std::vector<Value> values{
        nullptr, true, -5, 0.1, "text", Bytes(bytes), TimePoint{1'700'000'000'123ms}};
    std::vector<std::string> texts;
    for (const Value& value : values) {
        texts.push_back(value.text().value_or("NULL"));
    }
    EXPECT_THAT(
        texts, ElementsAre("NULL", "1", "-5", "0.1", "text", "\\xab01", "2023-11-14 22:13:20.123")
    );
    EXPECT_THROW((void)Value(std::numeric_limits<std::uint64_t>::max()), std::out_of_range);
}

TEST_F(PublicEngine, Rows_and_jobs_of_one_transaction_come_and_go_together) {
    engine_.in_transaction([](Transaction& transaction) {
        transaction.execute("CREATE TABLE orders (id TEXT)");
    });
    engine_.in_transaction([&](Transaction& transaction) {
        transaction.execute("INSERT INTO orders VALUES (?)", {"kept"});
        engine_.enqueue(transaction, {.handler_type = "invoice"});
    });
    const auto fail = [&] {
        engine_.in_transaction([&](Transaction& transaction) {
            transaction.execute("INSERT INTO orders VALUES (?)", {"lost"});
            engine_.enqueue(transaction, {.handler_type = "invoice"});
            throw std::range_error("the app's own");
        });
    };
    EXPECT_THROW(fail(), std::range_error);
    EXPECT_THAT(texts_of("SELECT id FROM orders"), ElementsAre("kept"));
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(PublicEngine, A_transactional_handler_writes_through_its_transaction) {
    engine_.in_transaction([](Transaction& transaction) {
        transaction.execute("CREATE TABLE invoices (number TEXT)");
    });
    engine_.add_transactional_handler(
        "invoice",
        [](const JobContext& context, Transaction& transaction) -> HandlerResult {
            transaction.execute("INSERT INTO invoices VALUES (?)", {context.job.payload});
            if (context.job.payload == "bad") {
                return Failed{.message = "no such order", .retryable = false};
            }
            return Succeeded{};
        }
    );
    const std::string good = engine_.enqueue({.handler_type = "invoice", .payload = "good"});
    const std::string bad = engine_.enqueue({.handler_type = "invoice", .payload = "bad"});
    EXPECT_EQ(engine_.run_job(good), RunAnswer::done);
    EXPECT_EQ(engine_.run_job(bad), RunAnswer::done);
    EXPECT_EQ(engine_.run_job(good), RunAnswer::not_found);
    EXPECT_THAT(texts_of("SELECT number FROM invoices"), ElementsAre("good"));
    const std::optional<StoredJob> dead = engine_.find(bad);
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->place, JobPlace::dead_letter);
    EXPECT_EQ(dead->exception_message, "no such order");
    EXPECT_EQ(engine_.list(JobPlace::dead_letter).size(), 1);
    EXPECT_TRUE(engine_.requeue(bad));
    EXPECT_FALSE(engine_.requeue(bad));
    EXPECT_TRUE(engine_.remove(bad));
    EXPECT_FALSE(engine_.remove(bad));
}

TEST_F(PublicEngine, Errors_of_the_database_are_public_and_an_app_may_throw_them_on) {
    engine_.enqueue({.handler_type = "a", .id = "twice"});
    try {
        engine_.enqueue({.handler_type = "a", .id = "twice"});
        ADD_FAILURE() << "enqueued twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::duplicate_key);
        EXPECT_THAT(error.what(), HasSubstr("twice"));
    }
    int tries = 0;
    engine_.in_transaction([&](Transaction&) {
        if (++tries < 3) {
            throw Error(ErrorKind::conflict, "as if another was faster");
        }
    });
    EXPECT_EQ(tries, 3) << "a conflict runs the work again";
    EXPECT_THROW(Engine({.database_url = "sqlite:/no/such/folder/a.db"}), Error);
    EXPECT_THROW(Engine({.database_url = "oracle:a"}), std::invalid_argument);
    EXPECT_THROW(engine_.enqueue({.payload = "without a type"}), std::invalid_argument);
}

TEST_F(PublicEngine, An_error_of_another_call_while_rows_are_read_is_none_of_the_transaction) {
    EngineOptions nowhere = options();
    nowhere.database_url = "sqlite:/nowhere/jobs.db";
    engine_.in_transaction([&](Transaction& transaction) {
        transaction.execute("CREATE TABLE orders (id INTEGER)");
        EXPECT_THROW(
            transaction.query("SELECT 1", {}, [&](const Row&) { const Engine away(nowhere); }),
            Error
        );
        transaction.execute("INSERT INTO orders VALUES (17)");
    });
    EXPECT_THAT(texts_of("SELECT id FROM orders"), ElementsAre("17"));
}

TEST_F(PublicEngine, Series_are_started_with_one_struct) {
    const std::string key = engine_.start_series({
        .turn = {.handler_type = "report", .payload = "{}"},
        .repeat = "0 0 2 * * ?",
        .zone = "Europe/Berlin",
        .key = "nightly",
    });
    EXPECT_EQ(key, "nightly");
    const std::vector<StoredJob> timers = engine_.list(JobPlace::timer);
    ASSERT_EQ(timers.size(), 1);
    EXPECT_EQ(timers.front().series, "nightly");
    EXPECT_GT(timers.front().due_date, engine_.now());
}

TEST_F(PublicEngine, A_due_date_may_be_any_timer_text) {
    const std::string id = engine_.enqueue(
        {.handler_type = "a", .due = "2126-01-01 09:00", .due_zone = "Europe/Berlin"}
    );
    EXPECT_EQ(engine_.find(id)->due_date, TimePoint{std::chrono::sys_days{2126y / 1 / 1} + 8h});
    const TimePoint before = engine_.now();
    std::string later;
    engine_.in_transaction([&](Transaction& transaction) {
        later = engine_.enqueue(transaction, {.handler_type = "a", .due = "5m"});
    });
    EXPECT_GE(engine_.find(later)->due_date, before + 5min);
    EXPECT_LE(engine_.find(later)->due_date, engine_.now() + 5min);
    EXPECT_EQ(
        told([&] { engine_.enqueue({.handler_type = "a", .due = "soon"}); }).substr(0, 11),
        "due \"soon\":"
    );
    EXPECT_THAT(
        told([&] {
            engine_.enqueue({.handler_type = "a", .due = "1 business day", .due_calendar = "none"});
        }),
        HasSubstr("calendar: ")
    );
    EXPECT_EQ(
        told([&] { engine_.enqueue({.handler_type = "a", .due_date = before, .due = "5m"}); }),
        "due and due_date exclude each other"
    );
}

TEST_F(PublicEngine, Instances_are_suspended_and_activated_as_a_whole) {
    engine_.enqueue({.handler_type = "a", .process_instance_id = "i"});
    EXPECT_EQ(engine_.suspend_instance("i"), 1);
    EXPECT_EQ(engine_.count(JobPlace::suspended), 1);
    EXPECT_EQ(engine_.activate_instance("i"), 1);
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(PublicEngine, Calls_in_a_wrong_order_are_refused_with_what_to_do) {
    engine_.add_handler("a", do_nothing);
    EXPECT_THAT(
        told([&] { engine_.add_handler("a", do_nothing); }), HasSubstr("registered already")
    );
    EXPECT_THAT(told([&] { engine_.add_handler("b", nullptr); }), HasSubstr("give it one"));
    engine_.start();
    EXPECT_THAT(told([&] { engine_.start(); }), HasSubstr("call start() once"));
    EXPECT_TRUE(engine_.is_running());
    EXPECT_TRUE(engine_.stop());
    EXPECT_TRUE(engine_.stop()) << "a second stop is harmless";
    EXPECT_THAT(told([&] { engine_.start(); }), HasSubstr("make a new one"));
    EXPECT_THAT(
        told([&] { engine_.add_handler("late", do_nothing); }),
        HasSubstr("'late' was added after stop()")
    );
    engine_.enqueue({.handler_type = "a"});
    EXPECT_EQ(engine_.count(JobPlace::executable), 1) << "stored for whoever runs it";
}

TEST_F(PublicEngine, A_transaction_that_has_ended_is_refused_with_what_to_do) {
    std::optional<Transaction> kept;
    engine_.in_transaction([&](Transaction& transaction) { kept = transaction; });
    EXPECT_THAT(told([&] { kept->execute("SELECT 1"); }), HasSubstr("has ended"));
    EXPECT_THAT(told([&] { engine_.enqueue(*kept, {.handler_type = "a"}); }), HasSubstr("ended"));
}

TEST_F(PublicEngine, A_transaction_of_another_engine_is_refused_with_what_to_do) {
    Engine other(options());
    engine_.in_transaction([&](Transaction& transaction) {
        EXPECT_THAT(
            told([&] { other.enqueue(transaction, {.handler_type = "a"}); }),
            HasSubstr("another engine")
        );
    });
}

TEST_F(PublicEngine, A_thread_is_told_before_it_waits_for_its_own_transaction) {
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THAT(
            told([&] { engine_.enqueue({.handler_type = "a"}); }),
            HasSubstr("enqueue with that transaction, as its first argument")
        );
        EXPECT_THAT(told([&] { engine_.in_transaction({}); }), HasSubstr("go on in that one"));
    });
    engine_.enqueue({.handler_type = "a"});
}

TEST_F(PublicEngine, Log_lines_from_the_wanted_level_on_reach_the_apps_function) {
    std::mutex mutex;
    std::vector<std::string> lines;
    Engine engine({
        .database_url = file_.url_text(),
        .log =
            [&](const LogLine& line) {
                const std::lock_guard lock(mutex);
                lines.emplace_back(line.message);
            },
        .log_level = LogLevel::info,
    });
    engine.start();
    EXPECT_TRUE(engine.stop());
    const std::lock_guard lock(mutex);
    EXPECT_THAT(lines, testing::Contains("executor started"));
}

TEST_F(PublicEngine, A_handler_tells_how_far_it_is_while_it_runs) {
    std::promise<void> may_end;
    const auto end = may_end.get_future().share();
    engine_.add_handler("test", [end](const JobContext& context) {
        context.progress(0.4, "page 4 of 10");
        context.log("reading\n");
        end.wait();
        return Succeeded{};
    });
    engine_.start();
    (void)engine_.enqueue({.handler_type = "test"});
    // Beside the engine, which would wait for each look.
    const auto reader = file_.connect(persistence::SessionPool::Access::read);
    const auto told = [&reader](const std::string& column) {
        std::vector<std::string> found;
        const std::string sql = "SELECT " + column + " FROM JS_RUN_NEWS";
        reader->query({sql, 1}, {}, [&](const persistence::Row& row) {
            found.emplace_back(row.text(0));
        });
        return found;
    };
    // What is told first may be written before the rest.
    EXPECT_TRUE(eventually([&] { return told("LINES_") == std::vector<std::string>{"reading\n"}; })
    );
    EXPECT_THAT(told("NOTE_"), ElementsAre("page 4 of 10"));
    may_end.set_value();
    EXPECT_TRUE(eventually([&] { return told("NOTE_").empty(); }));
    JobContext().progress(1);  // As an app's own tests call it.
}

// R100 R101
TEST_F(PublicEngine, One_that_is_destroyed_waits_for_its_runs_which_may_use_it_till_the_end) {
    EngineOptions at_once = options();
    at_once.shutdown_wait = 0ms;
    auto engine = std::make_unique<Engine>(at_once);
    std::promise<void> began;
    std::string told;
    engine->add_handler("last", [&, used = engine.get()](const JobContext& context) {
        began.set_value();
        std::promise<void> asked;
        const std::stop_callback when_asked(context.stop, [&] { asked.set_value(); });
        asked.get_future().wait();
        told = used->enqueue({.handler_type = "after"});
        return Succeeded{};
    });
    engine->start();
    (void)engine->enqueue({.handler_type = "last"});
    began.get_future().wait();
    engine.reset();
    EXPECT_THAT(
        texts_of("SELECT ID_ FROM ACT_RU_JOB WHERE HANDLER_TYPE_ = 'after'"), ElementsAre(told)
    );
}

TEST(EngineScope, What_an_engine_takes_may_change_while_it_runs) {
    const SqliteFile file;
    Engine engine({.database_url = file.url_text(), .log = nullptr});
    Signal runs;
    const auto run = [&runs](const JobContext&) -> HandlerResult {
        runs.notify();
        return Succeeded{};
    };
    engine.limit_to({.tenants = {"acme"}});
    engine.start();
    const std::string theirs = engine.enqueue({.handler_type = "a", .tenant_id = "umbra"});
    engine.enqueue({.handler_type = "a", .tenant_id = "acme"});
    engine.add_handler("a", run);
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_EQ(engine.find(theirs)->place, JobPlace::executable);

    engine.limit_to({.tenants = {"umbra"}});
    EXPECT_THAT(engine.scope().tenants, testing::ElementsAre("umbra"));
    EXPECT_TRUE(runs.wait_for(2));

    EXPECT_TRUE(engine.remove_handler("a"));
    EXPECT_FALSE(engine.remove_handler("a"));
    const std::string left = engine.enqueue({.handler_type = "a", .tenant_id = "umbra"});
    EXPECT_EQ(engine.find(left)->place, JobPlace::executable);
    engine.add_handler("a", run);
    EXPECT_TRUE(runs.wait_for(3));
    EXPECT_THROW(engine.limit_to({.priority_min = 2, .priority_max = 1}), std::invalid_argument);
}

/// Jobs with unique keys as an app enqueues them (B8).
class UniqueJobs : public testing::Test {
protected:
    const SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
    NewJob job_{.handler_type = "invoice", .unique_key = "order 17"};
};

TEST_F(UniqueJobs, A_second_one_is_refused_and_the_first_is_named) {
    const std::string first = engine_.enqueue(job_);
    try {
        engine_.enqueue(job_);
        ADD_FAILURE() << "enqueued twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::duplicate_key);
        EXPECT_EQ(std::string(error.what()), "job " + first + " has the unique key order 17");
    }
    EXPECT_EQ(engine_.find(first)->unique_key, "order 17");
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, A_rule_that_is_none_is_refused) {
    (void)engine_.enqueue({.handler_type = "mail", .unique_key = "k"});
    EXPECT_THROW(
        (void)engine_.enqueue(
            {.handler_type = "mail", .unique_key = "k", .on_duplicate = static_cast<OnDuplicate>(7)}
        ),
        std::invalid_argument
    );
}

TEST_F(UniqueJobs, One_that_is_kept_is_the_answer) {
    const std::string first = engine_.enqueue(job_);
    job_.on_duplicate = OnDuplicate::keep;
    EXPECT_EQ(engine_.enqueue(job_), first);
    EXPECT_EQ(engine_.enqueue_unique(job_), (Enqueued{.id = first, .is_added = false}));
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, One_makes_room_in_the_transaction_of_the_other) {
    const std::string first = engine_.enqueue(job_);
    job_.on_duplicate = OnDuplicate::replace;
    job_.unique_for = 1h;
    const auto fail = [&] {
        engine_.in_transaction([&](Transaction& transaction) {
            EXPECT_EQ(engine_.enqueue_unique(transaction, job_).replaced, first);
            throw std::range_error("the app's own");
        });
    };
    EXPECT_THROW(fail(), std::range_error);
    EXPECT_TRUE(engine_.find(first)) << "nothing has happened";
    Enqueued enqueued;
    engine_.in_transaction([&](Transaction& transaction) {
        enqueued = engine_.enqueue_unique(transaction, job_);
    });
    EXPECT_EQ(enqueued.replaced, first);
    EXPECT_TRUE(engine_.find(enqueued.id));
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, A_rule_without_a_key_and_a_series_with_one_are_refused) {
    EXPECT_THROW(
        engine_.enqueue({.handler_type = "a", .on_duplicate = OnDuplicate::keep}),
        std::invalid_argument
    );
    EXPECT_THROW(
        engine_.enqueue({.handler_type = "a", .unique_key = "k", .unique_for = -1ms}),
        std::invalid_argument
    );
    EXPECT_THROW(engine_.start_series({.turn = job_, .repeat = "R/PT1H"}), std::invalid_argument);
}

/// An app that looks at all jobs in one place.
class PublicHooks : public testing::Test {
protected:
    void begin(const Hooks& hooks) {
        EngineOptions options = TestEngine::silent();
        options.hooks = hooks;
        test_ = std::make_unique<TestEngine>(options);
        engine().add_handler("work", [](const JobContext&) { return Succeeded{}; });
        engine().add_handler("broken", [](const JobContext&) { return Failed{.message = "no"}; });
    }

    Engine& engine() { return test_->engine(); }

    std::unique_ptr<TestEngine> test_;
};

TEST_F(PublicHooks, A_new_job_may_be_changed_before_it_is_stored_however_it_is_enqueued) {
    begin({.before_enqueue = [](NewJob& job) { job.tenant_id = "acme"; }});
    engine().enqueue({.handler_type = "work"});
    engine().enqueue_unique({.handler_type = "work", .unique_key = "k"});
    engine().start_series({.turn = {.handler_type = "work"}, .repeat = "R/PT1H"});
    engine().in_transaction([&](Transaction& transaction) {
        engine().enqueue(transaction, {.handler_type = "work"});
    });
    for (const StoredJob& job : test_->waiting()) {
        EXPECT_EQ(job.tenant_id, "acme");
    }
    EXPECT_EQ(test_->waiting().size(), 4);
}

TEST_F(PublicHooks, A_new_job_may_be_refused_with_all_that_come_with_it) {
    begin({.before_enqueue = [](NewJob& job) {
        if (job.payload.empty()) {
            throw std::invalid_argument("a payload is needed");
        }
    }});
    EXPECT_THROW(
        engine().enqueue_all({{.handler_type = "work", .payload = "{}"}, {.handler_type = "work"}}),
        std::invalid_argument
    );
    EXPECT_THAT(test_->waiting(), IsEmpty());
}

TEST_F(PublicHooks, What_is_thrown_before_a_run_ends_the_attempt) {
    std::vector<std::string> ran;
    begin({.before_run = [](const JobContext& context) {
        if (context.job.tenant_id == "blocked") {
            throw std::runtime_error("this tenant is blocked");
        }
    }});
    engine().add_handler("note", [&](const JobContext& context) {
        ran.emplace_back(context.job.id);
        return Succeeded{};
    });
    engine().add_transactional_handler(
        "note in a transaction",
        [&](const JobContext& context, auto&) {
            ran.emplace_back(context.job.id);
            return Succeeded{};
        }
    );
    for (const char* const type : {"note", "note in a transaction"}) {
        engine().enqueue(
            {.handler_type = type, .tenant_id = "blocked", .id = type + std::string("1")}
        );
        engine().enqueue({.handler_type = type, .id = type + std::string("2")});
    }
    test_->run_until_idle();
    EXPECT_THAT(ran, ElementsAre("note in a transaction2", "note2")) << "in the order of their ids";
    EXPECT_EQ(engine().find("note1")->exception_message, "this tenant is blocked");
    EXPECT_EQ(engine().find("note in a transaction1")->attempts, 1);
}

TEST_F(PublicHooks, Each_run_is_told_when_it_has_ended) {
    std::vector<std::string> told;
    begin({.after_run = [&](const EndedRun& run) {
        const std::string result = run.result == RunResult::succeeded ? "done"
                                   : run.result == RunResult::failed  ? "failed"
                                   : run.result == RunResult::dead    ? "dead"
                                                                      : "interrupted";
        told.push_back(
            std::string(run.job.handler_type) + " " + std::to_string(run.attempt) + " " + result +
            " " + std::string(run.message)
        );
        EXPECT_EQ(run.ended, test_->now());
    }});
    engine().add_handler("waits", [](const JobContext&) { return Interrupted{.wait = 2h}; });
    engine().enqueue({.handler_type = "work"});
    engine().enqueue({.handler_type = "waits"});
    engine().enqueue({.handler_type = "broken", .retries = 2});
    test_->run_for(1h);
    EXPECT_THAT(
        told,
        ElementsAre(
            "work 1 done ", "waits 1 interrupted ", "broken 1 failed no", "broken 2 dead no"
        )
    );
}

/// Locks of an app, with the public headers alone. Their ends come by the clock of the test.
class PublicLocks : public testing::Test {
protected:
    TestEngine test_;
    Engine& engine_ = test_.engine();
    NamedLock first_{engine_, "books"};
    NamedLock second_{engine_, "books"};
};

TEST_F(PublicLocks, One_object_holds_it_until_it_is_released) {
    EXPECT_TRUE(first_.try_acquire());
    EXPECT_TRUE(first_.is_held());
    EXPECT_FALSE(second_.try_acquire());
    EXPECT_FALSE(second_.acquire(1ms));
    EXPECT_FALSE(second_.is_held());
    EXPECT_FALSE(second_.renew());
    second_.release();
    EXPECT_TRUE(first_.is_held());
    first_.release();
    EXPECT_FALSE(first_.is_held());
    EXPECT_TRUE(second_.try_acquire());
    EXPECT_GT(second_.token(), first_.token());
}

TEST_F(PublicLocks, Whoever_does_not_renew_it_has_lost_it) {
    EXPECT_TRUE(first_.try_acquire());
    test_.advance(20s);
    EXPECT_TRUE(first_.renew());
    test_.advance(20s);
    EXPECT_TRUE(first_.is_held());
    test_.advance(10s);
    EXPECT_FALSE(first_.is_held());
    EXPECT_TRUE(second_.try_acquire());
    EXPECT_FALSE(first_.renew());
    first_.release();
    EXPECT_TRUE(second_.is_held()) << "it is another's now";
}

TEST_F(PublicLocks, Its_object_frees_it_at_its_end_and_an_owner_of_a_name_has_it_in_any_object) {
    {
        NamedLock mine(engine_, "books", {.time = 1min, .owner = "app-1"});
        NamedLock again(engine_, "books", {.time = 1min, .owner = "app-1"});
        EXPECT_TRUE(mine.try_acquire());
        EXPECT_TRUE(again.try_acquire());
        EXPECT_EQ(again.token(), mine.token());
        EXPECT_FALSE(first_.try_acquire());
    }
    EXPECT_TRUE(first_.try_acquire());
}

TEST_F(PublicLocks, Work_runs_while_it_is_held_and_frees_it_however_it_ends) {
    bool has_run = false;
    EXPECT_TRUE(first_.run(0ms, [&] {
        has_run = first_.is_held();
        EXPECT_FALSE(second_.run(0ms, [] { ADD_FAILURE() << "it is held"; }));
    }));
    EXPECT_TRUE(has_run);
    EXPECT_THROW((void)first_.run(0ms, [] { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_TRUE(second_.try_acquire());
}

TEST_F(PublicLocks, Work_that_lasts_longer_than_the_lock_keeps_it) {
    NamedLock brief(engine_, "books", {.time = 30ms});
    EXPECT_TRUE(brief.run(0ms, [&] {
        for (int i = 0; i < 5; ++i) {
            // Time passes; then a renewal is waited for, which begins a new time.
            test_.advance(29ms);
            const auto patience = std::chrono::steady_clock::now() + 10s;
            const TimePoint now = engine_.now();
            NamedLock look(engine_, "books");
            EXPECT_FALSE(look.try_acquire());
            while (brief.until() < now + 30ms && std::chrono::steady_clock::now() < patience) {
                std::this_thread::yield();
            }
            EXPECT_TRUE(brief.is_held());
        }
    }));
}

TEST_F(PublicLocks, What_no_lock_can_have_is_refused) {
    EXPECT_THROW((void)NamedLock(engine_, "").try_acquire(), std::invalid_argument);
    EXPECT_THROW((void)NamedLock(engine_, "x", {.time = 0s}).try_acquire(), std::invalid_argument);
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW((void)first_.try_acquire(), std::logic_error);
    });
}

}  // namespace

}  // namespace jobstrand::test
