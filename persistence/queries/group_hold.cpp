#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/concurrency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;

constexpr std::string_view kHolder = R"sql(
    SELECT LOCK_OWNER_, LOCK_EXP_TIME_
    FROM JS_EXCLUSIVE
    WHERE ID_ = ?)sql";

// What nodes tell of their longest runs.
constexpr std::string_view kSiblingRuns = R"sql(
    SELECT J.ID_, {instance}, J.ROOT_PROC_INST_ID_, R.SINCE_
    FROM JS_RUN R
    JOIN ACT_RU_JOB J ON J.ID_ = R.ID_
    WHERE R.NODE_ = ? AND J.REV_ = R.REV_ AND J.LOCK_OWNER_ = ? AND J.EXCLUSIVE_ = ?
    ORDER BY R.SINCE_, J.ID_)sql";

// No index has the holder, and locked jobs stand at the beginning of the table.
constexpr std::string_view kSiblings = R"sql(
    SELECT ID_, INSTANCE_, ROOT_PROC_INST_ID_
    FROM (
        SELECT ID_, {instance} AS INSTANCE_, ROOT_PROC_INST_ID_, LOCK_OWNER_, EXCLUSIVE_
        FROM {table} {by_id}
        ORDER BY ID_
        LIMIT ?
    ) part
    WHERE LOCK_OWNER_ = ? AND EXCLUSIVE_ = ?
    ORDER BY ID_)sql";

constexpr std::int64_t kRowsLookedAt = 10'000;
constexpr std::size_t kSiblingsTold = 5;

/// How a worker's name stands in JS_EXCLUSIVE.
constexpr std::string_view kWorkerPrefix = "worker ";

/// Collects the jobs of one group.
class Siblings {
public:
    Siblings(const Job& of, std::string_view group) : of_(of), group_(group) {}

    void add(const Row& row, const std::optional<schema::TimePoint>& since) {
        Job job;
        job.id = row.text(0);
        job.process_instance_id = row.text(1);
        job.root_process_instance_id = row.text(2);
        const bool is_of_group = schema::exclusive_group(job, ExclusiveOver::instance) == group_ ||
                                 schema::exclusive_group(job, ExclusiveOver::hierarchy) == group_;
        const bool is_known = std::ranges::find(found_, job.id, &HeldSibling::id) != found_.end();
        if (is_of_group && !is_known && job.id != of_.id && found_.size() < kSiblingsTold) {
            found_.push_back({.id = std::move(job.id), .since = since});
        }
    }

    [[nodiscard]] std::vector<HeldSibling> take() { return std::move(found_); }

private:
    const Job& of_;
    const std::string_view group_;
    std::vector<HeldSibling> found_;
};

std::vector<HeldSibling>
siblings_of(Connection& connection, const Job& job, const GroupHold& hold) {
    Siblings siblings(job, hold.group);
    const bool is_worker = hold.lock_owner.starts_with(kWorkerPrefix);
    const std::string_view owner =
        std::string_view(hold.lock_owner).substr(is_worker ? kWorkerPrefix.size() : 0);
    const std::string_view instance = expression_for("PROCESS_INSTANCE_ID_", connection.dialect());
    const std::string runs = fmt::format(kSiblingRuns, fmt::arg("instance", instance));
    const std::array<Value, 3> by_run{owner, owner, true};
    connection.query({.sql = runs, .columns = 4}, by_run, [&](const Row& row) {
        siblings.add(row, row.time(3));
    });
    const std::string sql = fmt::format(
        kSiblings,
        fmt::arg("instance", instance),
        fmt::arg("table", is_worker ? "ACT_RU_EXTERNAL_JOB" : "ACT_RU_JOB"),
        fmt::arg("by_id", connection.dialect().by_id)
    );
    const std::array<Value, 3> by_place{kRowsLookedAt, owner, true};
    connection.query({.sql = sql, .columns = 3}, by_place, [&](const Row& row) {
        siblings.add(row, {});
    });
    return siblings.take();
}

}  // namespace

std::optional<GroupHold> SqlOperatorStore::group_hold(const Job& job) {
    const auto awaited = awaited_group(job);
    GroupHold hold{
        .group = awaited ? awaited->group
                         : std::string(schema::exclusive_group(job, context_.exclusive_over))};
    if (hold.group.empty()) {
        return std::nullopt;
    }
    context_.runner.read([&](Connection& connection) {
        hold.lock_owner.clear();
        const Value name{std::string_view(hold.group)};
        connection.query({.sql = kHolder, .columns = 2}, {&name, 1}, [&](const Row& row) {
            hold.lock_owner = row.text(0);
            hold.until = row.time(1);
        });
        hold.siblings = hold.lock_owner.empty() ? std::vector<HeldSibling>()
                                                : siblings_of(connection, job, hold);
    });
    const bool is_held = !hold.lock_owner.empty();
    return is_held || awaited ? std::optional(std::move(hold)) : std::nullopt;
}

namespace {

// Which of the two its group is, the nodes' settings say; by both keys the row is found.
constexpr std::string_view kAwaited = R"sql(
    SELECT W.GROUP_, E.LOCK_OWNER_
    FROM JS_WAITING W
    LEFT JOIN JS_EXCLUSIVE E ON E.ID_ = W.GROUP_
    WHERE W.GROUP_ IN (?, ?) AND W.ID_ = ?)sql";

}  // namespace

std::optional<AwaitedGroup> SqlOperatorStore::awaited_group(const schema::Job& job) {
    if (!schema::waits_for_exclusive(job)) {
        return std::nullopt;
    }
    const std::array<Value, 3> parameters{
        schema::exclusive_group(job, schema::ExclusiveOver::instance),
        schema::exclusive_group(job, schema::ExclusiveOver::hierarchy),
        std::string_view(job.id),
    };
    return context_.runner.read([&](Connection& connection) {
        return one_row(connection, {.sql = kAwaited, .columns = 2}, parameters, [](const Row& row) {
            return AwaitedGroup{
                .group = std::string(row.text(0)), .lock_owner = std::string(row.text(1))};
        });
    });
}

}  // namespace jobstrand::persistence
