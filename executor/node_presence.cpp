#include "executor/node_presence.hpp"

#include "schema/acquisition.hpp"
#include "schema/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

using persistence::AskedTopic;
using persistence::NodeState;
using schema::JobPlace;

namespace {

/// Of a host that does not tell its name.
constexpr const char* kUnnamedHost = "localhost";

std::string host_name() {
    // For its end too, without which the longest name is refused; and the last byte stays zero.
    std::array<char, schema::kHostLength + 2> name{};
    const bool is_known = ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0';
    return is_known ? name.data() : kUnnamedHost;
}

}  // namespace

std::string fresh_lock_owner() {
    std::random_device device;
    schema::NodeRandom random{};
    for (std::uint64_t& part : random) {
        part = std::uint64_t{device()} << 32 | device();
    }
    return schema::lock_owner_of({.host = host_name(), .process = ::getpid()}, random);
}

persistence::NodeIdentity
identity_of(const std::string& lock_owner, schema::LockGranularity locks) {
    return {
        .node = lock_owner,
        .incarnation = fresh_lock_owner(),
        .host = host_name(),
        .process = ::getpid(),
        .version = JOBSTRAND_VERSION,
        .locks = locks,
    };
}

void DeadNodes::look(schema::TimePoint as_of) {
    {
        const std::lock_guard lock(mutex_);
        asked_ = as_of;
    }
    use_.wake_ups.nodes_may_be_dead();
}

schema::Duration DeadNodes::run_once() {
    std::optional<schema::TimePoint> as_of;
    {
        const std::lock_guard lock(mutex_);
        as_of = std::exchange(asked_, {});
    }
    if (as_of) {
        end_leases(*as_of);
    }
    return kUntilWoken;
}

void DeadNodes::end_leases(schema::TimePoint as_of) {
    const std::vector<std::string> dead = use_.nodes.end_expired_leases({as_of, node_, patience_});
    if (dead.empty()) {
        return;
    }
    found_ += dead.size();
    const std::int64_t freed = free_jobs_of(dead);
    use_.log.write(
        schema::LogLevel::warn,
        dead.size() == 1 ? "a node has not renewed its lease; its jobs are free"
                         : "nodes have not renewed their leases; their jobs are free",
        {{dead.size() == 1 ? "node" : "nodes", fmt::format("{}", fmt::join(dead, ", "))},
         {"jobs", freed}}
    );
    use_.wake_ups.jobs_are_there();
}

std::int64_t DeadNodes::free_jobs_of(std::span<const std::string> nodes) {
    std::int64_t freed = 0;
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
        const auto reset =
            use_.jobs.reset_expired_locks(place, {.now = use_.clock.now(), .owners = nodes});
        freed += reset.freed;
    }
    // Also frees what waited for them.
    return freed + use_.jobs.reset_expired_groups(use_.clock.now(), nodes);
}

namespace {

/// How soon others see what the node does.
constexpr schema::Duration kTellInterval = std::chrono::seconds(2);

/// How old what they see of workers that go on asking may be.
constexpr schema::Duration kAskedAnew = std::chrono::seconds(30);

}  // namespace

NodePresence::NodePresence(
    Dependencies dependencies,
    persistence::NodeIdentity identity,
    schema::Duration lease_time
)
    : use_(std::move(dependencies)), identity_(std::move(identity)), lease_time_(lease_time) {}

schema::Duration NodePresence::run_once() {
    const schema::SteadyPoint began = use_.clock.steady_now();
    const bool is_to_tell_only = began < renews_at_ && is_served_told();
    if (!is_to_tell_only) {
        renew();
        renews_at_ = began + lease_time_ / 3;
        if (can_tell_who_is_dead() && may_any_be_dead()) {
            use_.dead.look(use_.clock.now());
        }
    }
    // Last, so that what the database does not take of it keeps nobody from renewing or looking.
    if (!is_taken_over_) {
        record_work();
    }
    if (!is_taken_over_ && !is_to_tell_only) {
        record_asked();
    }
    const auto left = std::chrono::ceil<schema::Duration>(renews_at_ - began);
    return is_taken_over_ ? left : std::min(left, kTellInterval);
}

