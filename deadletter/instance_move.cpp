#include "deadletter/instance_move.hpp"

#include "deadletter/job_selection.hpp"
#include "persistence/job_filter.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/paging.hpp"
#include "schema/series.hpp"
#include "schema/text/column_text.hpp"
#include "schema/uuid7.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

namespace jobstrand::deadletter {

using persistence::JobAnswer;
using persistence::JobCopy;
using persistence::JobFilter;
using persistence::NamedLock;
using persistence::OperatorStore;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;

namespace {

/// Jobs of one transaction, and how long their texts may be together.
constexpr std::size_t kJobsOfPage = 500;
constexpr std::size_t kBytesOfPage = std::size_t{4} * 1024 * 1024;

/// How often it is asked whether running jobs, or another program, have ended.
constexpr std::chrono::milliseconds kBetweenLooks{200};

/// Rounds over the jobs: of those that are there, and of those that come meanwhile or are changed.
constexpr int kRounds = 10;

/// For how long a program has an instance for itself without saying so again: a page takes less.
constexpr std::chrono::seconds kTurn{10};
constexpr std::chrono::seconds kTurnIsKept{2};

/// Ids of instances that are part of the name of a lock; of longer ones it has a digest.
constexpr std::size_t kIdInName = 40;

/// Where the jobs of a suspended instance stand, once none of them runs.
constexpr std::array kPlacesAtRest{JobPlace::suspended, JobPlace::dead_letter};

/// How the names of our locks begin.
constexpr std::string_view kMover = "jobstrand mover of";
constexpr std::string_view kMove = "jobstrand move of";

/// What the lock of a move says behind its way.
constexpr std::string_view kActive = ", was active, ";
constexpr std::string_view kSuspended = ", was suspended, ";

[[nodiscard]] std::string way(const std::string& from, const std::string& to) {
    return "from " + from + " to " + to;
}

/// Of what the lock of a move says; empty: it is none.
[[nodiscard]] std::string way_in(const std::string& owner) {
    const auto end = std::min(owner.rfind(kActive), owner.rfind(kSuspended));
    return owner.starts_with("from ") && end != std::string::npos ? owner.substr(0, end)
                                                                  : std::string();
}

[[nodiscard]] std::string lock_name(std::string_view purpose, const std::string& instance) {
    std::vector<std::string> problems;
    schema::check_app_id("instance", instance, problems);
    const bool is_digest = instance.size() > kIdInName || !problems.empty();
    return std::string(purpose) + " " + (is_digest ? schema::digest_of(instance) : instance);
}

[[nodiscard]] JobFilter jobs_of(const std::string& instance) {
    return {.fields = {persistence::equals(&Job::process_instance_id, instance)}};
}

template <typename Places>
[[nodiscard]] std::int64_t
jobs_in(OperatorStore& store, const Places& places, const std::string& instance) {
    std::int64_t jobs = 0;
    for (const JobPlace place : places) {
        jobs += store.count(place, jobs_of(instance));
    }
    return jobs;
}

[[nodiscard]] bool is_instance_suspended(OperatorStore& store, const std::string& instance) {
    return std::ranges::any_of(
        store.suspensions_of({.process_instance_id = instance}),
        [](const auto& suspension) { return suspension.scope == SuspensionScope::instance; }
    );
}

/// Pages of the jobs of an instance in a place, until `use` returns false.
template <typename Use>
void for_each_page_of(
    OperatorStore& store,
    JobPlace place,
    const std::string& instance,
    const Use& use
) {
    schema::for_each_page(
        {.after = {}, .size = kJobsOfPage},
        [&](const std::string& after, std::size_t limit) {
            return store.list(place, jobs_of(instance), after, limit);
        },
        &Job::id,
        use
    );
}

/// Of a series that has begun, or that begins when the job falls due.
[[nodiscard]] bool is_of_series(const Job& job) {
    return !job.series.empty() || !job.repeat.empty();
}

/// Whether an earlier move has brought the one to where the other is.
[[nodiscard]] bool is_same_job(const Job& one, const Job& other) {
    return one.process_instance_id == other.process_instance_id &&
           one.handler_type == other.handler_type && one.correlation_id == other.correlation_id &&
           one.create_time == other.create_time;
}

/// What rows have of their own, in each database.
[[nodiscard]] Job without_row(Job job) {
    job.revision = 1;
    job.custom_values_id.clear();
    job.exception_stack_id.clear();
    return job;
}

[[nodiscard]] bool is_at_rest(JobPlace place) {
    return std::ranges::find(kPlacesAtRest, place) != kPlacesAtRest.end();
}

}  // namespace

/// The lock, in both databases, by which one program alone moves an instance.
class InstanceMove::Turn final {
public:
    Turn(const InstanceMove& move, const std::string& id)
        : sides_{&move.from_, &move.to_}, clock_(move.from_.clock), name_(lock_name(kMover, id)) {
        // Of two that move it in opposite directions neither holds one lock only.
        std::ranges::sort(sides_, {}, &Side::engine);
        const auto given_up = clock_.steady_now() + move.rules_.patience;
        while (!try_to_take() && clock_.steady_now() < given_up) {
            move.rules_.wait(kBetweenLooks);
        }
    }
    ~Turn() {
        for (const Side* const side : sides_) {
            // Defended catch: a lock that cannot be released ends by itself.
            try {
                (void)side->locks.release(name_, owner_, side->clock.now());
            } catch (const persistence::DbError&) {
                continue;
            }
        }
    }

    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    [[nodiscard]] bool is_ours() const { return holder_.empty(); }
    [[nodiscard]] const std::string& holder() const { return holder_; }

