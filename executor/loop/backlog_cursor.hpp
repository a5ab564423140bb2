#pragma once

#include "schema/clock.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace jobstrand::executor {

/// What stands in front of a backlog is seen soon, and one page in sixteen pays for it.
inline constexpr int kPagesFromTheStart = 16;

/// Where the next page of a backlog begins: where the last one ended, because databases keep rows
/// that were just changed or deleted for a while, and would read them again with every page. After
/// a page that is not full, and every sixteen pages, that is the start again: what was freed or
/// committed late stands in front.
///
/// Position{} is the start. Thread safety: none.
template <typename Position>
class BacklogCursor final {
public:
    [[nodiscard]] const Position& position() const noexcept { return position_; }
    [[nodiscard]] bool is_at_start() const { return position_ == Position{}; }

    /// A page of up to `limit` was taken from here: `found` rows, the last of them at `end`.
    void advance(std::size_t found, std::size_t limit, Position end) {
        if (found < limit || ++pages_ == kPagesFromTheStart) {
            position_ = Position{};
            pages_ = 0;
        } else {
            position_ = std::move(end);
        }
    }

private:
    Position position_{};
    int pages_ = 0;
};

/// How late a commit is still seen by a look that does not begin at the very start: a job is looked
/// for from so long before the last look that found nothing more.
inline constexpr schema::Duration kUsualCommit{std::chrono::milliseconds(200)};

/// When a table is read again from its very start, where rows stand that were freed or committed
/// late, and, as long as the database keeps them, all that were deleted. So it depends on what the
/// last such look has cost: a cheap one may be followed by the next at once, others take a
/// twentieth of the time, and come a minute apart at most; where many nodes look, the part of each
/// is smaller. Looks to the very end of a table, among ids that apps have made themselves (see
/// ScanStart), and those for jobs that nobody serves go by the same rule.
///
/// Thread safety: none.
class FullLooks final {
public:
    using Time = std::chrono::steady_clock::duration;

    /// One that takes no longer than `cheap` may be followed by the next at once.
    explicit FullLooks(Time cheap = std::chrono::milliseconds(5)) : cheap_(cheap) {}

    /// Whether it may begin now. Before the first one it always may.
    [[nodiscard]] bool may_begin(schema::SteadyPoint now) const {
        return rest_ == Time{0} || now - began_ >= rest_;
    }

    /// Whether the last one has found little to pass over.
    [[nodiscard]] bool are_cheap() const { return rest_ == Time{0}; }

    /// How long after its beginning the next may follow the last one.
    [[nodiscard]] Time rest() const { return rest_; }

    /// `nodes` do so, this one among them.
    void was_done(schema::SteadyPoint began, Time took, std::size_t nodes = 1) {
        began_ = began;
        const Time rest = std::max(kPartOfTime, static_cast<std::int64_t>(nodes)) * took;
        rest_ = rest <= kPartOfTime * cheap_ ? Time{0} : std::min<Time>(rest, kLongestRest);
    }

    /// A search (see search_recent) took so long that the first look waits: it follows as after one
    /// that took as long, within two seconds.
    void was_put_off(schema::SteadyPoint began, Time took) {
        was_done(began, std::min<Time>(took, kMostOfSearch));
    }

private:
    static constexpr std::chrono::milliseconds kMostOfSearch{100};
    static constexpr std::int64_t kPartOfTime = 20;
    static constexpr Time kLongestRest = std::chrono::minutes(1);

    Time cheap_;
    schema::SteadyPoint began_{};
    Time rest_{0};  ///< Zero: the next one may come at once.
};

/// A search that took longer than a healthy database ever needs.
struct LongSearch {
    schema::SteadyPoint began;
    FullLooks::Time took;
};

/// Before the first look at a table, of which nobody knows what the database keeps in front: has
/// `look` look at what is no older than a second, then at four times as long each time. Ends when a
/// look takes longer than is ever needed to find one row or none; nullopt: none did, and a look at
/// all may follow at once.
template <typename LookBack>
[[nodiscard]] std::optional<LongSearch> search_recent(const schema::Clock& clock, LookBack look) {
    constexpr schema::Duration kMostRecent = std::chrono::seconds(1);
    constexpr int kFurtherBack = 4;
    constexpr schema::Duration kFurthestBack = std::chrono::hours(5);
    constexpr std::chrono::milliseconds kLongLook{50};
    const schema::SteadyPoint began = clock.steady_now();
    for (schema::Duration age = kMostRecent; age <= kFurthestBack; age *= kFurtherBack) {
        const schema::SteadyPoint look_began = clock.steady_now();
        look(age);
        const schema::SteadyPoint ended = clock.steady_now();
        if (ended - look_began > kLongLook) {
            return LongSearch{.began = began, .took = ended - began};
        }
    }
    return std::nullopt;
}

}  // namespace jobstrand::executor
