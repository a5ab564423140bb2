#include "test/fixtures/server_database.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/external_worker.hpp>
#include <jobstrand/job_history.hpp>
#include <jobstrand/management.hpp>
#include <jobstrand/named_lock.hpp>
#include <jobstrand/on_sqlite.hpp>
#include <jobstrand/series.hpp>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The snippets of docs/embedding.md and README.md stand here as they stand there; snippets_test.py
// compares them.
namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

#undef assert
#define assert EXPECT_TRUE

/// On a server: that of the case. Empty: SQLite, as the snippets say.
std::string url_of_the_case;

EngineOptions on_the_database_of_the_case(EngineOptions options) {
    if (!url_of_the_case.empty()) {
        options.database_url = url_of_the_case;
    }
    return options;
}

/// What snippets mean by `jobstrand::`. Their engines stand on the database of the case.
namespace jobstrand {

using ::jobstrand::AcquiredWork;
using ::jobstrand::Database;
using ::jobstrand::EndedRun;
using ::jobstrand::EngineOptions;
using ::jobstrand::Enqueuer;
using ::jobstrand::ExternalWorker;
using ::jobstrand::FinishedRun;
using ::jobstrand::Incident;
using ::jobstrand::JobContext;
using ::jobstrand::JobHistory;
using ::jobstrand::JobLogLine;
using ::jobstrand::JobOrder;
using ::jobstrand::JobPlace;
using ::jobstrand::JobQuery;
using ::jobstrand::LogLevel;
using ::jobstrand::LogLine;
using ::jobstrand::Management;
using ::jobstrand::NamedLock;
using ::jobstrand::NewJob;
using ::jobstrand::on_sqlite;
using ::jobstrand::OnDuplicate;
using ::jobstrand::RunEnd;
using ::jobstrand::SeriesManagement;
using ::jobstrand::StartRate;
using ::jobstrand::StoredJob;
using ::jobstrand::StoredLimit;
using ::jobstrand::TestNode;
using ::jobstrand::TimePoint;
using ::jobstrand::Transaction;
using ::jobstrand::Value;

class Engine : public ::jobstrand::Engine {
public:
    explicit Engine(EngineOptions options)
        : ::jobstrand::Engine(on_the_database_of_the_case(std::move(options))) {}
};

class TestEngine : public ::jobstrand::TestEngine {
public:
    explicit TestEngine(EngineOptions options = silent(), TimePoint start = kTestStart)
        : ::jobstrand::TestEngine(on_the_database_of_the_case(std::move(options)), start) {}
};

}  // namespace jobstrand

bool order_exists(std::string_view payload) {
    return !payload.empty();
}

bool printer_is_busy() {
    return false;
}

// clang-format off
HandlerResult write_invoice(const JobContext& context) {
    if (!order_exists(context.job.payload)) {
        return Failed{.message = "no such order", .retryable = false};  // straight to the dead letters
    }
    if (printer_is_busy()) {
        return Failed{.message = "printer busy", .retry_after = 30s};  // our own wait
    }
    return Succeeded{};  // an exception would be a failure
}
// clang-format on

Succeeded remind(const JobContext&) {
    return {};
}

/// Some driver, and some log.
struct Recorder {
    void execute(std::string_view, const std::vector<std::optional<std::string>>&) { ++calls; }
    void operator()(LogLevel, std::string_view) { ++calls; }
    int calls = 0;
};

/// Works in a folder of its own, because the snippets name files.
class Embedding : public testing::TestWithParam<DatabaseByUrl> {
protected:
    Embedding() : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(directory_.path());
    }
    ~Embedding() override { std::filesystem::current_path(before_); }

    void SetUp() override {
        if (GetParam().missing) {
            GTEST_SKIP() << *GetParam().missing;
        }
        url_of_the_case = GetParam().url();
    }

private:
    TemporaryDirectory directory_;
    std::filesystem::path before_;
};

INSTANTIATE_TEST_SUITE_P(On, Embedding, testing::ValuesIn(databases_by_url()), [](const auto& of) {
    return of.param.name;
});

