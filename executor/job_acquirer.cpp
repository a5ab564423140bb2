#include "executor/job_acquirer.hpp"

#include "schema/uuid7.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

namespace {

/// A job that comes after an idle time waits at most this part of that time.
constexpr int kPartOfIdleTime = 16;

/// A step of xorshift32: good enough to keep nodes from polling in step, and repeatable in tests.
std::uint32_t next_random(std::uint32_t state) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
}

}  // namespace

AcquisitionPace::AcquisitionPace(Limits limits, std::uint32_t seed)
    : limits_(limits), random_(seed == 0 ? 1 : seed) {}

schema::Duration AcquisitionPace::next_wait(std::size_t found) {
    if (found > 0) {
        reset();
        return schema::Duration{0};
    }
    const schema::Duration wait =
        std::min(std::max(idle_time_ / kPartOfIdleTime, limits_.first), limits_.idle_max);
    random_ = next_random(random_);
    const schema::Duration tenth = wait / 10;
    idle_time_ += wait;
    return wait - schema::Duration{random_ % (tenth.count() + 1)};
}

namespace {

/// The guides' default for a full queue is not to wait at all, which would be a busy loop.
constexpr schema::Duration kLeastFullWait = std::chrono::milliseconds(50);

/// Fewer jobs are locked by the row also where pages are claimed: a claim costs three statements
/// more, and a node that takes jobs one by one would hold a thousand claims.
constexpr std::size_t kLeastClaim = 16;

/// How long an answer about the other nodes holds. What is left to one that has gone meanwhile is
/// found by the next full look.
constexpr schema::Duration kNodesHold = std::chrono::seconds(10);

std::size_t pages_from(schema::LockGranularity granularity) {
    return granularity == schema::LockGranularity::page ? kLeastClaim : 0;
}

}  // namespace

JobAcquirer::JobAcquirer(
    persistence::ExecutorStore& store,
    JobIntake& intake,
    const schema::Clock& clock,
    const WakeUps& wake_ups,
    const ExecutorSettings& settings,
    LastView* view
)
    : store_(store),
      intake_(intake),
      clock_(clock),
      wake_ups_(wake_ups),
      page_(settings.acquire_page, settings.acquire_page_bytes),
      // The intake tells when it has room; it is also to see in time that it holds too much.
      queue_full_wait_(
          std::max(std::min(settings.queue_full_wait, settings.acquire_ahead), kLeastFullWait)
      ),
      order_(settings.order),
      pages_from_(pages_from(settings.lock_granularity)),
      view_(view),
      pace_(
          {.first = settings.acquire_first_wait, .idle_max = settings.acquire_wait},
          std::random_device{}()
      ) {
    if (settings.instances_together) {
        together_.emplace(settings.max_pool_size);
    }
}

schema::Duration JobAcquirer::run_once() {
    const persistence::PageLimit room = intake_.room();
    if (room.jobs == 0) {
        return queue_full_wait_;
    }
    if (searches_) {
        search_for_recent();
        searches_ = false;
    }
    if (pace_.is_idle() && !is_any_there()) {
        return pace_.next_wait(0);
    }
    std::optional<ClaimLine::Place> place = place_in_line();
    const schema::SteadyPoint locked_at = clock_.steady_now();
    const persistence::LockClaim claim = next_claim();
    persistence::PageLimit limit(
        std::min(room.jobs, page_.jobs), std::min(room.bytes, page_.bytes)
    );
    limit.limited = room.limited;
    const bool is_behind_in_ranges = !ranges_.is_at_start();
    const Look look = oldest_.begin(clock_);
    auto jobs = run_claim(intake_, claim.until, locked_at, [&] {
        return order_.is_any() ? take_in_order(claim, limit)
                               : take_oldest(claim, limit, look, place);
    });
    if (!jobs) {
        return schema::Duration{0};
    }
    const std::size_t found = jobs->size();
    take_in(*std::move(jobs), locked_at);
    if (place) {
        place->handed_over();
    }
    if (found == 0 && (order_.is_any() ? is_behind_in_ranges : may_there_be_older(look))) {
        return schema::Duration{0};
    }
    return pace_.next_wait(found);
}

// Of two that claim at a time each leaves the other a page. Other nodes keep the server busy by
// themselves, and claims of instances of different nodes wait for each other.
schema::Duration JobAcquirer::take_beside() {
    if (together_ && nodes_beside_ > 0) {
        return kUntilWoken;
    }
    const persistence::PageLimit room = intake_.room();
    if (room.jobs / 2 < page_.jobs || room.bytes / 2 < page_.bytes) {
        return kUntilWoken;
    }
    std::optional<ClaimLine::Place> place = place_in_line();
    const std::optional<Look> look = oldest_.begin_beside(clock_);
    if (!look) {
        return kUntilWoken;
    }
    const schema::SteadyPoint locked_at = clock_.steady_now();
    persistence::PageLimit limit = page_;
    limit.limited = room.limited;
    const persistence::LockClaim claim = next_claim();
    auto jobs = run_claim(intake_, claim.until, locked_at, [&] {
        return take_oldest(claim, std::move(limit), *look, place);
    });
    if (!jobs) {
        return schema::Duration{0};
    }
    const bool is_any = !jobs->empty();
    take_in(*std::move(jobs), locked_at);
    if (place) {
        place->handed_over();
    }
    return is_any || !look->left_from.empty() ? schema::Duration{0} : kUntilWoken;
}

