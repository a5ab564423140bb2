#include "persistence/series/suspend_turns.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

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

/// Decides about a row that is locked; nullopt: it stays.
using Decide = std::function<std::optional<PlacedJob>(Job row, bool is_suspended)>;

std::int64_t move_turns(
    TransactionRunner& runner,
    JobPlace from,
    const std::vector<std::string>& turns,
    const Decide& decide
) {
    const std::vector<std::string_view> ids(turns.begin(), turns.end());
    std::vector<std::string> moved_ids;
    const auto move = [&](Transaction& transaction) {
        moved_ids.clear();
        std::vector<Job> rows = lock_rows(transaction, from, ids);
        std::vector<const Job*> candidates;
        for (const Job& row : rows) {
            candidates.push_back(&row);
        }
        const SuspendedScopes suspended = find_suspended(transaction, candidates);
        std::vector<PlacedJob> moves;
        for (Job& row : rows) {
            const bool is_suspended = suspended.contain(row);
            if (auto placed = decide(std::move(row), is_suspended)) {
                moved_ids.push_back(placed->job.id);
                moves.push_back(std::move(*placed));
            }
        }
        move_rows(transaction, from, moves);
    };
    runner.run(move, [&](Transaction& transaction) {
        return !is_any_in(transaction, from, moved_ids);
    });
    return static_cast<std::int64_t>(moved_ids.size());
}

}  // namespace

std::int64_t suspend_turns(
    TransactionRunner& runner,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(runner, scope, id, page.last_key);
        for (const JobPlace place :
             {JobPlace::executable, JobPlace::timer, JobPlace::external_worker}) {
            count += move_turns(
                runner,
                place,
                page.turns,
                [&](Job row, bool is_suspended) -> std::optional<PlacedJob> {
                    if (!is_suspended || is_locked(row, now)) {
                        return std::nullopt;
                    }
                    const schema::Transition transition = schema::suspended(row, place);
                    return moved(std::move(row), transition);
                }
            );
        }
    } while (page.is_full);
    return count;
}

std::int64_t activate_turns(TransactionRunner& runner, SuspensionScope scope, std::string_view id) {
    std::int64_t count = 0;
    Page page;
    do {
        page = read_page(runner, scope, id, page.last_key);
        count += move_turns(
            runner,
            JobPlace::suspended,
            page.turns,
            [](Job row, bool is_suspended) -> std::optional<PlacedJob> {
                if (is_suspended) {
                    return std::nullopt;
                }
                const schema::Transition transition = schema::activated(row);
                return moved(std::move(row), transition);
            }
        );
    } while (page.is_full);
    return count;
}

}  // namespace jobstrand::persistence
