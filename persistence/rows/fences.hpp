#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"

#include <compare>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What jobs have in common that one statement can write about.
struct FenceKind {
    FenceKind(int of_rows, bool is_by_claim = false) : revision(of_rows), by_claim(is_by_claim) {}

    int revision;
    bool by_claim;  ///< A claim names them; their rows have a lock owner since a renewal only.

    auto operator<=>(const FenceKind&) const = default;
};

/// The ids are borrowed; add them in ascending order.
using FencedIds = std::map<FenceKind, std::vector<std::string_view>>;

[[nodiscard]] FencedIds fenced(std::span<const Fence> fences);
[[nodiscard]] FencedIds fenced(std::span<const schema::Job> jobs);
[[nodiscard]] std::int64_t count_of(const FencedIds& ids);

/// Runs a statement whose condition is `ID_ IN (...) AND {held}` for all ids. It begins with
/// `UPDATE ACT_RU_JOB {by_id}` or, without a WHERE, with `{delete_where}` (see Dialect). Returns
/// how many rows it touched: fewer than ids when the locks of some are lost.
std::int64_t execute_fenced(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    std::string_view owner,
    const FencedIds& ids
);

/// Frees the executable jobs under these fences. Returns how many there were.
std::int64_t free_held(Transaction& transaction, std::string_view owner, const FencedIds& ids);

/// The same, saying what each of them needs that its node lacks.
std::int64_t free_unserved(
    Transaction& transaction,
    std::string_view owner,
    const FencedIds& ids,
    std::string_view needs
);

/// The condition `{held}` for fences of a kind, with two parameters: revision and owner.
[[nodiscard]] std::string_view held_condition(const FenceKind& kind);

/// The jobs of a place that still stand under these fences, each id with the revision that holds:
/// two runs of one job may both be asked about. They are read for update.
[[nodiscard]] std::map<std::string, int, std::less<>> held_for_update(
    Transaction& transaction,
    std::string_view owner,
    const FencedIds& ids,
    schema::JobPlace place = schema::JobPlace::executable
);

}  // namespace jobstrand::persistence