persistence::LockClaim JobAcquirer::next_claim() {
    persistence::LockClaim claim = claim_for(intake_, clock_);
    claim.pages_from = pages_from_;
    return claim;
}

void JobAcquirer::search_for_recent() {
    const auto served = intake_.served();
    const schema::TimePoint now = clock_.now();
    std::optional<schema::TimePoint> oldest;
    std::string before = schema::first_uuid7(now + kAheadOfNow);
    const auto search = search_recent(clock_, [&](schema::Duration age) {
        const std::string from = schema::first_uuid7(now - age);
        if (store_.has_acquirable(*served, from, std::exchange(before, from))) {
            oldest = now - age;
        }
    });
    if (search) {
        oldest_.begin_at(oldest.value_or(now - kUsualCommit), *search, oldest.has_value());
    }
}

bool JobAcquirer::is_any_there() {
    const Look look = oldest_.begin(clock_);
    const bool found = is_any_there(look);
    if (!found) {
        oldest_.end(look, clock_.steady_now() - look.began, {});
    }
    return found;
}

bool JobAcquirer::is_any_there(const Look& look) {
    const auto served = intake_.served();
    if (view_ == nullptr || !look.is_full() || !view_->is_due(look.began)) {
        return store_.has_acquirable(*served, look.behind, look.before);
    }
    const persistence::IdleView view = store_.look_around(*served, look.at);
    view_->saw(view, look.began);
    return view.has_acquirable;
}

bool JobAcquirer::may_there_be_older(const Look& look) const {
    return !look.left_from.empty() ||
           (!look.is_full() && oldest_.is_full_look_due(clock_.steady_now()));
}

void JobAcquirer::take_in(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    times_.add(clock_.steady_now() - locked_at);
    ++claims_;
    claimed_ += jobs.size();
    if (jobs.empty()) {
        ++empty_claims_;
        return;
    }
    sizes_.add(jobs.size());
    intake_.accept(std::move(jobs), locked_at);
}

std::optional<ClaimLine::Place> JobAcquirer::place_in_line() {
    if (!together_ || !has_beside_) {
        return std::nullopt;
    }
    return std::optional<ClaimLine::Place>(std::in_place, line_);
}

std::vector<schema::Job> JobAcquirer::take_oldest(
    const persistence::LockClaim& claim,
    persistence::PageLimit limit,
    const Look& look,
    std::optional<ClaimLine::Place>& place
) {
    persistence::SeenRows seen;
    limit.seen = &seen;
    limit.before = look.before;
    limit.asks_for_nodes =
        look.is_full() && (!nodes_seen_ || look.began - *nodes_seen_ >= kNodesHold);
    limit.when_found = [&](std::string_view end) {
        oldest_.found(look, end);
        if (place) {
            place->found();
        }
        wake_ups_.backlog_is_there();
    };
    if (place) {
        limit.enter = [&] { return place->begin(); };
        limit.before_commit = [&] { place->wait_for_former(); };
    }
    if (together_) {
        limit.same_instance = together_->room_in(limit.jobs);
        limit.jobs -= limit.same_instance;
    }
    std::vector<schema::Job> jobs;
    // Defended catch: what was found has moved the next look on.
    try {
        jobs = store_.acquire(claim, *intake_.served(), limit, look.behind);
    } catch (...) {
        oldest_.failed(look);
        throw;
    }
    if (together_) {
        together_->taken(jobs.size() - seen.same_instance, seen.same_instance, limit.same_instance);
    }
    if (!jobs.empty()) {
        leave_to_others(look, jobs.front().id, seen);
    }
    const auto last = std::ranges::max_element(jobs, {}, &schema::Job::id);
    const std::string_view found = last == jobs.end() ? std::string_view() : last->id;
    oldest_.end(look, seen.search, std::move(seen.end), found);
    if (!seen.first_left.empty()) {
        oldest_.go_back_to(seen.first_left);
    }
    return jobs;
}

// To each node as much as this page was.
void JobAcquirer::leave_to_others(
    const Look& look,
    const std::string& first,
    const persistence::SeenRows& seen
) {
    if (seen.nodes_beside) {
        nodes_beside_ = *seen.nodes_beside;
        oldest_.are_beside(*seen.nodes_beside);
        nodes_seen_ = look.began;
    }
    const auto from = schema::time_of_uuid7(first);
    const auto to = schema::time_of_uuid7(seen.end);
    if (from && to) {
        oldest_.leave_out((*to - *from) * static_cast<std::int64_t>(nodes_beside_.load()));
    }
}

std::vector<schema::Job>
JobAcquirer::take_in_order(const persistence::LockClaim& claim, persistence::PageLimit limit) {
    persistence::RangePositions behind = ranges_.position();
    persistence::SeenRows seen;
    limit.seen = &seen;
    std::vector<schema::Job> jobs =
        store_.acquire_in_order(claim, *intake_.served(), order_, limit, behind);
    for (const schema::Job& job : jobs) {
        behind[persistence::range_of(order_, job)] = persistence::position_of(job);
    }
    ranges_.advance(jobs.size() + seen.waiting, limit.jobs, std::move(behind));
    return jobs;
}

}  // namespace jobstrand::executor