TEST_P(Embedding, An_engine) {
    jobstrand::Engine engine({.database_url = "sqlite:orders.db"});
    engine.add_handler("invoice", write_invoice);
    engine.start();
    engine.enqueue({.handler_type = "invoice", .payload = R"({"order":17})"});

    engine.enqueue({
        .handler_type = "invoice",
        .payload = R"({"order":18})",
        .due_date = engine.now() + 10min,
        .retry_cycle = "R5/PT1M",
        .process_instance_id = "order-18",
    });
    EXPECT_EQ(engine.count(JobPlace::timer), 1);
    EXPECT_TRUE(engine.stop());
}

TEST_P(Embedding, Transactions) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    for (const std::string table : {"bookings (id TEXT, sum REAL)", "orders (id TEXT)"}) {
        engine.in_transaction([&](Transaction& transaction) {
            transaction.execute("CREATE TABLE " + table);
        });
    }
    engine.add_handler("invoice", write_invoice);
    engine.add_transactional_handler(
        "book",
        [](const JobContext& context, Transaction& transaction) {
            transaction.execute("INSERT INTO bookings VALUES (?, ?)", {context.job.payload, 9.5});
            return Succeeded{};
        }
    );
    engine.enqueue({.handler_type = "book", .payload = "A17"});
    const std::string order_id = "A17";
    const std::string payload = "{}";
    engine.in_transaction([&](jobstrand::Transaction& transaction) {
        transaction.execute("INSERT INTO orders (id) VALUES (?)", {order_id});
        engine.enqueue(transaction, {.handler_type = "invoice", .payload = payload});
    });
    EXPECT_EQ(test.run_until_idle(), 2);
    std::map<std::string, double> sums;
    engine.in_transaction([&](Transaction& transaction) {
        transaction.query("SELECT id, sum FROM bookings WHERE sum > ?", {5.0}, [&](const Row& row) {
            sums[std::string(row.text(0))] = row.real(1);
        });
    });
    EXPECT_EQ(sums, (std::map<std::string, double>{{"A17", 9.5}}));
}

// own_connection_server_test has the bridges to servers.
TEST(EmbeddingOnSqlite, Producers_without_an_engine) {
    ::jobstrand::TestEngine test;
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(test.database_path().c_str(), &db), SQLITE_OK);
    sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    jobstrand::Enqueuer enqueuer(jobstrand::on_sqlite(db));
    enqueuer.enqueue({.handler_type = "invoice", .payload = R"({"order":19})"});
    sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    EXPECT_EQ(test.waiting().size(), 1);
}

TEST(EmbeddingOnSqlite, Producers_with_a_driver_of_their_own) {
    Recorder my_driver;
    jobstrand::Enqueuer enqueuer({
        .database = jobstrand::Database::postgresql,
        .run =
            [&](std::string_view sql, std::span<const jobstrand::Value> parameters) {
                std::vector<std::optional<std::string>> texts;
                for (const jobstrand::Value& parameter : parameters) {
                    texts.push_back(parameter.text());
                }
                my_driver.execute(sql, texts);
            },
    });
    enqueuer.enqueue({.handler_type = "invoice"});
    EXPECT_EQ(my_driver.calls, 2);
}

/// Says at once what it would say later.
struct Bank {
    void charge(std::string_view order, const std::function<void(bool)>& done) {
        charged = order;
        done(true);
    }

    std::string charged;
};

TEST_P(Embedding, Asynchronous_handlers) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    Bank bank;
    engine.add_async_handler("charge", [&](std::shared_ptr<AsyncRun> run) {
        bank.charge(run->context().job.payload, [run](bool is_paid) {
            run->end(is_paid ? HandlerResult(Succeeded{}) : Failed{.message = "not paid"});
        });
    });
    engine.enqueue({.handler_type = "charge", .payload = "17"});
    EXPECT_EQ(test.run_until_idle(), 1);
    EXPECT_EQ(bank.charged, "17");
    EXPECT_EQ(engine.count(JobPlace::executable), 0);
}

