#pragma once

#include <jobstrand/change_answer.hpp>
#include <jobstrand/engine.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// A series as it is in the database. Of `turn` there are the handler type, the retries, and the
/// due date of the next one; Engine::find(turn_id) has the rest.
struct StoredSeries : NewSeries {
    SeriesState state = SeriesState::waiting;
    std::string turn_id = {};  ///< The job that is the next turn, or runs; empty: it has ended.
    std::int64_t fired = 0;    ///< Turns that have been fired.
    std::optional<TimePoint> last_turn = {};  ///< The due date of the last one that was fired.
    std::optional<TimePoint> create_time = {};
    std::string complaint = {};  ///< What of its row cannot be read; empty: all can.

    bool operator==(const StoredSeries&) const = default;
};

/// Which series are meant; nullopt: any.
struct SeriesQuery {
    std::optional<std::string> group = {};
    std::optional<SeriesState> state = {};
};

/// When a series runs from now on. nullopt: as before; but start and end belonged to the old
/// repeat, and are gone if they are not said anew.
struct SeriesTimes {
    std::string repeat = {};
    std::optional<std::string> zone = {};
    std::optional<std::string> dst_rule = {};
    std::optional<std::string> calendar = {};  ///< Empty: none any more.
    std::optional<std::string> misfire = {};
    std::optional<Duration> misfire_threshold = {};
    std::optional<TimePoint> start = {};
    std::optional<TimePoint> end = {};
};

/// Series that are paused and resumed together.
struct SeriesGroup {
    std::string name = {};
    std::int64_t series = 0;                     ///< Those that have not ended.
    std::optional<TimePoint> paused_since = {};  ///< nullopt: it is not paused.

    bool operator==(const SeriesGroup&) const = default;
};

/// What becomes of series once Engine::start_series() has begun them, and the calendars that they
/// leave out (docs/timers.md).
///
///     SeriesManagement series(engine);
///     series.pause("nightly-report");
///
/// All of it goes by the engine's clock: in a test, by that of the TestEngine.
///
/// Errors: Error; std::invalid_argument for texts that cannot be read, one sentence that says
/// what is wrong, and nothing was changed. What changes something throws std::logic_error within a
/// transaction of the engine. Thread safety: safe. The engine must outlive it; it need not run.
class SeriesManagement final {
public:
    explicit SeriesManagement(Engine& engine) : engine_(engine) {}

    // Looking.

    /// nullopt: there is none, or it was removed.
    [[nodiscard]] std::optional<StoredSeries> find(std::string_view key);

    /// In the order of the keys, behind the key `after` (exclusive; empty: from the start).
    [[nodiscard]] std::vector<StoredSeries>
    list(const SeriesQuery& query = {}, std::string_view after = {}, std::size_t limit = 1000);

    /// When the next turns begin, if each is taken as soon as it is due: up to `count` of those
    /// after `after`; nullopt: from now on, with one that is due. Of a paused series: if it were
    /// resumed now. Empty: it has ended, or there is none.
    [[nodiscard]] std::vector<TimePoint> next_turns(
        std::string_view key,
        std::size_t count = 5,
        const std::optional<TimePoint>& after = {}
    );

    /// The same of a series that would be begun now, to be shown before. Its texts are refused as
    /// Engine::start_series() does.
    [[nodiscard]] std::vector<TimePoint> next_turns(NewSeries series, std::size_t count = 5);

    // One series. `refused` where it has ended, if nothing else is said.

    /// Its turns wait, suspended, until it is resumed; also `done` if it was paused. What runs goes
    /// on.
    ChangeAnswer pause(const std::string& key);

    /// What was missed is up to its misfire instruction. A turn whose row somebody has deleted is
    /// there again. `refused`: its group is paused, or it has ended.
    ChangeAnswer resume(const std::string& key);

    /// Runs an extra job like its turns now, and returns the id; the series goes on as it was.
    /// nullopt: there is no such series, it has ended, or somebody has deleted its turn.
    std::optional<std::string> fire(const std::string& key);

    /// It begins anew: so does its count of turns. A paused one stays paused, and a turn that runs
    /// goes on. `refused` also where somebody has deleted its turn.
    ChangeAnswer reschedule(const std::string& key, const SeriesTimes& times);

    /// No further turn; what runs may finish. The series stays, to be looked at; also `done` if it
    /// had ended.
    ChangeAnswer end(const std::string& key);

    /// Forgets one that has ended; `refused`: it has not.
    ChangeAnswer remove(const std::string& key);

    // Groups.

    /// Those that have series which have not ended, and those that are paused, by name.
    [[nodiscard]] std::vector<SeriesGroup> groups();

    /// Also the series that are yet to come. Return how many turns moved.
    std::int64_t pause_group(const std::string& name);

    /// Series that were paused themselves stay so.
    std::int64_t resume_group(const std::string& name);

    // Calendars.

    /// Stores one, new or changed, and moves the waiting turns of all series that use it. Returns
    /// how many moved. A series with an end that has no time left before it ends.
    std::size_t set_calendar(const std::string& name, const std::string& text);

    /// Texts by name.
    [[nodiscard]] std::map<std::string, std::string> calendars();

    /// `refused`: a series that has not ended uses it, or another calendar.
    ChangeAnswer remove_calendar(const std::string& name);

private:
    Engine& engine_;
};

}  // namespace jobstrand
