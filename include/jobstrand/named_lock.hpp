#pragma once

#include <jobstrand/engine.hpp>
#include <jobstrand/time.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace jobstrand {

struct NamedLockOptions {
    /// It ends so long after it was taken or renewed: more than 0, at most 30 days.
    Duration time{std::chrono::seconds(30)};

    /// All that says who holds it, up to 255 characters; empty: nobody else than the object.
    std::string owner = {};
};

/// A lock of the app's own by name, over all processes on the database of an engine. One owner at a
/// time holds it, until its end by the database's clock: that of a process that has died is free
/// then, and one that stands still so long has lost it.
///
///     jobstrand::NamedLock books(engine, "close-books");
///     books.run(10s, [&] { close_books(books); });
///
/// Whoever was stopped in the middle may go on after its end and not know. What must not happen
/// twice even then gives token() to what it changes, which refuses a smaller one than it has seen.
///
/// Errors: Error; std::invalid_argument for a name, an owner or a time that no lock can have;
/// std::logic_error within a transaction of the engine. Thread safety: is_held(), until() and
/// token() from any thread, all else from one. The engine must outlive it; it need not run.
class NamedLock final {
public:
    /// `name`: 1 to 64 characters.
    NamedLock(Engine& engine, std::string name, NamedLockOptions options = {});

    /// Releases it; where the database does not answer it ends by itself.
    ~NamedLock();

    NamedLock(const NamedLock&) = delete;
    NamedLock& operator=(const NamedLock&) = delete;

    /// Takes it, or holds it for longer. false: another owner holds it.
    [[nodiscard]] bool try_acquire();

    /// Tries again and again, up to `wait` by this machine's clock.
    [[nodiscard]] bool acquire(Duration wait);

    /// Holds it for longer. false: it was over, or not held at all.
    [[nodiscard]] bool renew();

    /// Does nothing when it is not held.
    void release();

    /// Acquires it, runs `work`, and releases it; meanwhile a thread renews it. false: it was not
    /// acquired, and nothing was run. Throws what `work` throws.
    bool run(Duration wait, const std::function<void()>& work);

    /// By the database's clock. What renews it in run() may have failed: long work asks now and
    /// then.
    [[nodiscard]] bool is_held() const;

    /// When it ends if nobody renews it; 1970: it is not ours.
    [[nodiscard]] TimePoint until() const;

    /// Grows with each time that somebody takes the lock; 0: it was never taken here.
    [[nodiscard]] std::int64_t token() const;

private:
    class Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace jobstrand
