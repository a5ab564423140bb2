#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
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

}  // namespace jobstrand::deadletter
