#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "tools/engine/wiring.hpp"

#include <jobstrand/transaction.hpp>

#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace jobstrand::engine {

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

}  // namespace jobstrand
