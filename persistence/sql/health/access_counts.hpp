#pragma once

#include "persistence/sql/db_error.hpp"
#include "schema/histogram.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jobstrand::persistence {

/// How the database has answered since this store began, for whoever watches it.
///
/// Thread safety: safe.
class AccessCounts final {
public:
    /// Transactions that were committed, and reads that were answered: from when a connection was
    /// asked for. Tries that failed before are not in it.
    schema::DurationHistogram writes;
    schema::DurationHistogram reads;

    /// A try has failed, whether or not there is another.
    void add_failure(DbErrorKind kind) {
        failures_.at(static_cast<std::size_t>(kind)).fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t failures(DbErrorKind kind) const {
        return failures_.at(static_cast<std::size_t>(kind)).load(std::memory_order_relaxed);
    }

private:
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(DbErrorKind::other) + 1>
        failures_{};
};

}  // namespace jobstrand::persistence
