#pragma once

#include "persistence/audit_store.hpp"
#include "schema/clock.hpp"
#include "schema/paging.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::deadletter {

/// What people have changed through one process, for whoever watches it.
///
/// Thread safety: safe.
class ActionCounts final {
public:
    /// What was done, and how it ended: as in the audit.
    struct Kind {
        std::string action;
        std::string result;

        auto operator<=>(const Kind&) const = default;
    };
    struct Count {
        std::uint64_t actions = 0;
        std::uint64_t changed = 0;  ///< Jobs or other things, over all of them.
    };
    using Counts = std::map<Kind, Count>;

    /// Kinds that are counted; there are fewer.
    static constexpr std::size_t kMost = 500;

    void add(std::string_view action, std::string_view result, std::int64_t changed);

    [[nodiscard]] Counts counts() const;

private:
    mutable std::mutex mutex_;
    Counts counts_;  ///< Guarded by mutex_.
};

/// How an audited action ended.
struct ActionEnd {
    std::string result;  ///< `done`, `failed` and the like.
    std::optional<std::int64_t> changed = {};
};

/// What people have changed: who, when, how many, why.
///
/// Thread safety: as that of the store, which must outlive it, as must what counts the actions.
/// nullptr: nobody does. All of it throws DbError.
class AuditTrail final {
public:
    AuditTrail(
        persistence::AuditStore& store,
        const schema::Clock& clock,
        ActionCounts* counts = nullptr
    )
        : store_(store), clock_(clock), counts_(counts) {}

    /// Writes that the action begins, runs it, and writes how it ended. If it throws, the result is
    /// `failed`; an action that cannot be written down is not begun. When only its end cannot be
    /// written, the entry stays without a result, and the action counts.
    void run(const persistence::AuditedAction& action, const std::function<ActionEnd()>& carry_out);

    /// The latest first; behind an entry, or from the latest one on.
    [[nodiscard]] schema::Page<persistence::AuditEntry>
    list(const persistence::AuditFilter& filter, const std::string& behind, std::size_t limit);

    /// Removes what is older. Returns how many entries there were.
    std::int64_t forget(schema::TimePoint before) { return store_.forget_audit(before); }

private:
    void write_end(const std::string& id, const std::string& action, const ActionEnd& end);

    persistence::AuditStore& store_;
    const schema::Clock& clock_;
    ActionCounts* const counts_;
};

}  // namespace jobstrand::deadletter
