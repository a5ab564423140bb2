#pragma once

#include "deadletter/admin/job_search.hpp"
#include "deadletter/causes/cause_tally.hpp"
#include "persistence/watch_store.hpp"
#include "schema/job_place.hpp"
#include "schema/time.hpp"
#include "tools/engine/wiring.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::service {

/// What waits in the database, over all nodes.
struct BacklogCounts {
    std::vector<deadletter::PlaceCount> jobs;
    std::int64_t open_incidents = 0;

    /// For how long the free job that would be taken next by age could have run; 0: none is free.
    schema::Duration executable_wait{0};
    schema::Duration external_wait{0};  ///< Likewise.

    /// For how long the timer that is due first has been overdue; 0: none is.
    schema::Duration timer_overdue{0};

    /// Timers that are due within each of Backlog::kAhead, overdue ones too; counted, like the next
    /// two, up to Backlog::kMostCounted.
    std::array<std::int64_t, 3> timers_due{};
    persistence::WaitingJobs waiting_jobs = {};

    /// Of the first Backlog::kRowsRead free jobs.
    std::vector<persistence::FreeJobs> executable_types = {};
    std::vector<persistence::FreeJobs> external_types = {};

    /// Of the latest Backlog::kLettersRead.
    deadletter::CauseSummary dead_letters = {};

    std::vector<persistence::ToldSymptom> symptoms = {};
    schema::TimePoint seen = {};  ///< When it was asked, by the database's clock.
};

/// Counts what waits, but seldom: counting large tables is work for the database. Whoever wants to
/// know takes what was seen last, and has it looked at anew when that is old: after 15 s, or after
/// so many times as long as a look takes.
///
/// Thread safety: safe. The engine must outlive it.
class Backlog final {
public:
    static constexpr std::chrono::seconds kFresh{15};
    static constexpr int kRestOfScrapes = 20;
    static constexpr int kRestOfViewers = 100;
    static constexpr std::chrono::minutes kOfUse{10};

    static constexpr std::array<std::chrono::minutes, 3> kAhead{
        std::chrono::minutes(1),
        std::chrono::minutes(5),
        std::chrono::minutes(60)};
    static constexpr std::size_t kMostCounted = 100'000;
    static constexpr std::size_t kRowsRead = 10'000;
    static constexpr std::size_t kTypesTold = 10;
    static constexpr std::size_t kLettersRead = 2'000;

    using Now = std::function<schema::SteadyPoint()>;

    explicit Backlog(engine::Wiring& engine, Now now = std::chrono::steady_clock::now)
        : engine_(engine), now_(std::move(now)) {}

    /// nullopt: nobody has looked yet, or the database did not answer the last time.
    [[nodiscard]] std::optional<BacklogCounts> last() const;

    /// Of it, how many jobs stood where, if that is of use to somebody who looks now: not long ago.
    [[nodiscard]] std::vector<deadletter::PlaceCount> last_places() const;

    /// Whether it is time for a look(), which rests so many times as long as it takes. One caller
    /// is told so; if it cannot, the next one is after a while.
    [[nodiscard]] bool wants_a_look(int rest);

    /// Asks the database, unless somebody does already. Throws DbError.
    void look();

private:
    [[nodiscard]] BacklogCounts count();
    [[nodiscard]] schema::Duration wait_in(schema::JobPlace place, schema::TimePoint now);

    engine::Wiring& engine_;
    const Now now_;

    mutable std::mutex mutex_;
    std::optional<BacklogCounts> last_;  ///< Guarded by mutex_.
    schema::SteadyPoint looked_{};       ///< Likewise: when that was.
    schema::SteadyPoint ended_{};        ///< Likewise: when that look ended.
    schema::SteadyPoint next_{};         ///< Likewise: no look is wanted before.
    bool is_looking_ = false;            ///< Likewise.
};

}  // namespace jobstrand::service
