#pragma once

#include "schema/uuid7.hpp"

#include <mutex>
#include <string>

namespace jobstrand::persistence {

/// Ids for rows that the store makes by itself: next turns, and long texts of jobs.
///
/// Thread safety: safe.
class FreshIds final {
public:
    [[nodiscard]] std::string next();

private:
    std::mutex mutex_;
    schema::Uuid7Source source_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::persistence
