#include "executor/loop/scan_start.hpp"

#include "schema/uuid7.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::executor {

namespace {

/// In a backlog what stands in front is seen soon, and one page in sixteen pays for it.
constexpr int kPagesOfBacklog = 16;
constexpr std::chrono::seconds kTimeOfBacklog{2};  ///< Pages of slow jobs are few.

/// Whoever decides about a row is seldom through before.
constexpr std::chrono::milliseconds kBetweenReturns{50};

constexpr bool is_within_character(char c) {
    constexpr unsigned kMask = 0xC0;
    constexpr unsigned kFurtherByte = 0x80;
    return (static_cast<unsigned char>(c) & kMask) == kFurtherByte;
}

}  // namespace

Look ScanStart::begin(const schema::Clock& clock) const {
    const std::lock_guard lock(mutex_);
    const schema::SteadyPoint now = clock.steady_now();
    Look look{.behind = {}, .at = clock.now(), .began = now, .round = round_};
    if (is_full_look_due_now(now)) {
        look.left = left_;
    } else {
        look.behind = behind_;
        look.left_from = left_from_;
        if (!left_.empty() && (!went_back_ || now - *went_back_ >= kBetweenReturns)) {
            look.behind = std::min(behind_, left_);
            look.left = left_;
        }
        look.before = end_of_ids_by_time(look);
    }
    return look;
}

/// Empty: the look goes to the end of the table.
std::string ScanStart::end_of_ids_by_time(const Look& look) const {
    if (looks_to_the_end_.may_begin(look.began)) {
        return {};
    }
    std::string end = schema::first_uuid7(look.at + kAheadOfNow);
    return look.behind < end ? end : std::string();
}

std::optional<Look> ScanStart::begin_beside(const schema::Clock& clock) const {
    const std::lock_guard lock(mutex_);
    if (!is_in_backlog_) {
        return std::nullopt;
    }
    return Look{
        .behind = behind_,
        .at = clock.now(),
        .began = clock.steady_now(),
        .round = round_,
        .left_from = left_from_,
    };
}

bool ScanStart::is_full_look_due(schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return is_full_look_due_now(now);
}

bool ScanStart::is_full_look_due_now(schema::SteadyPoint now) const {
    if (behind_.empty()) {
        return true;
    }
    const bool goes_on =
        is_in_backlog_ && pages_ < kPagesOfBacklog && now - full_at_ < kTimeOfBacklog;
    return !goes_on && full_looks_.may_begin(now);
}

void ScanStart::begin_at(schema::TimePoint time, const LongSearch& search, bool found) {
    const std::lock_guard lock(mutex_);
    behind_ = schema::first_uuid7(time);
    full_at_ = search.began;
    full_looks_.was_put_off(search.began, search.took);
    is_in_backlog_ = found;
}

void ScanStart::found(const Look& look, std::string_view end) {
    const std::lock_guard lock(mutex_);
    if (!look.is_full() && look.round == round_) {
        go_on(end);
    }
}

void ScanStart::failed(const Look& look) {
    const std::lock_guard lock(mutex_);
    const bool has_gone_on = !look.is_full() && look.round == round_ && look.behind < behind_;
    if (has_gone_on) {
        behind_ = look.behind;
        left_from_ = look.left_from;
    }
}

void ScanStart::end(
    const Look& look,
    FullLooks::Time took,
    std::string end,
    std::string_view found
) {
    const std::lock_guard lock(mutex_);
    ++pages_;
    if (!look.left.empty()) {
        went_back_ = look.began;
        if (left_ == look.left) {
            left_.clear();
        }
    }
    const bool went_to_the_end = !look.is_full() && look.before.empty() && end.empty();
    if (went_to_the_end && found < schema::first_uuid7(look.at + kAheadOfNow)) {
        looks_to_the_end_.was_done(look.began, took);
    }
    if (look.is_full()) {
        full_at_ = look.began;
        pages_ = 1;
        ++round_;
        full_looks_.was_done(look.began, took, nodes_beside_ + 1);
        behind_.clear();
        left_from_.clear();
    } else if (look.round != round_) {
        return;
    }
    if (end.empty() && !look.left_from.empty()) {
        behind_ = look.left_from;
        left_from_.clear();
    } else if (end.empty()) {
        is_in_backlog_ = false;
        left_from_.clear();
        behind_ = schema::first_uuid7(look.at - kUsualCommit);
    } else {
        go_on(end);
    }
}

// Another one that looks beside may have gone further.
void ScanStart::go_on(std::string_view end) {
    if (!is_in_backlog_ || behind_ < end) {
        behind_ = end;
        left_from_.clear();
        if (furthest_ < end) {
            leave_next_pages();
        }
    }
    is_in_backlog_ = true;
}

void ScanStart::leave_next_pages() {
    const auto time = schema::time_of_uuid7(behind_);
    if (!time) {
        return;
    }
    furthest_ = behind_;
    if (leaves_out_ > schema::Duration{0}) {
        left_from_ = std::exchange(behind_, schema::first_uuid7(*time + leaves_out_));
    }
}

void ScanStart::go_back_to(const std::string& id) {
    const std::lock_guard lock(mutex_);
    std::string before = just_before(id);
    if (before.empty()) {
        pages_ = kPagesOfBacklog;  // Only a full look begins before it.
    } else if (left_.empty() || before < left_) {
        left_ = std::move(before);
    }
}

void ScanStart::leave_out(schema::Duration span) {
    const std::lock_guard lock(mutex_);
    leaves_out_ = span;
}

void ScanStart::are_beside(std::size_t nodes) {
    const std::lock_guard lock(mutex_);
    nodes_beside_ = nodes;
}

std::string just_before(std::string id) {
    while (!id.empty() && is_within_character(id.back())) {
        id.pop_back();
    }
    if (!id.empty()) {
        id.pop_back();
    }
    return id;
}

}  // namespace jobstrand::executor