TEST_P(Embedding, Once_however_often_it_is_asked_for) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    for (int i = 0; i < 2; ++i) {
        engine.enqueue({
            .handler_type = "report",
            .unique_key = "report of order 17",
            .on_duplicate = jobstrand::OnDuplicate::keep,
        });
    }
    EXPECT_EQ(engine.count(JobPlace::executable), 1);
}

TEST_P(Embedding, What_repeats) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    engine.start_series({
        .turn = {.handler_type = "report"},
        .repeat = "0 0 2 * * ?",
        .zone = "Europe/Berlin",
        .key = "nightly-report",
    });
    EXPECT_EQ(test.waiting().size(), 1);

    std::vector<TimePoint> shown;
    const auto show = [&](TimePoint turn) { shown.push_back(turn); };
    jobstrand::SeriesManagement series(engine);
    series.set_calendar("holidays", "zone Europe/Berlin; annual 01-01 12-25 12-26");
    series.reschedule("nightly-report", {.repeat = "0 30 3 * * ?", .calendar = "holidays"});
    for (const jobstrand::TimePoint turn : series.next_turns("nightly-report", 3)) {
        show(turn);
    }
    series.pause("nightly-report");
    EXPECT_EQ(shown.size(), 3U);
    EXPECT_EQ(shown.front(), test.now() + 26h + 30min) << "the first of January is left out";
    EXPECT_EQ(series.list({.state = SeriesState::paused}).size(), 1U);
}

/// Has paper for one job.
struct Printer {
    std::optional<int> print(std::string_view) {
        return std::exchange(has_paper, false) ? std::optional(3) : std::nullopt;
    }

    bool has_paper = true;
};

TEST_P(Embedding, External_workers) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    Printer printer;
    for (int i = 0; i < 2; ++i) {
        engine.enqueue({.handler_type = "print", .for_external_worker = true});
    }
    // clang-format off
    jobstrand::ExternalWorker worker(engine, "printer-3");
    for (const jobstrand::AcquiredWork& work : worker.acquire({.topics = {"print"}, .jobs = 10, .lock = 5min})) {
        if (const auto pages = printer.print(work.job.payload)) {
            worker.complete(work.held, std::to_string(*pages));
        } else {
            worker.fail(work.held, {.message = "no paper", .retry_after = 10min});
        }
    }
    // clang-format on
    EXPECT_EQ(engine.list(JobPlace::executable).at(0).payload, "3");
    EXPECT_EQ(engine.list(JobPlace::timer).at(0).exception_message, "no paper");
}

TEST_P(Embedding, What_happened) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    engine.add_handler("invoice", [](const JobContext&) -> HandlerResult {
        return Failed{.message = "no paper", .details = "tray 2", .retryable = false};
    });
    engine.enqueue({.handler_type = "invoice", .id = "invoice-17"});
    EXPECT_EQ(engine.run_job("invoice-17").place, JobPlace::dead_letter);
    std::vector<std::string> shown;
    const auto show = [&](const std::string& text) { shown.push_back(text); };

    jobstrand::JobHistory history(engine);
    show(history.failure_details("invoice-17"));
    for (const jobstrand::JobLogLine& line : history.log({.job = "invoice-17"})) {
        show(std::string(name_of(line.event)) + ": " + line.message);
    }
    for (const jobstrand::FinishedRun& run : history.finished_runs({.job = "invoice-16"})) {
        show(run.job + " by " + run.node);
    }
    if (const auto run = history.progress("invoice-18")) {
        show(run->note);
    }

    EXPECT_EQ(shown, (std::vector<std::string>{"tray 2", "failed: no paper"}));
}