    /// Before each thing that must not be done beside another mover. Throws DbError busy when that
    /// may be there.
    void keep() {
        if (clock_.steady_now() - kept_ < kTurnIsKept) {
            return;
        }
        for (const Side* const side : sides_) {
            if (!side->locks.renew({name_, owner_, kTurn}, side->clock.now())) {
                throw persistence::DbError(
                    persistence::DbErrorKind::busy, "the databases took too long to answer"
                );
            }
        }
        kept_ = clock_.steady_now();
    }

private:
    [[nodiscard]] bool try_to_take() {
        kept_ = clock_.steady_now();
        for (const Side* const side : sides_) {
            const NamedLock lock = side->locks.acquire({name_, owner_, kTurn}, side->clock.now());
            if (lock.owner != owner_) {
                holder_ = lock.owner;
                return false;
            }
        }
        holder_.clear();
        return true;
    }

    std::array<const Side*, 2> sides_;
    const schema::Clock& clock_;
    const std::string name_;
    const std::string owner_ = "move " + schema::Uuid7Source().next(schema::SystemClock().now());
    std::string holder_;
    schema::SteadyPoint kept_;
};

/// The lock that is held in both databases until the move is complete.
struct InstanceMove::Mark {
    std::array<const Side*, 2> sides;
    std::string name;
    std::string owner;
    bool is_resumed = false;
    bool was_suspended = false;  ///< In either database.
    std::string other = {};      ///< Who has the lock, if it is none of ours.

    /// Returns the owner, which is another if the lock was held.
    [[nodiscard]] std::string acquire() const {
        std::string found = owner;
        for (const Side* const side : sides) {
            const NamedLock lock = side->locks.acquire(
                {name, owner, persistence::kLongestNamedLock}, side->clock.now()
            );
            found = lock.owner == owner ? found : lock.owner;
        }
        return found;
    }

