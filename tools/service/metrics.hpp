#pragma once

#include "deadletter/failure_cause.hpp"
#include "deadletter/history_admin.hpp"
#include "deadletter/job_search.hpp"
#include "executor/report/executor_figures.hpp"
#include "persistence/watch_store.hpp"
#include "schema/histogram.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/server_limits.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace jobstrand::service {

enum class MetricKind {
    counter,    ///< Only grows while the service runs; its name ends with `_total`.
    gauge,      ///< Goes up and down.
    histogram,  ///< Of times in seconds, or of sizes.
};

[[nodiscard]] std::string_view name_of(MetricKind kind);

/// What is said of a metric once.
struct MetricHead {
    std::string_view name;
    MetricKind kind = MetricKind::counter;
    std::string_view meaning;                          ///< A sentence or some, without a full stop.
    std::array<std::string_view, 3> label_names = {};  ///< The first ones; none: it has one value.
};

/// The text that Prometheus reads (exposition format 0.0.4), under construction.
class MetricsText final {
public:
    static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

    /// What is added from now on are values of this metric. It must live until the next one begins.
    void begin(const MetricHead& head);

    /// A value, for these values of the labels: one for each name.
    template <typename Number>
    requires std::is_arithmetic_v<Number>
    void add(Number number, std::initializer_list<std::string_view> labels = {}) {
        add_text(fmt::to_string(number), labels);
    }

    void add(const schema::DurationHistogram& histogram);
    void add(const schema::SizeHistogram& histogram);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void write_head();
    void add_text(std::string_view number, std::initializer_list<std::string_view> labels);

    const MetricHead* head_ = nullptr;
    bool is_head_written_ = false;
    std::string text_;
};

/// `name="value"`, whatever stands in the value; of a long one the first 255 characters.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

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

/// `/metrics`: all numbers are counted as things happen, or were seen a while ago, so that a scrape
/// waits for nothing.
[[nodiscard]] Response metrics(const ApiParts& api, const HttpCounts& http, const Backlog& backlog);

/// What one scrape reads: what is counted as things happen, and what was seen a while ago.
struct Scrape {
    const ApiParts& api;
    const HttpCounts& http;
    std::optional<BacklogCounts> backlog;  ///< nullopt: nobody has looked yet.
    persistence::NodeLoad load;
    executor::ActivityTimes times;
    executor::ActivityCounts activities;
    deadletter::ActionCounts::Counts actions;

    [[nodiscard]] engine::Wiring& engine() const { return api.engine; }
    [[nodiscard]] const executor::OutcomeCounts& outcomes() const {
        return api.engine.outcome_counts();
    }
    [[nodiscard]] const executor::WorkerCounts& workers() const {
        return api.engine.workers().counts();
    }
    [[nodiscard]] const persistence::AccessCounts& database() const {
        return api.engine.access_counts();
    }
};

/// All that the outside needs of a metric: `/metrics` and the table in docs/http.md are made from
/// it. The name says the unit: `_seconds`, `_total`, or what is counted.
struct Metric {
    MetricHead head;

    /// Adds its values; none: the metric is not there.
    void (*read)(const Scrape& scrape, MetricsText& text);
};

/// In the order in which they are told.
[[nodiscard]] std::span<const Metric> all_metrics();

}  // namespace jobstrand::service
