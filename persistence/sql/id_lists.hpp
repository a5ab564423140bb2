#pragma once

#include "persistence/sql/connection.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The parameters of a statement with an id list: those before it, the ids, those after it.
struct IdListParameters {
    std::vector<Value> before = {};
    std::span<const std::string_view> ids;
    std::vector<Value> after = {};
};

/// A statement that is ready to run.
struct BoundStatement {
    std::string sql;
    std::vector<Value> parameters;
};

/// How many placeholders a list of `count` ids gets: one of a few sizes, so that few distinct
/// statements are prepared. The surplus repeats the last id, which changes no result.
[[nodiscard]] std::size_t padded_list_size(std::size_t count);

/// Writes `(?, ?, ...)` with `count` placeholders in place of each `(...)`.
[[nodiscard]] std::string with_list_size(std::string_view sql, std::size_t count);

/// A statement with `(...)` for a list of ids, cut into statements of at most
/// limits::kIdsPerStatement ids; none for no ids. Several `(...)` that follow each other without
/// other parameters in between all get the same ids. The texts are borrowed, as in Value.
[[nodiscard]] std::vector<BoundStatement>
cut_id_list(std::string_view sql, const IdListParameters& parameters);

}  // namespace jobstrand::persistence