TEST_P(Embedding, Events) {
    std::vector<std::string> told;
    const auto tell = [&](const std::string& text) { told.push_back(text); };
    jobstrand::EngineOptions options = jobstrand::TestEngine::silent();
    options.history.on_incident = [&](const jobstrand::Incident& incident) {
        tell(incident.job + ": " + incident.message);
    };
    options.hooks.after_run = [&](const jobstrand::EndedRun& run) {
        tell(std::string(run.job.id) + " has been run");
    };
    jobstrand::TestEngine test(options);
    Engine& engine = test.engine();
    engine.on_external_jobs([&] { tell("work for the printers"); });
    engine.add_handler("mail", [](const JobContext&) -> HandlerResult {
        return Failed{.message = "no such address", .retryable = false};
    });
    engine.enqueue({.handler_type = "mail", .id = "mail-17"});
    EXPECT_EQ(test.run_until_idle(), 1);
    engine.enqueue({.handler_type = "print", .for_external_worker = true});
    const std::vector<std::string> all{
        "mail-17 has been run", "mail-17: no such address", "work for the printers"};
    EXPECT_EQ(told, all);
}

TEST_P(Embedding, Operators) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    engine.add_handler("mail", [](const JobContext&) -> HandlerResult {
        return Failed{.message = "timeout", .retryable = false};
    });
    engine.enqueue({.handler_type = "mail"});
    EXPECT_EQ(test.run_until_idle(), 1);

    jobstrand::Management management(engine);
    const jobstrand::JobQuery dead_mails{
        .place = jobstrand::JobPlace::dead_letter,
        .handler_types = {"mail"},
        .message = "timeout",
    };
    management.requeue_all(dead_mails, {.retries = 3, .spread = 10min});

    EXPECT_EQ(test.dead_letters().size(), 0U);

    std::vector<std::string> shown;
    const auto show = [&](const std::string& text) { shown.push_back(text); };
    management.set_limit({.name = "type:mail", .concurrent = 5});
    management.set_limit({.name = "tenant:*", .rate = jobstrand::StartRate{100, 1min}});
    for (const jobstrand::StoredLimit& limit : management.limits()) {
        show(limit.name + ": " + std::to_string(limit.waiting) + " wait");
    }
    management.remove_limit("type:mail");
    EXPECT_EQ(shown, (std::vector<std::string>{"tenant:*: 0 wait", "type:mail: 0 wait"}));
}

TEST_P(Embedding, Locks) {
    jobstrand::TestEngine test;
    Engine& engine = test.engine();
    std::vector<std::pair<std::string, std::int64_t>> closed;
    const auto accounts = [] { return std::vector<std::string>{"a", "b"}; };
    const auto close_account = [&](const std::string& account, std::int64_t token) {
        closed.emplace_back(account, token);
    };

    jobstrand::NamedLock books(engine, "close-books");
    const auto close_all = [&] {
        for (const std::string& account : accounts()) {
            if (!books.is_held()) {  // The database was away for longer than it lasts.
                throw std::runtime_error("the lock was lost");
            }
            close_account(account, books.token());
        }
    };
    const bool was_held = books.run(10s, close_all);  // Waits for it up to 10 s, and renews it.
    EXPECT_TRUE(was_held);
    EXPECT_FALSE(books.is_held());
    ASSERT_EQ(closed.size(), 2U);
    EXPECT_GT(closed.front().second, 0);
}

TEST_P(Embedding, Tests) {
    jobstrand::TestEngine test;
    test.engine().add_handler("remind", remind);
    test.engine().enqueue({.handler_type = "remind", .due_date = test.now() + 24h});

    assert(test.waiting().size() == 1);
    assert(test.run_until_idle() == 0);  // It is not due.
    test.advance(24h);
    assert(test.run_until_idle() == 1);
    assert(test.runs().back().end == jobstrand::RunEnd::succeeded);

    test.engine().add_handler("always-broken", [](const JobContext&) -> HandlerResult {
        throw std::runtime_error("broken");
    });
    test.engine().enqueue({.handler_type = "always-broken", .retry_cycle = "R3/PT10M"});
    test.run_for(1h);
    assert(test.dead_letters().size() == 1);
    assert(test.dead_letters().front().exception_message == "broken");
}

