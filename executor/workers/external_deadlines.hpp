#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// The time limits of external jobs by handler type.
class ExternalLimits final {
public:
    /// Of texts such as `mail=PT30S`; `invoice.*=PT5M` is for all types that begin so, and
    /// `*=PT1H` for all others. Those that problem_of() finds fault with are passed over.
    explicit ExternalLimits(std::span<const std::string> texts = {});

    /// What is wrong with such a text; empty: nothing.
    [[nodiscard]] static std::string problem_of(std::string_view text);

    /// nullopt: it has none.
    [[nodiscard]] std::optional<schema::Duration> of(std::string_view handler_type) const;

    [[nodiscard]] bool are_any() const { return !limits_.empty(); }

    /// Returns the handler types in the form that job filters take.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, schema::Duration, std::less<>> limits_;  ///< By type, or `beginning*`.
};

/// The deadlines of external jobs that have a time limit, as far as this node knows. Jobs without
/// one cost nothing.
///
/// Thread safety: safe; when_earlier() comes before the first job.
class ExternalDeadlines final {
public:
    /// Of jobs; more are not looked after until some have ended.
    static constexpr std::size_t kMostHeld = 200'000;

    /// A job that a worker holds.
    struct Held {
        std::string id;
        int revision = 1;
        std::string worker;
        schema::Duration limit{0};
    };

    explicit ExternalDeadlines(ExternalLimits limits) : limits_(std::move(limits)) {}

    [[nodiscard]] const ExternalLimits& limits() const { return limits_; }

    /// Called when a job is to end before all others. It must not block.
    void when_earlier(std::function<void()> wake) { wake_ = std::move(wake); }

    /// Workers hold these from now on. Those that are known already stay as they are.
    void begun(std::span<const schema::Job> jobs, schema::TimePoint now);

    /// Whatever became of it.
    void ended(const std::string& job);

    /// Removes and returns the jobs whose time is over.
    [[nodiscard]] std::vector<Held> take_late(schema::TimePoint now);

    /// The earliest deadline; nullopt: there is none.
    [[nodiscard]] std::optional<schema::TimePoint> next();

private:
    struct Entry {
        Held held;
        schema::TimePoint deadline;
    };

    void forget(const std::string& job);

    const ExternalLimits limits_;
    std::function<void()> wake_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::unordered_map<std::string, Entry> entries_;
    std::set<std::pair<schema::TimePoint, std::string>> order_;
};

}  // namespace jobstrand::executor
