#pragma once

#include "persistence/served_jobs.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What decides which nodes can run a job: its handler type, what it needs beside that (see
/// schema::Job::needs), and what else a node may be limited to (see schema::ServedScope).
struct JobKind {
    std::string handler_type = {};
    std::string needs = {};  ///< Empty: nothing, or nobody has read it yet.

    // Of unserved jobs, only what some living node is limited to; else as if there were none.
    std::optional<std::int64_t> priority = {};
    std::string category = {};
    std::string tenant_id = {};
    std::string process_definition_id = {};

    auto operator<=>(const JobKind&) const = default;
};

/// What no living node has for a job that it could run otherwise.
enum class Lack {
    nothing,       ///< Some node takes it.
    handler_type,  ///< A handler.
    needs,         ///< What it needs beside that.
    scope,         ///< Nodes that have both are limited to other jobs.
};

[[nodiscard]] JobKind kind_of(const schema::Job& job);

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

    /// What keeps the living nodes from these jobs.
    [[nodiscard]] virtual Lack lacking(const JobKind& kind, schema::TimePoint now) = 0;

    /// Returns the unserved jobs by kind, in the order of kinds. Looks only at the first `rows`
    /// free jobs, on which its cost depends.
    [[nodiscard]] virtual std::vector<UnservedJobs>
    unserved(schema::TimePoint now, std::size_t rows = kAllRows) = 0;
};

}  // namespace jobstrand::persistence
