#pragma once

#include "schema/clock.hpp"
#include "schema/job_failure.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/plain_producer.hpp"
#include "tools/engine/public_transaction.hpp"
#include "tools/engine/wiring.hpp"

#include <jobstrand/engine.hpp>
#include <jobstrand/log.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::engine {

/// A line as the service writes it: `2026-11-20T10:15:30.123Z WARN  job failed id=17 error="no
/// answer"`, without its end. Fields without a value are left out.
[[nodiscard]] std::string text_of(const LogLine& line, schema::TimePoint time);

/// Our log lines for the app's function.
///
/// Thread safety: that of the function.
class ShownLog final : public schema::Log {
public:
    ShownLog(WriteLog write, LogLevel least) : write_(std::move(write)), least_(least) {}

    [[nodiscard]] bool enabled(LogLevel level) const noexcept override;
    void write(
        LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override;

private:
    const WriteLog write_;
    const LogLevel least_;
};

}  // namespace jobstrand::engine

namespace jobstrand {

/// What stands behind the public engine: the wiring, and in which order calls make sense.
///
/// Thread safety: safe.
class Engine::Parts final {
public:
    /// What an engine of a test goes by.
    struct ByHand {
        const schema::Clock& clock;
        std::shared_ptr<schema::FreshIds> ids;
        persistence::DecorateConnection decorate = {};
    };

    /// Throws DbError, std::invalid_argument.
    explicit Parts(const EngineOptions& options);

    /// By hand nothing runs by itself: start() and stop() only keep the order of calls.
    Parts(const EngineOptions& options, const ByHand& by_hand);

    /// Shows new jobs to the app before they are stored. Throws what it throws.
    void before_enqueue(std::span<NewJob> jobs) const;

    /// The wiring, for what has a transaction of its own. Throws std::logic_error, which says what
    /// to do instead, where the call would wait for the transaction that this thread is in.
    engine::Wiring& outside_transaction(const char* instead = "do this before or after it");

    /// Whether a call would wait for the transaction that this thread is in.
    [[nodiscard]] bool would_wait_for_itself() const {
        return wiring_.has_one_writer() && inside_.has_this_one();
    }

    /// Calls what changes jobs for an operator: this node looks for what can run now.
    template <typename Call>
    auto change(const Call& call) {
        auto answer = call(outside_transaction());
        wiring_.wake();
        return answer;
    }

    [[nodiscard]] engine::Wiring& wiring() { return wiring_; }
    [[nodiscard]] engine::PlainProducer& plain() { return plain_; }
    [[nodiscard]] schema::Log& log() { return log_; }
    [[nodiscard]] const schema::RetryPolicy& retry() const { return retry_; }
    [[nodiscard]] const executor::OnRun& on_run() const { return on_run_; }

private:
    friend class Engine;

    enum class Phase { fresh, running, stopping, stopped };

    Parts(
        const EngineOptions& options,
        engine::WiringOptions wiring,
        const schema::Clock& clock,
        bool has_threads
    );

    void before_run(const JobContext& context) const;
    static void require_function(const std::string& handler_type, bool is_there);
    void add(const std::string& handler_type, const std::function<void()>& add_it);

    /// Calls the app with a transaction of ours.
    template <typename Call>
    auto show(persistence::Transaction& transaction, const Call& call) {
        const engine::TransactionThreads::Stay stay(inside_);
        engine::ShownTransaction shown(wiring_, transaction);
        return engine::with_own_errors([&] { return call(shown.face()); });
    }

    // Constant after construction.
    const bool has_threads_;
    const schema::RetryPolicy retry_;
    const Hooks hooks_;
    const executor::OnRun on_run_;
    engine::ShownLog log_;
    engine::Wiring wiring_;
    engine::PlainProducer plain_;
    engine::TransactionThreads inside_;

    mutable std::mutex mutex_;
    Phase phase_ = Phase::fresh;  ///< Guarded by mutex_.
    bool has_ended_well_ = true;  ///< Guarded by mutex_.
};

}  // namespace jobstrand