TEST_P(Embedding, A_retry_rule) {
    jobstrand::EngineOptions options;
    options.retry_rule = [](const RunningJob& job, int attempt, const Failed& failure) {
        RetryDecision decision;  // as usual
        if (failure.message.starts_with("rate limit")) {
            decision = {.what = RetryDecision::What::retry, .wait = attempt * 30s};
        } else if (job.tenant_id == "trial") {
            decision.what = RetryDecision::What::give_up;
        }
        return decision;
    };
    jobstrand::TestEngine test(options);
    test.engine().add_handler("limited", [](const JobContext&) -> HandlerResult {
        throw std::runtime_error("rate limit reached");
    });
    test.engine().enqueue({.handler_type = "limited"});
    EXPECT_EQ(test.run_for(29s), 1);
    EXPECT_EQ(test.run_for(1s), 1);
}

/// What some app does with hooks.
struct Watcher {
    void set_tenant(std::string_view tenant) { seen.emplace_back(tenant); }
    void add(std::string_view handler_type, Duration) { seen.emplace_back(handler_type); }
    std::vector<std::string> seen;
};

TEST_P(Embedding, Hooks) {
    Watcher log;
    Watcher times;
    const std::string tenant = "acme";
    jobstrand::EngineOptions options;
    // clang-format off
    options.hooks = {
        .before_enqueue = [&](jobstrand::NewJob& job) { job.tenant_id = tenant; },
        .before_run = [&](const jobstrand::JobContext& context) { log.set_tenant(context.job.tenant_id); },
        .after_run = [&](const jobstrand::EndedRun& run) { times.add(run.job.handler_type, run.ended - run.began); },
    };
    // clang-format on
    jobstrand::TestEngine test(options);
    test.engine().add_handler("remind", remind);
    test.engine().enqueue({.handler_type = "remind"});
    EXPECT_EQ(test.run_until_idle(), 1);
    EXPECT_EQ(log.seen, std::vector<std::string>{"acme"});
    EXPECT_EQ(times.seen, std::vector<std::string>{"remind"});
}

TEST_P(Embedding, A_test_at_another_date) {
    // clang-format off
    jobstrand::TestEngine old(jobstrand::TestEngine::silent(), std::chrono::sys_days(2014y / 3 / 29));
    old.engine().add_handler("remind", remind);
    old.engine().start_series({.turn = {.handler_type = "remind"}, .repeat = "0 0 4 * * ?", .zone = "Europe/Berlin"});
    old.run_for(48h);  // Over the night of a change of clocks.
    assert(old.runs()[1].at - old.runs()[0].at == 23h);
    // clang-format on
}

TEST_P(Embedding, A_test_with_two_nodes) {
    jobstrand::TestEngine test;
    test.engine().add_handler("remind", remind);
    jobstrand::TestNode& other = test.add_node();
    other.engine().add_handler("remind", remind);
    test.engine().enqueue({.handler_type = "remind"});

    assert(test.node().acquire(1) == 1);  // As a node does ahead of its threads.
    test.node().kill();
    assert(test.run_until_idle() == 0);  // The job is locked.
    test.run_for(30s);
    assert(test.runs().back().node == other.name());
}

TEST_P(Embedding, Looking_for_jobs) {
    jobstrand::Engine engine({.database_url = "sqlite:orders.db", .log = nullptr});
    std::size_t shown = 0;
    const auto show = [&](const std::vector<jobstrand::StoredJob>& page) { shown += page.size(); };
    engine.enqueue({.handler_type = "mail", .due = "PT1H"});
    jobstrand::JobQuery failed{
        .place = jobstrand::JobPlace::timer,
        .handler_types = {"mail"},
        .with_exception = true,
        .order = jobstrand::JobOrder::due_date,
    };
    for (auto page = engine.list(failed); !page.empty(); page = engine.list(failed)) {
        show(page);
        failed.behind = page.back();
    }
    EXPECT_EQ(shown, 0U) << "it has not failed";
}

TEST_P(Embedding, Settings_and_log) {
    Recorder my_log;
    jobstrand::Engine engine({
        .database_url = "sqlite:orders.db",
        .threads = 4,
        .log = [&](const jobstrand::LogLine& line) { my_log(line.level, line.message); },
        .log_level = jobstrand::LogLevel::warn,
    });
    EXPECT_EQ(my_log.calls, 0);
}

}  // namespace

}  // namespace jobstrand::test
