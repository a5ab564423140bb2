#include "persistence/named_lock_store.hpp"
#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/named_lock.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace jobstrand {

namespace {

using namespace std::chrono_literals;

/// Between two tries of who waits for a lock.
constexpr Duration kFirstTry = 20ms;
constexpr Duration kLaterTries = 500ms;

/// Renewals within the time of a lock.
constexpr int kRenewals = 3;

}  // namespace

class NamedLock::Parts final {
public:
    Parts(Engine::Parts& engine, std::string name, NamedLockOptions options)
        : engine_(engine),
          name_(std::move(name)),
          owner_(
              options.owner.empty() ? schema::Uuid7Source().next(engine.wiring().clock().now())
                                    : std::move(options.owner)
          ),
          time_(options.time) {}

    [[nodiscard]] bool try_acquire() {
        persistence::NamedLockStore& store = engine_.outside_transaction().named_lock_store();
        const persistence::NamedLock lock = store.acquire(claim(), database_now());
        if (lock.owner != owner_) {
            return false;
        }
        keep(lock);
        return is_held();  // The answer may have been longer on its way than it lasts.
    }

    [[nodiscard]] bool renew() {
        engine_.outside_transaction();
        return renew_anywhere();
    }

    void release() {
        if (until() != TimePoint{}) {
            persistence::NamedLockStore& store = engine_.outside_transaction().named_lock_store();
            store.release(name_, owner_, database_now());
            const std::lock_guard lock(mutex_);
            until_.reset();
        }
    }

    /// Where the database does not answer the lock ends by itself.
    void release_if_possible() {
        // Defended catch: this is said at the end of what may have thrown already.
        try {
            release();
        } catch (const std::exception& error) {
            engine_.log().write(
                schema::LogLevel::warn,
                "a named lock was not released: it ends by itself",
                {{"lock", name_}, {"error", error.what()}}
            );
        }
    }

    [[nodiscard]] bool is_held() const {
        const std::lock_guard lock(mutex_);
        return until_ && *until_ > now();
    }

    [[nodiscard]] TimePoint until() const {
        const std::lock_guard lock(mutex_);
        return until_.value_or(TimePoint{});
    }

    [[nodiscard]] std::int64_t token() const {
        const std::lock_guard lock(mutex_);
        return token_;
    }

    /// Renews the lock while it lives, and releases it then.
    class Held final {
    public:
        explicit Held(Parts& parts) : parts_(parts), thread_([this] { renew(); }) {}

        ~Held() {
            {
                const std::lock_guard lock(mutex_);
                is_over_ = true;
            }
            ended_.notify_one();
            thread_.join();
            parts_.release_if_possible();
        }

        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

    private:
        void renew() {
            std::unique_lock lock(mutex_);
            while (!ended_.wait_for(lock, parts_.time_ / kRenewals, [this] { return is_over_; })) {
                lock.unlock();
                // Defended catch: while the database is away the lock goes on to its end.
                try {
                    (void)parts_.renew_anywhere();
                } catch (const std::exception& error) {
                    parts_.engine_.log().write(
                        schema::LogLevel::warn,
                        "a named lock was not renewed",
                        {{"lock", parts_.name_}, {"error", error.what()}}
                    );
                }
                lock.lock();
            }
        }

        Parts& parts_;
        std::mutex mutex_;
        std::condition_variable ended_;
        bool is_over_ = false;  ///< Guarded by mutex_.
        std::thread thread_;
    };

private:
    [[nodiscard]] bool renew_anywhere() {
        const auto lock = engine_.wiring().named_lock_store().renew(claim(), database_now());
        if (lock) {
            keep(*lock);
            return true;
        }
        const std::lock_guard guard(mutex_);
        until_.reset();
        return false;
    }

    void keep(const persistence::NamedLock& lock) {
        const std::lock_guard guard(mutex_);
        until_ = lock.until;
        token_ = lock.token;
    }

    [[nodiscard]] TimePoint now() const { return engine_.wiring().clock().now(); }

    /// It is asked for: an engine that does not run compares no clocks.
    [[nodiscard]] TimePoint database_now() const {
        engine_.wiring().follow_database_clock();
        return now();
    }

    [[nodiscard]] persistence::NamedLockClaim claim() const { return {name_, owner_, time_}; }

    Engine::Parts& engine_;
    const std::string name_;
    const std::string owner_;
    const Duration time_;

    mutable std::mutex mutex_;
    std::optional<TimePoint> until_;  ///< Guarded by mutex_; nullopt: it is not ours.
    std::int64_t token_ = 0;          ///< Guarded by mutex_.
};

NamedLock::NamedLock(Engine& engine, std::string name, NamedLockOptions options)
    : parts_(std::make_unique<Parts>(*engine.parts_, std::move(name), std::move(options))) {}

NamedLock::~NamedLock() {
    parts_->release_if_possible();
}

bool NamedLock::try_acquire() {
    return parts_->try_acquire();
}

bool NamedLock::acquire(Duration wait) {
    const auto end = std::chrono::steady_clock::now() + wait;
    for (Duration pause = kFirstTry; !try_acquire(); pause = std::min(2 * pause, kLaterTries)) {
        const auto left = std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now());
        if (left <= Duration{0}) {
            return false;
        }
        schema::sleep_for(std::min(pause, left));
    }
    return true;
}

bool NamedLock::renew() {
    return parts_->renew();
}

void NamedLock::release() {
    parts_->release();
}

bool NamedLock::run(Duration wait, const std::function<void()>& work) {
    if (!acquire(wait)) {
        return false;
    }
    const Parts::Held held(*parts_);
    work();
    return true;
}

bool NamedLock::is_held() const {
    return parts_->is_held();
}

TimePoint NamedLock::until() const {
    return parts_->until();
}

std::int64_t NamedLock::token() const {
    return parts_->token();
}

}  // namespace jobstrand
