#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// How many attempts have failed of which class of error, for whoever watches. However many classes
/// there are, so many at most are told apart.
///
/// Thread safety: safe.
class FailureClasses final {
public:
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;

    /// Classes with a count of their own: those that were seen first.
    static constexpr std::size_t kMost = 50;

    /// Of those beyond them, and of messages without a class.
    static constexpr std::string_view kOther = "other";
    static constexpr std::string_view kNone = "none";

    /// An attempt has failed; see error_class_of().
    void add(std::string_view message);

    [[nodiscard]] Counts counts() const;

private:
    mutable std::mutex mutex_;
    Counts counts_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::schema