    void release(std::string_view its_owner) const {
        for (const Side* const side : sides) {
            (void)side->locks.release(name, its_owner, side->clock.now());
        }
    }
};

InstanceMove::Mark InstanceMove::mark(const std::string& id) {
    Mark mark{.sides = {&from_, &to_}, .name = lock_name(kMove, id), .owner = {}};
    const bool is_suspended_here = is_instance_suspended(from_.store, id);
    mark.was_suspended = is_suspended_here || is_instance_suspended(to_.store, id);
    mark.owner = way(from_.engine, to_.engine);
    mark.owner += mark.was_suspended ? kSuspended : kActive;
    mark.owner += schema::Uuid7Source().next(schema::SystemClock().now());
    const std::string found = mark.acquire();
    if (found == mark.owner) {
        return mark;
    }
    const bool is_ours = way_in(found) == way(from_.engine, to_.engine) ||
                         way_in(found) == way(to_.engine, from_.engine);
    if (is_ours && !is_suspended_here) {
        mark.release(found);  // That move was complete but for this, or had not begun.
        (void)mark.acquire();
        return mark;
    }
    mark.release(mark.owner);
    mark.owner = found;
    mark.is_resumed = is_ours;
    mark.was_suspended = found.rfind(kSuspended) != std::string::npos;
    mark.other = is_ours ? std::string() : found;
    if (is_ours) {
        (void)mark.acquire();
    }
    return mark;
}

std::optional<std::string> InstanceMove::incomplete(
    persistence::NamedLockStore& locks,
    const std::string& id,
    schema::TimePoint now
) {
    constexpr std::size_t kLocksRead = 10'000;
    const std::string name = lock_name(kMove, id);
    for (const NamedLock& lock : locks.list(kMove, kLocksRead, now)) {
        if (lock.name == name && !way_in(lock.owner).empty()) {
            return way_in(lock.owner);
        }
    }
    return std::nullopt;
}

MovedInstance InstanceMove::move(const std::string& id) {
    moved_ = 0;
    for (OperatorStore* const store : {&from_.store, &to_.store}) {
        if (store->is_of_engine(SuspensionScope::instance, id)) {
            return {.end = MoveEnd::of_engine};
        }
    }
    Turn turn(*this, id);
    if (!turn.is_ours()) {
        return {.end = MoveEnd::moved_by_another, .holder = turn.holder()};
    }
    const Mark its_mark = mark(id);
    if (!its_mark.other.empty()) {
        std::string other_way = way_in(its_mark.other);
        return other_way.empty()
                   ? MovedInstance{.end = MoveEnd::moved_by_another, .holder = its_mark.other}
                   : MovedInstance{
                         .end = MoveEnd::goes_elsewhere,
                         .is_suspended = true,
                         .what = std::move(other_way)};
    }
    MovedInstance moved =
        is_there(id) ? move_marked(id, its_mark, turn) : MovedInstance{.end = MoveEnd::not_found};
    moved.jobs = moved_;
    if (moved.end == MoveEnd::done || !moved.is_suspended) {
        // Defended catch: it is complete, which the next move of the instance sees as well.
        try {
            its_mark.release(its_mark.owner);
        } catch (const persistence::DbError&) {
            return moved;
        }
    }
    return moved;
}

bool InstanceMove::is_there(const std::string& id) {
    return is_instance_suspended(from_.store, id) ||
           jobs_in(from_.store, schema::kJobPlaces, id) > 0;
}

MovedInstance InstanceMove::move_marked(const std::string& id, const Mark& mark, Turn& turn) {
    const bool was_suspended_here = is_instance_suspended(from_.store, id);
    const bool was_suspended_there = is_instance_suspended(to_.store, id);
    MovedInstance moved;
    // Defended catch: what the other database cannot hold is a refusal like others.
    try {
        moved = move_at_rest(id, mark, turn);
    } catch (const std::invalid_argument& error) {
        moved = {.end = MoveEnd::not_storable, .what = error.what()};
    }
    if (moved.end == MoveEnd::done) {
        return moved;
    }
    // What this move has brought there, or an earlier one, needs the rest.
    moved.is_suspended =
        moved_ > 0 || (mark.is_resumed && jobs_in(to_.store, schema::kJobPlaces, id) > 0);
    if (moved.is_suspended) {
        return moved;
    }
    const bool is_to_go_on = mark.is_resumed && !mark.was_suspended;
    if (is_to_go_on || !was_suspended_there) {
        activate(to_, id, turn);
    }
    if (is_to_go_on || !was_suspended_here) {
        activate(from_, id, turn);
    }
    return moved;
}

MovedInstance InstanceMove::move_at_rest(const std::string& id, const Mark& mark, Turn& turn) {
    const bool may_be_copies = mark.is_resumed || (is_instance_suspended(from_.store, id) &&
                                                   is_instance_suspended(to_.store, id));
    if (Obstacle obstacle = obstacle_to(id, may_be_copies)) {
        return *std::move(obstacle);
    }
    if (!comes_to_rest(id, turn)) {
        return {.end = MoveEnd::still_runs};
    }
    // Anew: it may have taken long.
    if (Obstacle obstacle = obstacle_to(id, may_be_copies)) {
        return *std::move(obstacle);
    }
    if (Obstacle obstacle = move_all(id, turn)) {
        return *std::move(obstacle);
    }
    if (!mark.was_suspended) {
        activate(to_, id, turn);
    }
    activate(from_, id, turn);
    return {
        .is_suspended = mark.was_suspended, .left = jobs_in(from_.store, schema::kJobPlaces, id)};
}

InstanceMove::Obstacle InstanceMove::obstacle_to(const std::string& id, bool may_be_copies) {
    Obstacle obstacle;
    for (const JobPlace place : schema::kJobPlaces) {
        for_each_page_of(from_.store, place, id, [&](const std::vector<Job>& jobs) {
            obstacle = obstacle_to_page(jobs, may_be_copies);
            return !obstacle.has_value();
        });
        if (obstacle) {
            break;
        }
    }
    return obstacle;
}

InstanceMove::Obstacle
InstanceMove::obstacle_to_page(const std::vector<Job>& jobs, bool may_be_copies) {
    for (const Job& job : jobs) {
        if (is_of_series(job)) {
            return MovedInstance{.end = MoveEnd::of_series, .what = schema::series_key_of(job)};
        }
        if (Obstacle held = key_obstacle(job)) {
            return held;
        }
    }
    std::map<std::string_view, const Job*> by_id;
    for (const Job& job : jobs) {
        by_id.emplace(job.id, &job);
    }
    const JobFilter same_ids{.ids = ids_of(jobs)};
    for (const JobPlace place : schema::kJobPlaces) {
        for (const Job& other : to_.store.list(place, same_ids, "", jobs.size())) {
            const auto job = by_id.find(other.id);
            if (job != by_id.end() && !(may_be_copies && is_same_job(*job->second, other))) {
                return MovedInstance{.end = MoveEnd::id_taken, .what = other.id};
            }
        }
    }
    return std::nullopt;
}

/// A job may have a key that another job got when its period was over.
InstanceMove::Obstacle InstanceMove::key_obstacle(const Job& job) {
    if (job.unique_key.empty()) {
        return std::nullopt;
    }
    const auto here = from_.store.key_owner(job.unique_key);
    const auto there = to_.store.key_owner(job.unique_key);
    const bool is_held =
        there && there->job != job.id && (!there->until || *there->until > to_.clock.now());
    if (!is_held || !here || here->job != job.id) {
        return std::nullopt;
    }
    return MovedInstance{
        .end = MoveEnd::key_held,
        .what = job.unique_key,
        .holder = there->job,
        .until = there->until};
}

bool InstanceMove::comes_to_rest(const std::string& id, Turn& turn) {
    const auto given_up = from_.clock.steady_now() + rules_.patience;
    while (true) {
        // Anew each time: locks of dead nodes come to their ends.
        suspend(from_, id, turn);
        if (jobs_in(from_.store, schema::kSuspendablePlaces, id) == 0) {
            return true;
        }
        if (from_.clock.steady_now() >= given_up) {
            return false;
        }
        rules_.wait(kBetweenLooks);
    }
}

InstanceMove::Obstacle InstanceMove::move_all(const std::string& id, Turn& turn) {
    for (int round = 0; round < kRounds; ++round) {
        const std::int64_t before = moved_;
        suspend(from_, id, turn);
        suspend(to_, id, turn);
        for (const JobPlace place : kPlacesAtRest) {
            if (Obstacle obstacle = move_place(place, id, turn)) {
                return obstacle;
            }
        }
        if (jobs_in(from_.store, schema::kJobPlaces, id) == 0) {
            return std::nullopt;
        }
        if (moved_ == before) {
            rules_.wait(kBetweenLooks);
        }
    }
    return MovedInstance{.end = MoveEnd::busy};
}

InstanceMove::Obstacle InstanceMove::move_place(JobPlace place, const std::string& id, Turn& turn) {
    Obstacle obstacle;
    std::vector<JobCopy> page;
    std::size_t bytes = 0;
    const auto write = [&] {
        obstacle = move_page(place, std::exchange(page, {}), turn);
        bytes = 0;
        return !obstacle.has_value();
    };
    for_each_page_of(from_.store, place, id, [&](std::vector<Job> jobs) {
        for (Job& job : jobs) {
            if (auto copy = copy_of(place, std::move(job))) {
                bytes += copy->job.payload.size() + copy->details.size();
                page.push_back(*std::move(copy));
            }
            if (bytes > kBytesOfPage && !write()) {
                return false;
            }
        }
        return page.empty() || write();
    });
    return obstacle;
}

std::optional<JobCopy> InstanceMove::copy_of(JobPlace place, Job job) {
    JobCopy copy{.job = std::move(job), .must_be_suspended = true};
    if (!copy.job.custom_values_id.empty()) {
        auto found = from_.store.find(copy.job.id);
        if (!found || found->place != place) {
            return std::nullopt;
        }
        copy.job = std::move(found->job);
    }
    if (!copy.job.exception_stack_id.empty()) {
        copy.details = from_.store.exception_details(copy.job);
    }
    if (!copy.job.unique_key.empty()) {
        const auto owner = from_.store.key_owner(copy.job.unique_key);
        copy.has_key = owner && owner->job == copy.job.id;
        copy.key_until = copy.has_key ? owner->until : std::nullopt;
    }
    if (copy.job.scope_type.empty()) {
        copy.job.scope_type = schema::kOurScope;  // Else it may be one of an engine there.
    }
    return copy;
}

InstanceMove::Obstacle
InstanceMove::move_page(JobPlace place, std::vector<JobCopy> page, Turn& turn) {
    for (const JobCopy& copy : page) {
        if (is_of_series(copy.job)) {
            return MovedInstance{
                .end = MoveEnd::of_series, .what = schema::series_key_of(copy.job)};
        }
    }
    std::set<std::string, std::less<>> alone;
    for (persistence::Suspension& job : from_.store.suspensions(SuspensionScope::job)) {
        alone.insert(std::move(job.id));
    }
    for (JobCopy& copy : page) {
        copy.is_suspended_alone = alone.contains(copy.job.id);
    }
    turn.keep();
    const std::vector<bool> are_added = to_.store.restore(place, page);
    std::vector<Job> added;
    std::vector<Job> settled;
    Obstacle obstacle;
    for (std::size_t i = 0; i < page.size(); ++i) {
        if (are_added[i]) {
            added.push_back(std::move(page[i].job));
        } else if (!obstacle) {
            obstacle = settle(place, page[i].job, settled);
        }
    }
    turn.keep();
    if (obstacle) {
        // As they were added, an instant ago: from where they came they have not gone.
        std::ranges::for_each(added, [](Job& job) { job.revision = 1; });
        (void)to_.store.remove_as_read(place, added, to_.clock.now());
        return obstacle;
    }
    remove(place, added);
    remove(place, settled);
    return std::nullopt;
}

/// About a job that was not added: it is there already, or it cannot be. Those that are there are
/// `settled`; what is neither, the next round sees.
InstanceMove::Obstacle
InstanceMove::settle(JobPlace place, const Job& job, std::vector<Job>& settled) {
    const auto other = to_.store.find(job.id);
    if (!other) {
        return key_obstacle(job);
    }
    if (!is_same_job(other->job, job)) {
        return MovedInstance{.end = MoveEnd::id_taken, .what = job.id};
    }
    const bool is_as_here = other->place == place && without_row(other->job) == without_row(job);
    if (is_as_here || !is_at_rest(other->place)) {
        settled.push_back(job);  // Somebody may have activated it: there it lives.
        return std::nullopt;
    }
    if (other->job.revision != 1) {
        return MovedInstance{.end = MoveEnd::differs, .what = job.id};
    }
    // It was changed here since it was copied.
    (void)to_.store.remove_as_read(other->place, std::span(&other->job, 1), to_.clock.now());
    return std::nullopt;
}

/// What was removed by others, or changed, since it was copied does not stay in the other database.
void InstanceMove::remove(JobPlace place, const std::vector<Job>& jobs) {
    const auto answers = from_.store.remove_as_read(place, jobs, from_.clock.now());
    std::vector<Job> stale;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (answers[i] == JobAnswer::done) {
            ++moved_;
        } else {
            stale.push_back(jobs[i]);
            stale.back().revision = 1;
        }
    }
    if (!stale.empty()) {
        (void)to_.store.remove_as_read(place, stale, to_.clock.now());
    }
    if (rules_.on_moved && !jobs.empty()) {
        rules_.on_moved(moved_);
    }
}

void InstanceMove::suspend(const Side& side, const std::string& id, Turn& turn) {
    turn.keep();
    side.store.suspend(SuspensionScope::instance, id, side.clock.now(), [&](std::int64_t) {
        turn.keep();
        return true;
    });
}

void InstanceMove::activate(const Side& side, const std::string& id, Turn& turn) {
    turn.keep();
    side.store.activate(SuspensionScope::instance, id, side.clock.now(), [&](std::int64_t) {
        turn.keep();
        return true;
    });
}

}  // namespace jobstrand::deadletter
