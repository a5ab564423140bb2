#include "persistence/rows/fences.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

// REV_ stays, so that the fence of the run goes on to hold.
constexpr std::string_view kCountStart = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOST_STARTS_ = LOST_STARTS_ + 1, DUEDATE_ = ?
    WHERE ID_ IN (...) AND {held})sql";

// The job may be somebody else's by now, so there is no fence to ask for.
constexpr std::string_view kUncountStarts = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOST_STARTS_ = LOST_STARTS_ - 1
    WHERE ID_ IN (...) AND LOST_STARTS_ > 0)sql";

}  // namespace

bool SqlExecutorStore::count_start(
    std::string_view owner,
    const Fence& fence,
    schema::TimePoint next
) {
    bool is_held = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            const FencedIds ids = fenced(std::span(&fence, 1));
            is_held = execute_fenced(transaction, kCountStart, {next}, owner, ids) == 1;
        },
        // Once too often does less harm than a start that nobody knows of.
        run_again
    );
    return is_held;
}

void SqlExecutorStore::uncount_starts(std::span<const std::string> ids) {
    std::vector<std::string_view> list(ids.begin(), ids.end());
    std::ranges::sort(list);
    const auto uncount = [&](Transaction& transaction) {
        const std::string sql =
            fmt::format(kUncountStarts, fmt::arg("by_id", transaction.dialect().by_id));
        for (const auto& [text, parameters] : cut_id_list(sql, {.ids = list})) {
            transaction.execute(text, parameters);
        }
    };
    if (!list.empty()) {
        context_.runner.run(uncount, [](Transaction&) { return true; });
    }
}

}  // namespace jobstrand::persistence
