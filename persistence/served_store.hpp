#pragma once

#include "persistence/served_jobs.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What decides which nodes can run a job: its handler type, and what it needs beside that (see
/// schema::Job::needs).
struct JobKind {
    std::string handler_type = {};
    std::string needs = {};  ///< Empty: nothing, or nobody has read it yet.

    auto operator<=>(const JobKind&) const = default;
};

/// Free executable jobs that no living node takes.
struct UnservedJobs {
    JobKind kind;
    std::int64_t jobs = 0;

    bool operator==(const UnservedJobs&) const = default;
};

/// More than any table has.
inline constexpr std::size_t kAllRows = 1'000'000'000'000;

/// Which kinds of jobs living nodes serve, and which nobody does (see NodeStore). See Transactions
/// for what holds for all roles.
class ServedStore {
public:
    virtual ~ServedStore() = default;

    [[nodiscard]] virtual bool is_served(const JobKind& kind, schema::TimePoint now) = 0;

    /// By kind, in its order. Looks at the first `rows` free jobs only, and its cost depends on
    /// them.
    [[nodiscard]] virtual std::vector<UnservedJobs>
    unserved(schema::TimePoint now, std::size_t rows = kAllRows) = 0;
};

}  // namespace jobstrand::persistence
