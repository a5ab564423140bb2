#pragma once

#include "persistence/series/series_and_turn.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/series/series_schedule.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A calendar that gets another text: all texts before that and after it.
struct CalendarChange {
    std::string name;
    schema::CalendarTexts before;
    schema::CalendarTexts after;
};

/// What a changed calendar does to the series that hang on it: their waiting turns get the due
/// dates that they have by the new text. Those that the old text would have given the same one are
/// left alone.
///
/// The due dates are looked for before anything is locked, because that takes time; the transaction
/// looks again only for series that changed meanwhile.
///
/// A series whose row cannot be read is left alone: it ends with its next turn.
///
/// A series with an end that the calendar leaves no time before it ends. One without an end would
/// never be due again, which nobody means: it is refused with std::invalid_argument.
class CalendarMoves final {
public:
    /// The schedule must outlive it.
    CalendarMoves(
        const schema::SeriesSchedule& schedule,
        CalendarChange change,
        schema::TimePoint now
    );

    [[nodiscard]] const CalendarChange& change() const { return change_; }

    /// Looks for the due dates. Throws std::invalid_argument.
    void plan(Connection& connection);

    /// In the transaction that stores the new text, and after that. Returns how many turns moved.
    /// Throws std::invalid_argument, and DbError conflict when a turn was taken meanwhile.
    [[nodiscard]] std::size_t apply(Transaction& transaction);

private:
    /// What the change means for a series of this revision. Revisions are compared only, as texts:
    /// a text can always be read.
    struct Plan {
        std::string revision = {};
        bool makes_a_difference = false;
        std::optional<schema::TimePoint> due = {};  ///< nullopt: then it ends.
    };

    /// A series that hangs on the calendar, as the transaction finds it.
    struct User {
        std::string key;
        std::string turn_id;
        std::string revision;
    };

    struct LockedUser {
        User user;
        SeriesAndTurn current;
    };

    [[nodiscard]] Plan plan_of(const schema::Series& series, const Dialect& dialect);
    [[nodiscard]] const Plan* known_plan(const User& user) const;
    void refuse_never_due() const;
    [[nodiscard]] std::vector<User> users_to_move(Transaction& transaction) const;
    [[nodiscard]] std::vector<LockedUser> users_for_update(Transaction& transaction) const;

    const schema::SeriesSchedule& schedule_;
    const CalendarChange change_;
    const schema::TimePoint now_;
    std::vector<std::string_view> calendars_;  ///< The one that changes, and all that hang on it.
    std::map<std::string, Plan, std::less<>> plans_;
    std::vector<std::string> never_due_;
};

}  // namespace jobstrand::persistence
