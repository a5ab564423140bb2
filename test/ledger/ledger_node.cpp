// A node that writes down each run: when it begins, with the fencing token, and how it ends.
//
//     ledger_node URL FILE MILLISECONDS LEASE
//
// Each job takes so many milliseconds, unless it is told to stop; LEASE is that of the node in
// milliseconds, and locks last three of them. Says when it has started. SIGUSR1 makes the machine's
// clock jump, as the node sees it: by ten minutes, forth and back. Runs until SIGTERM and then
// drains.
//
// The environment's JOBSTRAND_LEDGER_LOCKS, row or page, says how it locks.
//
// Handlers: `plain`; `few`, which takes 18 ms more, for jobs that meet a limit; `alone`, for
// exclusive jobs; `flaky`, which fails at the first attempt;
// `effect`, which writes a row into LEDGER_EFFECT in the transaction that ends its job.

#include "bench/core/stderr_log.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/signal.hpp"
#include "test/ledger/ledger.hpp"
#include "tools/engine/wiring.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace jobstrand {
namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using test::Mark;

class JumpingClock final : public schema::Clock {
public:
    [[nodiscard]] schema::TimePoint now() const override { return clock_.now() + ahead_.load(); }
    [[nodiscard]] schema::SteadyPoint steady_now() const override { return clock_.steady_now(); }

    void jump() {
        constexpr schema::Duration far = std::chrono::minutes(10);
        ahead_ = ahead_.load() == far ? schema::Duration{0} : far;
    }

private:
    const schema::SystemClock clock_;
    std::atomic<schema::Duration> ahead_{schema::Duration{0}};
};

/// The handlers' work, written down.
class Work final {
public:
    Work(const char* file, schema::Duration time)
        : ledger_(std::make_shared<test::WrittenLedger>(file)), time_(time) {}

    /// In the same ledger.
    [[nodiscard]] Work longer() const {
        Work work = *this;
        work.time_ += std::chrono::milliseconds(18);
        return work;
    }

    HandlerResult operator()(const JobContext& context, bool fails = false) const {
        const test::Entry entry{
            .job = context.job.id,
            .token = context.fencing_token,
            .attempt = context.attempt,
            .instance = context.job.exclusive ? context.job.process_instance_id : "",
        };
        ledger_->write_run(entry, time_, context.stop, fails ? Mark::failed : Mark::done);
        if (fails) {
            return Failed{.message = "as it was told to"};
        }
        return Succeeded{};
    }

private:
    std::shared_ptr<const test::WrittenLedger> ledger_;
    schema::Duration time_;
};

void add_handlers(executor::HandlerRegistry& handlers, const Work& work) {
    handlers.add("plain", [&](const JobContext& context) { return work(context); });
    handlers.add("few", [&](const JobContext& context) { return work.longer()(context); });
    handlers.add("alone", [&](const JobContext& context) { return work(context); });
    handlers.add("flaky", [&](const JobContext& context) {
        return work(context, context.attempt == 1);
    });
    handlers.add_transactional(
        "effect",
        [&](const JobContext& context, persistence::Transaction& transaction) {
            transaction.execute(
                "INSERT INTO LEDGER_EFFECT (JOB_ID_, TOKEN_) VALUES (?, ?)",
                {std::string_view(context.job.id), context.fencing_token}
            );
            return work(context);
        }
    );
}

/// Of a start that meets the end of the database a service manager makes another one.
void start(engine::Wiring& engine) {
    const auto has_started = [&] {
        // Defended catch: see above.
        try {
            engine.start();
            return true;
        } catch (const persistence::DbError& error) {
            if (!error.is_outage()) {
                throw;
            }
            return false;
        }
    };
    if (!test::eventually(has_started, std::chrono::minutes(1))) {
        throw std::runtime_error("the database is away");
    }
}

void run_node(
    const char* url,
    const char* file,
    schema::Duration work_time,
    schema::Duration lease
) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGUSR1, SIG_DFL);  // Ignored until here: see Fleet.

    JumpingClock clock;
    bench::StderrLog log;  // Among the failures may be some that no handler has made.
    const Work work(file, work_time);
    const char* const locks = std::getenv("JOBSTRAND_LEDGER_LOCKS");
    engine::Wiring engine(
        {.database_url = url,
         .executor =
             {.lost_starts = 1'000'000,  // The script kills more than any real world.
              .lock_granularity =
                  schema::lock_granularity_of(locks == nullptr ? "row" : locks).value(),
              .lock_time = 3 * lease,
              .node_lease = lease,
              .reset_interval = lease / 4,
              .retry = {.message_wait = std::chrono::seconds(1)}}},
        clock,
        log
    );
    add_handlers(engine.handlers(), work);
    start(engine);
    std::fputs("executor started\n", stderr);
    for (int signal = 0; signal != SIGTERM; sigwait(&signals, &signal)) {
        if (signal == SIGUSR1) {
            clock.jump();
        }
    }
    (void)engine.stop(executor::StopMode::drain);
}

}  // namespace
}  // namespace jobstrand

int main(int count, char** words) {
    if (count != 5) {
        std::fputs("usage: ledger_node URL FILE MILLISECONDS LEASE\n", stderr);
        return 2;
    }
    jobstrand::run_node(
        words[1],
        words[2],
        std::chrono::milliseconds(std::atoi(words[3])),
        std::chrono::milliseconds(std::atoi(words[4]))
    );
    return 0;
}
