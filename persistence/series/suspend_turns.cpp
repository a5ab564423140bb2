#include "persistence/series/suspend_turns.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kTurns = R"sql(
    SELECT ID_, TURN_ID_
    FROM JS_SERIES
    WHERE {scope} = ? AND ID_ > ? AND TURN_ID_ IS NOT NULL
    ORDER BY ID_
    LIMIT ?)sql";

/// Turns of one transaction.
constexpr std::int64_t kPage = schema::limits::kJobsPerTransaction;

struct Page {
    std::string last_key;
    std::vector<std::string> turns;  ///< In id order.
    bool is_full = false;            ///< There may be more behind it.
};

Page read_page(
    TransactionRunner& runner,
    SuspensionScope scope,
    std::string_view id,
    const std::string& after
) {
    const std::string sql =
        fmt::format(kTurns, fmt::arg("scope", scope == SuspensionScope::series ? "ID_" : "GROUP_"));
    const std::array<Value, 3> parameters{id, std::string_view(after), kPage};
    Page page;
    runner.read([&](Connection& connection) {
        page = {};
        connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            page.last_key = row.text(0);
            page.turns.emplace_back(row.text(1));
        });
    });
    page.is_full = std::cmp_equal(page.turns.size(), kPage);
    std::ranges::sort(page.turns);
    return page;
}

/// Returns how many moved; those that a node holds stay.
std::int64_t move_turns(
    const StoreContext& context,
    JobPlace from,
    const std::vector<std::string>& turns,
    const TransitionOf& transition_of,
    schema::TimePoint now
) {
    const std::vector<std::string_view> ids(turns.begin(), turns.end());
    std::vector<std::string> moved;
    const auto move = [&](Transaction& transaction) {
        std::vector<Job> rows = lock_rows(transaction, from, ids);
        std::erase_if(rows, [now](const Job& row) { return is_locked(row, now); });
        MovePipeline moves(transaction, context, from, now);
        moves.decide(std::move(rows), transition_of);
        moves.write();
        moved = moves.leaving_ids();
    };
    context.runner.run(move, [&](Transaction& transaction) {
        return !is_any_in(transaction, from, moved);
    });
    return static_cast<std::int64_t>(moved.size());
}

}  // namespace

std::int64_t suspend_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(context.runner, scope, id, page.last_key);
        for (const JobPlace place : schema::kSuspendablePlaces) {
            const auto suspend = [place](const Job& row) { return schema::suspended(row, place); };
            count += move_turns(context, place, page.turns, suspend, now);
        }
    } while (page.is_full);
    return count;
}

std::int64_t activate_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(context.runner, scope, id, page.last_key);
        count += move_turns(context, JobPlace::suspended, page.turns, schema::activated, now);
    } while (page.is_full);
    return count;
}

}  // namespace jobstrand::persistence
