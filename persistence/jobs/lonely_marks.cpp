#include "persistence/jobs/lonely_marks.hpp"

#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

constexpr std::int64_t kOfOneLook = 200;

/// After that it looks at others.
constexpr schema::Duration kTurn = std::chrono::seconds(10);

/// Where so many wait it looks in every sixth turn only, since it reads all that their room knows.
constexpr std::int64_t kMany = 10 * kOfOneLook;

constexpr std::string_view kCount = R"sql(
    SELECT COUNT(*)
    FROM ACT_RU_JOB
    WHERE {behind} AND ID_ <= ? AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kMarked = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB
    WHERE {behind} AND ID_ <= ? AND LOCK_OWNER_ = ?
    ORDER BY ID_
    LIMIT ? OFFSET ?)sql";

constexpr std::string_view kInRoom = R"sql(
    SELECT ID_
    FROM {table}
    WHERE ID_ IN (...))sql";

using Ids = std::set<std::string, std::less<>>;

/// Those of the marked ids that the room does not know. The mark was read first: who has left the
/// room in between has lost it.
[[nodiscard]] Ids lonely_ids(
    Connection& connection,
    const WaitingRoom& room,
    const RowsBetween& rows,
    schema::TimePoint now
) {
    const std::string_view behind = ids_behind(rows.after);
    std::vector<Value> parameters{rows.after, rows.last, room.mark};
    std::int64_t count = 0;
    connection.query(
        {.sql = fmt::format(kCount, fmt::arg("behind", behind)), .columns = 1},
        parameters,
        [&](const Row& row) { count = row.integer(0); }
    );
    if (count == 0) {
        return {};
    }
    const std::int64_t turns = now.time_since_epoch() / kTurn;
    const std::int64_t per_look = count > kMany ? 6 : 1;
    if (turns % per_look != 0) {
        return {};
    }
    const std::int64_t looks = (count + kOfOneLook - 1) / kOfOneLook;
    const std::int64_t turn = turns / per_look % looks;
    parameters.insert(parameters.end(), {kOfOneLook, turn * kOfOneLook});
    Ids ids;
    connection.query(
        {.sql = fmt::format(kMarked, fmt::arg("behind", behind)), .columns = 1},
        parameters,
        [&](const Row& row) { ids.emplace(row.text(0)); }
    );
    const std::vector<std::string_view> marked(ids.begin(), ids.end());
    const std::string in_room = fmt::format(kInRoom, fmt::arg("table", room.table));
    for (const auto& [sql, values] : cut_id_list(in_room, {.ids = marked})) {
        connection.query({.sql = sql, .columns = 1}, values, [&](const Row& row) {
            if (const auto found = ids.find(row.text(0)); found != ids.end()) {
                ids.erase(found);
            }
        });
    }
    return ids;
}

}  // namespace

std::int64_t
free_lonely_marks(const StoreContext& context, const RowsBetween& rows, schema::TimePoint now) {
    std::int64_t freed = 0;
    for (const WaitingRoom& room : {kForExclusive, kForLimit}) {
        Ids lonely;
        context.runner.read([&](Connection& connection) {
            lonely = lonely_ids(connection, room, rows, now);
        });
        if (lonely.empty()) {
            continue;
        }
        const std::vector<std::string_view> ids(lonely.begin(), lonely.end());
        std::int64_t of_room = 0;
        context.runner.run(
            [&](Transaction& transaction) { of_room = free_waiting(transaction, room, ids); },
            run_again
        );
        freed += of_room;
    }
    return freed;
}

}  // namespace jobstrand::persistence
