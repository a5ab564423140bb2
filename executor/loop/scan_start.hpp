#pragma once

#include "schema/clock.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

/// Clocks of producers are never that far ahead.
inline constexpr schema::Duration kAheadOfNow{std::chrono::hours(24)};

/// A look at a table in the order of its ids.
struct Look {
    std::string behind;  ///< Only ids behind it; empty: from the oldest, which is a full look.
    schema::TimePoint at;
    schema::SteadyPoint began;
    std::uint64_t round = 0;  ///< Full looks that had ended when it began.
    /// The id behind which jobs are left to other nodes; empty: nothing is left out.
    std::string left_from = {};
    std::string before = {};  ///< Only ids before it; empty: to the end of the table.
    std::string left = {};    ///< It comes to the row that go_back_to() has named; empty: to none.

    [[nodiscard]] bool is_full() const { return behind.empty(); }
};

/// Where the next look at a table in the order of its ids begins. Within a backlog that is where
/// the last page ended. Behind the end of the table it is a little before the last look: ids begin
/// with the time that they were made at, so newer jobs stand there. Older ids come too: of jobs
/// that are freed, moved here, or committed late. A full look finds them (see FullLooks): after
/// sixteen pages or two seconds of a backlog, else with each look, unless it costs too much.
///
/// So a job with an old id is found two seconds after its commit at the latest, or 20 times what a
/// full look takes, which is counted up to one minute; by a node that has room, at its next look.
/// Where there are more than twenty nodes, it is as many times as there are: a full look passes
/// over what all of them hold, so that their looks together would cost the square of their number.
///
/// Several nodes in one backlog would each pass over what the others have taken, and lock what they
/// have just claimed. So a look may leave them the next pages: it begins as much later as the times
/// in those ids are (leave_out). If there is nothing, the next one goes back. What was left and not
/// taken is found by the next full look and those behind it, which leave out nothing until they are
/// where this node has been.
///
/// An id that an app has made itself may stand behind all those that begin with a time. Where many
/// jobs wait there that are not for this node, each look would read them all, also one that finds a
/// few jobs in front of them. So when a look that found nothing there took long, those that follow
/// end a day behind now, and see such ids in as small a part of the time as full looks.
///
/// Before the first look nobody knows what the database keeps in front. It is a full one, unless
/// a search for jobs has found out that it would take long (see begin_at).
///
/// Several may look at a time. What one has found moves the others on before it is claimed. A look
/// that began before the last full one moves nothing: that one may have found older rows.
///
/// Thread safety: safe.
class ScanStart final {
public:
    [[nodiscard]] Look begin(const schema::Clock& clock) const;

    /// A look beside one that is going on. nullopt: there is no backlog.
    [[nodiscard]] std::optional<Look> begin_beside(const schema::Clock& clock) const;

    /// Whether a look that began now would be a full one.
    [[nodiscard]] bool is_full_look_due(schema::SteadyPoint now) const;

    /// The first look takes ids from that time on: a search before it took long, and `found` jobs
    /// from there. A full look follows within two seconds: what the search passed over may be jobs
    /// of other nodes, too. Precondition: nothing was looked at yet.
    void begin_at(schema::TimePoint time, const LongSearch& search, bool found);

    /// The look goes as far as the row `end`, behind which there may be more. It takes these rows.
    void found(const Look& look, std::string_view end);

    /// Instead of end(): nothing was taken of what the look has found, so the next one begins where
    /// it began.
    void failed(const Look& look);

    /// The look took so long to find its rows, and ended with the row `end`, behind which there may
    /// be more; empty: it saw the end of the table. `found` is the last of the ids that it found;
    /// empty: nothing.
    void end(const Look& look, FullLooks::Time took, std::string end, std::string_view found = {});

    /// A look has passed over this row, which it could not decide about: the next one begins
    /// there, but not more often than every 50 ms. Not one beside it.
    void go_back_to(const std::string& id);

    /// How much the pages that follow leave to other nodes, by the times in UUIDv7 ids; 0: nothing.
    void leave_out(schema::Duration span);

    /// How many other nodes look at the table.
    void are_beside(std::size_t nodes);

private:
    [[nodiscard]] bool is_full_look_due_now(schema::SteadyPoint now) const;
    [[nodiscard]] std::string end_of_ids_by_time(const Look& look) const;
    void go_on(std::string_view end);
    void leave_next_pages();

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::string behind_;
    std::string left_from_;  ///< See Look.
    std::string left_;       ///< Before the first row that was passed over; empty: none was.
    std::optional<schema::SteadyPoint> went_back_;
    std::string furthest_;  ///< The UUIDv7 at the end of a page; behind it nothing was left out.
    schema::Duration leaves_out_{0};
    std::size_t nodes_beside_ = 0;
    std::uint64_t round_ = 0;  ///< Full looks that have ended.
    bool is_in_backlog_ = false;
    int pages_ = 0;                ///< Of the backlog, since the last full look.
    schema::SteadyPoint full_at_;  ///< Valid if behind_ is not empty.
    FullLooks full_looks_;
    FullLooks looks_to_the_end_{std::chrono::milliseconds(50)};
};

/// An id before that one, with nothing of use in between: to look from that one on. Empty for a
/// single character.
[[nodiscard]] std::string just_before(std::string id);

}  // namespace jobstrand::executor
