#include "persistence/sql/session_pool.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// About as long as two commits take on a slow disk: what waits for longer gains nothing.
constexpr std::chrono::milliseconds kLongestWait{10};

}  // namespace

bool CommitGroup::may_grow() const {
    return std::chrono::steady_clock::now() - began_ < kLongestWait;
}

void CommitGroup::committed() {
    {
        const std::lock_guard lock(mutex_);
        end_ = End::committed;
    }
    ended_.notify_all();
}

void CommitGroup::failed(const DbError& error) {
    {
        const std::lock_guard lock(mutex_);
        end_ = End::failed;
        kind_ = error.kind();
        message_ = error.what();
    }
    ended_.notify_all();
}

void CommitGroup::wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return end_ != End::none; });
    if (end_ == End::failed) {
        throw DbError(kind_, message_);
    }
}

SessionPool::SessionPool(
    Connect connect,
    Size size,
    schema::Duration lease_timeout,
    const schema::Clock& clock
)
    : connect_(std::move(connect)),
      lease_timeout_(lease_timeout),
      idle_limit_(size.idle_limit),
      spare_limit_(size.spare_limit),
      age_limit_(size.age_limit),
      clock_(clock),
      writers_(size.writers),
      readers_(size.readers) {}

SessionPool::~SessionPool() = default;

SessionPool::Lease SessionPool::lease(Access access, Commit commit) {
    {
        std::unique_lock lock(mutex_);
        wait_for_place(side(access), commit, lock);
    }
    return {*this, access, idle_or_new(access)};
}

std::size_t SessionPool::waiting(Access access) {
    const std::scoped_lock lock(mutex_);
    return side(access).queue.size();
}

SessionPool::Side& SessionPool::side(Access access) {
    return access == Access::read && readers_.limit > 0 ? readers_ : writers_;
}

void SessionPool::wait_for_place(Side& side, Commit commit, std::unique_lock<std::mutex>& lock) {
    const auto me = side.queue.emplace(side.queue.end(), commit);
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

SessionPool::Lent SessionPool::idle_or_new(Access access) {
    if (Lent idle = take_idle(side(access)); idle.connection) {
        return idle;
    }
    const std::uint64_t losses = losses_of(access);
    // Defended catch: the place that was counted for the new connection must become free again.
    try {
        return {.connection = connect_(access), .losses = losses, .made = clock_.steady_now()};
    } catch (...) {
        free_place(side(access));
        throw;
    }
}

SessionPool::Lent SessionPool::take_idle(Side& side) {
    std::vector<IdleConnection> outdated;  // Closed when the lock is free again.
    const std::scoped_lock lock(mutex_);
    if (side.idle.empty()) {
        return {};
    }
    if (is_outdated(side.idle.back(), idle_limit_)) {
        outdated = side.take_all();  // The others have been idle for longer still.
        return {};
    }
    Lent lent = std::move(side.idle.back().lent);
    side.idle.pop_back();
    return lent;
}

// The first are those that nobody has needed for longest.
std::vector<SessionPool::IdleConnection> SessionPool::take_spare(Side& side) const {
    const auto needed = std::ranges::find_if_not(side.idle, [&](const IdleConnection& idle) {
        return is_outdated(idle, spare_limit_);
    });
    std::vector<IdleConnection> spare(
        std::move_iterator(side.idle.begin()), std::move_iterator(needed)
    );
    side.idle.erase(side.idle.begin(), needed);
    return spare;
}

bool SessionPool::is_outdated(const IdleConnection& idle, schema::Duration idle_limit) const {
    const schema::SteadyPoint moment = clock_.steady_now();
    return !idle.lent.group && (moment - idle.since > idle_limit ||
                                (age_limit_ && moment - idle.lent.made > *age_limit_));
}

std::uint64_t SessionPool::losses_of(Access access) {
    const std::scoped_lock lock(mutex_);
    return side(access).losses;
}

void SessionPool::free_place(Side& side) noexcept {
    const std::scoped_lock lock(mutex_);
    --side.lent;
    if (!side.queue.empty()) {
        side.queue.front().turn.notify_one();
    }
}

// One step for all who look: the next in the queue may give up waiting, but not once the place is
// free, and nobody else may take it.
std::shared_ptr<CommitGroup> SessionPool::pass_on(Access access, Lent& lent) {
    Side& to = side(access);
    const std::scoped_lock lock(mutex_);
    if (!to.is_next_sharing() || (lent.group && !lent.group->may_grow())) {
        return nullptr;
    }
    if (!lent.group) {
        lent.group = std::make_shared<CommitGroup>();
    }
    std::shared_ptr<CommitGroup> group = lent.group;
    to.idle.push_back({std::move(lent), clock_.steady_now()});
    --to.lent;
    to.queue.front().turn.notify_one();
    return group;
}

void SessionPool::give_back(Access access, Lent lent) noexcept {
    Side& to = side(access);
    // Closed when the lock is free again.
    Lent ended;
    std::vector<IdleConnection> all_ended;
    {
        const std::scoped_lock lock(mutex_);
        const bool is_of_now = lent.losses == to.losses;  // Else those that lie idle are newer.
        if (is_of_now && lent.connection->is_usable()) {
            all_ended = take_spare(to);  // Not this one, which was needed just now.
            to.idle.push_back({std::move(lent), clock_.steady_now()});
        } else {
            ended = std::move(lent);
            if (is_of_now) {
                ++to.losses;
                all_ended = to.take_all();
            }
        }
    }
    ended.connection.reset();
    all_ended.clear();
    free_place(to);
}

SessionPool::Lease::Lease(SessionPool& pool, Access access, Lent lent)
    : pool_(&pool), access_(access), lent_(std::move(lent)) {}

SessionPool::Lease::Lease(Lease&& other) noexcept = default;

SessionPool::Lease::~Lease() {
    if (lent_.connection) {
        lent_.group = nullptr;
        pool_->give_back(access_, std::move(lent_));
    }
}

std::shared_ptr<CommitGroup> SessionPool::Lease::pass_on() {
    return pool_->pass_on(access_, lent_);
}

}  // namespace jobstrand::persistence
