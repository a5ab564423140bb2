#pragma once

#include "persistence/node_store.hpp"
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

/// Which external workers have asked this node for what lately.
///
/// Thread safety: safe.
class AskedTopics final {
public:
    void add(const std::string& worker, std::span<const std::string> topics, schema::TimePoint now);

    /// Returns the topics asked for within the last AskedTopic::kLasts, by topic and worker; if
    /// there are too many, the latest.
    [[nodiscard]] std::vector<persistence::AskedTopic> latest(schema::TimePoint now);

private:
    /// Forgets what is old, and of too many those that asked the longest ago.
    void tidy(schema::TimePoint now);

    // Guarded by mutex_.
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, schema::TimePoint> last_;  ///< Topic, worker.
};

/// Since when external workers have held jobs that they took here. It remembers at least the latest
/// kLeast, and never more than twice as many.
///
/// Thread safety: safe.
class ExternalBegins final {
public:
    static constexpr std::size_t kLeast = 10'000;

    void add(std::span<const schema::Job> jobs, schema::TimePoint now) {
        const std::lock_guard lock(mutex_);
        if (young_.size() >= kLeast) {
            old_ = std::exchange(young_, {});
        }
        for (const schema::Job& job : jobs) {
            young_[job.id] = now;
        }
    }

    /// Forgets it; nullopt: it was not taken here, or too many were since.
    [[nodiscard]] std::optional<schema::TimePoint> take(const std::string& job) {
        const std::lock_guard lock(mutex_);
        auto taken = young_.extract(job);
        auto older = old_.extract(job);
        if (taken.empty()) {
            taken = std::move(older);
        }
        return taken.empty() ? std::nullopt : std::optional(taken.mapped());
    }

private:
    // Guarded by mutex_.
    std::mutex mutex_;
    std::unordered_map<std::string, schema::TimePoint> young_;
    std::unordered_map<std::string, schema::TimePoint> old_;
};

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
