#include "executor/loop/scan_start.hpp"

#include "schema/uuid7.hpp"

#include <utility>

namespace jobstrand::executor {

namespace {

/// In a backlog what stands in front is seen soon, and one page in sixteen pays for it.
constexpr int kPagesOfBacklog = 16;
constexpr std::chrono::seconds kTimeOfBacklog{2};  ///< Pages of slow jobs are few.

constexpr bool is_within_character(char c) {
    constexpr unsigned kMask = 0xC0;
    constexpr unsigned kFurtherByte = 0x80;
    return (static_cast<unsigned char>(c) & kMask) == kFurtherByte;
}

}  // namespace

Look ScanStart::begin(const schema::Clock& clock) const {
    const schema::SteadyPoint now = clock.steady_now();
    return {
        .behind = is_full_look_due(now) ? std::string() : behind_,
        .at = clock.now(),
        .began = now,
    };
}

bool ScanStart::is_full_look_due(schema::SteadyPoint now) const {
    if (behind_.empty()) {
        return true;
    }
    const bool goes_on =
        is_in_backlog_ && pages_ < kPagesOfBacklog && now - full_at_ < kTimeOfBacklog;
    return !goes_on && full_looks_.may_begin(now);
}

void ScanStart::end(const Look& look, FullLooks::Time took, std::string end) {
    if (look.is_full()) {
        full_at_ = look.began;
        pages_ = 0;
        full_looks_.was_done(look.began, took);
    }
    ++pages_;
    is_in_backlog_ = !end.empty();
    behind_ = is_in_backlog_ ? std::move(end) : schema::first_uuid7(look.at - kUsualCommit);
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
