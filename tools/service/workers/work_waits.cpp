#include "tools/service/workers/work_waits.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace jobstrand::service {

namespace {

using std::chrono::steady_clock;

/// How often it is looked for jobs that nobody here has told of: those of other nodes, and those
/// of workers whose locks have ended.
constexpr std::chrono::seconds kLook{1};

}  // namespace

/// What was asked for and is not there: others who want the same need not ask again.
class WorkWaits::Wants {
public:
    void add(const executor::AcquireOrder& order) { wants_.insert(key_of(order)); }
    [[nodiscard]] bool has(const executor::AcquireOrder& order) const {
        return wants_.contains(key_of(order));
    }

private:
    using Names = std::vector<std::string>;
    using Key = std::
        tuple<Names, Names, std::optional<std::string>, std::optional<std::string>, Names, Names>;

    /// Who asks for somebody names a user or a group, and who asks for nobody neither.
    static Key key_of(const executor::AcquireOrder& order) {
        const executor::WorkCandidate candidate =
            order.candidate.value_or(executor::WorkCandidate{});
        return {
            order.topics,
            order.tenants,
            order.tenant,
            order.scope_type,
            {candidate.user},
            candidate.groups};
    }

    std::set<Key> wants_;
};

WorkWaits::WorkWaits(executor::WorkerBroker& broker)
    : broker_(broker), thread_([this] { run(); }) {}

WorkWaits::~WorkWaits() {
    stop();
}

bool WorkWaits::add(executor::AcquireOrder order, schema::Duration wait, Answer answer) {
    const auto longest = std::chrono::duration_cast<schema::Duration>(kLongest);
    const auto until = steady_clock::now() + std::clamp(wait, schema::Duration::zero(), longest);
    const std::scoped_lock lock(mutex_);
    if (count_ >= kWaiting || is_stopping_) {
        return false;
    }
    ++count_;
    fresh_.push_back({.order = std::move(order), .until = until, .answer = std::move(answer)});
    something_.notify_one();
    return true;
}

void WorkWaits::news() {
    const std::scoped_lock lock(mutex_);
    has_news_ = true;
    something_.notify_one();
}

void WorkWaits::finish() {
    const std::scoped_lock lock(mutex_);
    is_finishing_ = true;
    something_.notify_one();
}

void WorkWaits::stop() {
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
    }
    something_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void WorkWaits::run() {
    while (true) {
        const Turn turn = next_turn();
        if (turn.is_over) {
            return;
        }
        // Defended catch: without the memory for an answer, who waits for it waits on.
        try {
            serve(turn.are_all_looked_for);
            end_waits(turn.is_last_chance);
        } catch (const std::bad_alloc&) {
            next_look_ = steady_clock::now() + kLook;
        }
        drop_answered();
    }
}

/// Sleeps until somebody comes, hears something, or has waited long enough.
WorkWaits::Turn WorkWaits::next_turn() {
    std::unique_lock lock(mutex_);
    const auto is_something = [this] {
        return is_stopping_ || has_news_ || !fresh_.empty() || (is_finishing_ && !parked_.empty());
    };
    if (parked_.empty()) {
        something_.wait(lock, is_something);
    } else {
        const auto first_end = std::ranges::min(parked_, {}, &Waiting::until).until;
        something_.wait_until(lock, std::min(first_end, next_look_), is_something);
    }
    const auto now = steady_clock::now();
    const Turn turn{
        .are_all_looked_for = std::exchange(has_news_, false) || now >= next_look_,
        .is_last_chance = is_finishing_,
        .is_over = is_stopping_};
    if (turn.are_all_looked_for || parked_.empty()) {
        next_look_ = now + kLook;
    }
    first_fresh_ = parked_.size();
    std::ranges::move(fresh_, std::back_inserter(parked_));
    fresh_.clear();
    return turn;
}

/// Those who came last are looked for in any case.
void WorkWaits::serve(bool are_all_looked_for) {
    Wants in_vain;
    for (std::size_t i = 0; i < parked_.size(); ++i) {
        const bool is_looked_for = are_all_looked_for || i >= first_fresh_;
        if (is_looked_for && !in_vain.has(parked_[i].order) && !is_served(parked_[i])) {
            in_vain.add(parked_[i].order);
        }
    }
}

bool WorkWaits::is_served(Waiting& one) {
    // Defended catch: what one request meets is its own answer.
    try {
        std::vector<schema::Job> jobs = broker_.acquire(one.order);
        if (jobs.empty()) {
            return false;
        }
        one.is_answered = true;
        one.answer.take(std::move(jobs));
    } catch (const std::exception& error) {
        one.is_answered = true;
        one.answer.fail(error);
    }
    return true;
}

void WorkWaits::end_waits(bool are_all_over) {
    const auto now = steady_clock::now();
    for (Waiting& one : parked_) {
        if (!one.is_answered && (are_all_over || one.until <= now)) {
            one.is_answered = true;
            one.answer.take({});
        }
    }
}

void WorkWaits::drop_answered() {
    forget(std::erase_if(parked_, [](const Waiting& one) { return one.is_answered; }));
}

void WorkWaits::forget(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    count_ -= count;
}

}  // namespace jobstrand::service
