#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/job_place.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

class Transaction;

/// In which place a job stands.
struct JobAddress {
    std::string id;
    schema::JobPlace place = schema::JobPlace::executable;
};

/// One of these jobs that exists, in whatever place; nullopt: none does. One statement looks into
/// all places at once, so that a job that moves meanwhile is not missed.
[[nodiscard]] std::optional<JobAddress>
find_any(Transaction& transaction, std::span<const std::string_view> ids);
[[nodiscard]] std::optional<JobAddress>
find_any(Connection& connection, std::span<const std::string_view> ids);

/// All of them that exist, likewise. A job that moves meanwhile may be there twice.
[[nodiscard]] std::vector<JobAddress>
find_all(Transaction& transaction, std::span<const std::string_view> ids);

}  // namespace jobstrand::persistence
