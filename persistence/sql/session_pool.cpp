#include "persistence/sql/session_pool.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::persistence {

SessionPool::SessionPool(Connect connect, Size size, schema::Duration lease_timeout)
    : connect_(std::move(connect)),
      lease_timeout_(lease_timeout),
      idle_limit_(size.idle_limit),
      writers_(size.writers),
      readers_(size.readers) {}

SessionPool::~SessionPool() = default;

SessionPool::Lease SessionPool::lease(Access access) {
    {
        std::unique_lock lock(mutex_);
        wait_for_place(side(access), lock);
    }
    return {*this, access, idle_or_new(access)};
}

SessionPool::Side& SessionPool::side(Access access) {
    return access == Access::read && readers_.limit > 0 ? readers_ : writers_;
}

void SessionPool::wait_for_place(Side& side, std::unique_lock<std::mutex>& lock) {
    const auto me = side.queue.emplace(side.queue.end());
    const bool free = me->turn.wait_for(lock, lease_timeout_, [&] {
        return side.lent < side.limit && me == side.queue.begin();
    });
    side.queue.erase(me);
    if (free) {
        ++side.lent;
    }
    // Several places may be free, and each return woke only one thread.
    if (!side.queue.empty()) {
        side.queue.front().turn.notify_one();
    }
    if (!free) {
        throw DbError(
            DbErrorKind::busy,
            fmt::format(
                "no database connection became free within {} ms: all {} are in use",
                lease_timeout_.count(),
                side.limit
            )
        );
    }
}

std::unique_ptr<Connection> SessionPool::idle_or_new(Access access) {
    if (auto connection = take_idle(side(access))) {
        return connection;
    }
    // Defended catch: the place that was counted for the new connection must become free again.
    try {
        return connect_(access);
    } catch (...) {
        free_place(side(access));
        throw;
    }
}

std::unique_ptr<Connection> SessionPool::take_idle(Side& side) {
    std::vector<IdleConnection> outdated;  // Closed when the lock is free again.
    const std::scoped_lock lock(mutex_);
    if (side.idle.empty()) {
        return nullptr;
    }
    if (std::chrono::steady_clock::now() - side.idle.back().since > idle_limit_) {
        // The others have been idle for longer still.
        outdated = side.take_all();
        return nullptr;
    }
    auto connection = std::move(side.idle.back().connection);
    side.idle.pop_back();
    return connection;
}

void SessionPool::free_place(Side& side) noexcept {
    const std::scoped_lock lock(mutex_);
    --side.lent;
    if (!side.queue.empty()) {
        side.queue.front().turn.notify_one();
    }
}

void SessionPool::give_back(Access access, std::unique_ptr<Connection> connection) noexcept {
    Side& to = side(access);
    std::vector<IdleConnection> ended;  // Closed when the lock is free again.
    {
        const std::scoped_lock lock(mutex_);
        if (connection->is_usable()) {
            to.idle.push_back({std::move(connection), std::chrono::steady_clock::now()});
        } else {
            ended = to.take_all();
        }
    }
    connection.reset();
    ended.clear();
    free_place(to);
}

SessionPool::Lease::Lease(SessionPool& pool, Access access, std::unique_ptr<Connection> connection)
    : pool_(&pool), access_(access), connection_(std::move(connection)) {}

SessionPool::Lease::Lease(Lease&& other) noexcept = default;

SessionPool::Lease::~Lease() {
    if (connection_) {
        pool_->give_back(access_, std::move(connection_));
    }
}

}  // namespace jobstrand::persistence