void NodePresence::renew() {
    const schema::SteadyPoint began = use_.clock.steady_now();
    if (!use_.lease.is_held(began)) {
        trusts_from_ = began + lease_time_;
        if (has_registered_) {
            use_.lease.see_others_from(trusts_from_);
        }
    }
    if (is_taken_over_) {
        return;
    }
    const bool had_lease = has_registered_ && use_.lease.is_held(began);
    const auto answer =
        use_.nodes.renew_lease(identity_, use_.load(), use_.clock.now() + lease_time_);
    if (answer.is_taken_over && has_registered_) {
        is_taken_over_ = true;
        use_.lease.hold_until(schema::SteadyPoint::min());
        use_.log.write(
            schema::LogLevel::error,
            "another executor has started under this node's name, so this one takes no more jobs: "
            "give each a lockOwner of its own, or none",
            {{"node", identity_.node}}
        );
        return;
    }
    if (answer.is_held) {
        has_registered_ = true;  // Perhaps by a call whose answer was lost.
        obey(answer.state);
        record_served();
    } else {
        register_anew();
    }
    if (!had_lease || !answer.is_held) {
        use_.check_locks();
    }
    use_.lease.hold_until(began + lease_time_);
    if (!had_lease) {
        use_.wake_ups.room_became_free();
    }
}

// Since when a job runs does not change, but is reckoned anew each time; a millisecond is no news.
void NodePresence::record_work() {
    persistence::NodeWork work = use_.work();
    const auto name = [](const persistence::LongRun& run) {
        return std::pair(std::string_view(run.id), run.revision);
    };
    const bool is_news = work.last_minute != told_.last_minute ||
                         work.standstill != told_.standstill ||
                         !std::ranges::equal(work.runs, told_.runs, {}, name, name);
    if (is_news) {
        use_.nodes.record_work(identity_.node, work);
        told_ = std::move(work);
    }
}

// When somebody has asked last changes all the time; the names are news.
void NodePresence::record_asked() {
    if (!use_.asked) {
        return;
    }
    std::vector<persistence::AskedTopic> asked = use_.asked();
    const auto is_as_told = [](const AskedTopic& now, const AskedTopic& told) {
        return now.topic == told.topic && now.worker == told.worker &&
               now.last - told.last < kAskedAnew;
    };
    if (!std::ranges::equal(asked, told_asked_, is_as_told)) {
        use_.nodes.record_asked(identity_.node, asked);
        told_asked_ = std::move(asked);
    }
}

void NodePresence::register_anew() {
    const schema::TimePoint now = use_.clock.now();
    const auto served = served_now();
    use_.nodes.register_node(identity_, *served, now, now + lease_time_);
    told_ = {};
    told_asked_.clear();
    told_served_ = served;
    if (std::exchange(has_registered_, true)) {
        use_.log.write(
            schema::LogLevel::warn,
            "this node's lease was over; others may have its jobs",
            {{"node", identity_.node}}
        );
    }
}

void NodePresence::obey(NodeState state) {
    const bool is_to_drain = state == NodeState::draining;
    if (is_to_drain == use_.lease.is_draining()) {
        return;
    }
    use_.lease.drain(is_to_drain);
    use_.log.write(
        schema::LogLevel::info,
        is_to_drain ? "this node is drained: it ends what it holds and takes nothing more"
                    : "this node takes jobs again",
        {{"node", identity_.node}}
    );
    use_.wake_ups.room_became_free();
}

void NodePresence::record_served() {
    const auto served = served_now();
    if (told_served_ == nullptr || *served != *told_served_) {
        use_.nodes.record_served(identity_.node, *served);
    }
    told_served_ = served;
}

bool NodePresence::is_served_told() const {
    return told_served_ != nullptr && *served_now() == *told_served_;
}

std::shared_ptr<const persistence::ServedJobs> NodePresence::served_now() const {
    const bool takes_any = !is_leaving_ && !use_.lease.is_draining();
    return takes_any ? use_.intake.served() : std::make_shared<const persistence::ServedJobs>();
}

bool NodePresence::can_tell_who_is_dead() {
    const schema::SteadyPoint now = use_.clock.steady_now();
    if (clock_jumps_.has_jumped(use_.clock, lease_time_ / 3)) {
        trusts_from_ = now + lease_time_ + kClockComparisonInterval;
    }
    return now >= trusts_from_;
}

// Until the next pass, at which it would look again.
bool NodePresence::may_any_be_dead() const {
    return use_.view == nullptr ||
           !use_.view->do_leases_last(use_.clock.now() + lease_time_ / 3, use_.clock.steady_now());
}

void NodePresence::stop_serving() {
    is_leaving_ = true;
    use_.nodes.record_served(identity_.node, {});
}

void NodePresence::leave() {
    use_.nodes.leave(identity_);
}

}  // namespace jobstrand::executor
