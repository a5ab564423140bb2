#include "executor/loop/claim_line.hpp"

#include "persistence/claim_request.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

using persistence::NothingClaimed;

namespace {

/// The rows of a claim are locked while it waits, and a claim takes milliseconds.
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

class ClaimLine::Place::Try final {
public:
    /// Precondition: the mutex of the line is held.
    explicit Try(Place& place) : place_(place) {
        place_.looks_ = true;
        place_.is_in_transaction_ = true;
    }

    ~Try() {
        {
            const std::lock_guard lock(place_.line_.mutex_);
            place_.looks_ = false;
            place_.is_in_transaction_ = false;
        }
        place_.line_.changed_.notify_all();
    }

    Try(const Try&) = delete;
    Try& operator=(const Try&) = delete;

private:
    Place& place_;
};

ClaimLine::Place::Place(ClaimLine& line) : line_(line) {
    std::unique_lock lock(line_.mutex_);
    line_.changed_.wait(lock, [this] {
        return line_.places_.empty() || !line_.places_.back()->looks_;
    });
    line_.places_.push_back(this);
}

ClaimLine::Place::~Place() {
    {
        const std::lock_guard lock(line_.mutex_);
        if (!is_handed_over_) {
            outdate_those_behind();
        }
        std::erase(line_.places_, this);
    }
    line_.changed_.notify_all();
}

std::shared_ptr<const void> ClaimLine::Place::begin() {
    std::unique_lock lock(line_.mutex_);
    if (std::exchange(has_begun_, true)) {
        outdate_those_behind();
        line_.changed_.notify_all();
        line_.changed_.wait(lock, [this] { return is_outdated_ || are_all_behind_rolled_back(); });
    }
    if (is_outdated_) {
        throw NothingClaimed{};
    }
    return std::make_shared<const Try>(*this);
}

void ClaimLine::Place::found() {
    {
        const std::lock_guard lock(line_.mutex_);
        looks_ = false;
    }
    line_.changed_.notify_all();
}

void ClaimLine::Place::wait_for_former() {
    std::unique_lock lock(line_.mutex_);
    const bool is_known =
        line_.changed_.wait_for(lock, kLongestWait, [this] { return is_outdated_ || is_first(); });
    if (!is_known || is_outdated_) {
        throw NothingClaimed{};
    }
}

/// Precondition: the mutex is held.
void ClaimLine::Place::outdate_those_behind() {
    const auto own = std::ranges::find(line_.places_, this);
    std::for_each(std::next(own), line_.places_.end(), [](Place* place) {
        place->is_outdated_ = true;
    });
}

/// Precondition: the mutex is held.
bool ClaimLine::Place::are_all_behind_rolled_back() const {
    const auto own = std::ranges::find(line_.places_, this);
    return std::none_of(std::next(own), line_.places_.end(), [](const Place* place) {
        return place->is_in_transaction_;
    });
}

}  // namespace jobstrand::executor
