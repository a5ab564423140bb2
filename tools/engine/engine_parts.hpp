#pragma once

#include "executor/enqueue/job_defaults.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/clock.hpp"
#include "schema/job_failure.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/wiring.hpp"

#include <jobstrand/engine.hpp>
#include <jobstrand/enqueuer.hpp>
#include <jobstrand/log.hpp>
#include <jobstrand/transaction.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
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

/// Enqueues on connections of the app: see Enqueuer. A job with a due date goes to the timers
/// whatever the time is, because this machine's clock may not be the database's.
///
/// Thread safety: safe, for each connection one thread at a time. The clock must outlive it.
class PlainProducer final {
public:
    /// Without `ids` it makes ids of its own.
    PlainProducer(
        const schema::Clock& clock,
        schema::RetryPolicy policy,
        std::shared_ptr<schema::FreshIds> ids = nullptr
    );

    std::vector<std::string> enqueue(const AppConnection& connection, std::vector<NewJob> jobs);

private:
    [[nodiscard]] std::vector<schema::PlacedJob> placed(std::vector<schema::Job> jobs) const;

    const schema::Clock& clock_;
    executor::JobDefaults defaults_;

    std::mutex ids_mutex_;
    schema::Uuid7Source payload_ids_;  ///< Guarded by ids_mutex_.
};

/// The threads that are inside a transaction of an engine.
///
/// Thread safety: safe.
class TransactionThreads final {
public:
    /// This thread is inside for as long as it lives.
    class Stay final {
    public:
        explicit Stay(TransactionThreads& threads) : threads_(threads) {
            const std::lock_guard lock(threads_.mutex_);
            place_ = threads_.inside_.insert(std::this_thread::get_id());
        }
        ~Stay() {
            const std::lock_guard lock(threads_.mutex_);
            threads_.inside_.erase(place_);
        }

        Stay(const Stay&) = delete;
        Stay& operator=(const Stay&) = delete;

    private:
        TransactionThreads& threads_;
        std::multiset<std::thread::id>::iterator place_;
    };

    [[nodiscard]] bool has_this_one() const {
        const std::lock_guard lock(mutex_);
        return inside_.contains(std::this_thread::get_id());
    }

private:
    mutable std::mutex mutex_;
    std::multiset<std::thread::id> inside_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::engine

namespace jobstrand {

/// What a public Transaction stands for, while it is open: the engine that began it, and ours.
class Transaction::Open final {
public:
    Open(const engine::Wiring& owner, persistence::Transaction& transaction)
        : owner_(owner), transaction_(&transaction) {}

    /// Throws std::logic_error when it has ended.
    [[nodiscard]] persistence::Transaction& ours() const;

    /// The same, and when another engine began it.
    [[nodiscard]] persistence::Transaction& ours_of(const engine::Wiring& engine) const;

    void end() { transaction_ = nullptr; }

private:
    const engine::Wiring& owner_;
    persistence::Transaction* transaction_;
};

namespace engine {

/// Shows one of our transactions to the app for as long as this lives; copies that the app keeps
/// are of no use then.
class ShownTransaction final {
public:
    ShownTransaction(const Wiring& owner, persistence::Transaction& transaction)
        : open_(std::make_shared<Transaction::Open>(owner, transaction)), face_(open_) {}
    ~ShownTransaction() { open_->end(); }

    ShownTransaction(const ShownTransaction&) = delete;
    ShownTransaction& operator=(const ShownTransaction&) = delete;

    [[nodiscard]] Transaction& face() { return face_; }

private:
    const std::shared_ptr<Transaction::Open> open_;
    Transaction face_;
};

}  // namespace engine

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

    /// The same about one item.
    template <typename Call>
    deadletter::ItemResult result_of_change(const Call& call) {
        return change([&](engine::Wiring& wiring) {
            return engine::item_of([&](const deadletter::BulkWatch& watch) { call(wiring, watch); }
            );
        });
    }
    template <typename Call>
    ChangeAnswer change_item(const Call& call) {
        return result_of_change(call).answer;
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
    void
    add(const std::string& handler_type, bool has_function, const std::function<void()>& add_it);

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
