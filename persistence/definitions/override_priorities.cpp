#include "persistence/definition_store.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/limit/job_limit.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::JobDefinitionName;
using schema::JobPlace;

// Read without locks: of millions of jobs most may be those of others. Nodes leave and take what
// they like meanwhile.
constexpr std::string_view kWithAnotherPriority = R"sql(
    SELECT ID_
    FROM {table}
    WHERE {behind} AND {definition} = ? AND PRIORITY_ <> ?{kind}
    ORDER BY ID_
    LIMIT ?)sql";

// Nobody waits here for anybody, so there is no deadlock. What is passed over, a node is taking.
constexpr std::string_view kThoseThatAreFree = R"sql(
    SELECT ID_
    FROM {table} {by_id}
    WHERE ID_ IN (...){free}
    ORDER BY ID_
    {skip_locked})sql";

constexpr std::string_view kIsFree =
    " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_EXP_TIME_ < ? OR LOCK_OWNER_ IN (?, ?))";

// The revision stays: who has read the row does nothing else with a priority than to keep it.
constexpr std::string_view kSetPriority = R"sql(
    UPDATE {table} {by_id}
    SET PRIORITY_ = ?
    WHERE ID_ IN (...))sql";

// What a series keeps of its turn: only a turn that an engine has moved is read from there.
constexpr std::string_view kKeepPriority = R"sql(
    UPDATE JS_SERIES
    SET PRIORITY_ = ?
    WHERE TURN_ID_ IN (...))sql";

/// Ids that are looked at in one transaction.
constexpr std::size_t kPart = schema::limits::kJobsPerTransaction;

using Ids = std::vector<std::string>;

/// A job that falls due, is acquired or dies on the way is met in a later place.
constexpr std::array kOverriddenPlaces{
    JobPlace::timer,
    JobPlace::suspended,
    JobPlace::external_worker,
    JobPlace::executable,
    JobPlace::dead_letter,
};

std::optional<OverridePosition> place_behind(JobPlace place) {
    const auto* const next = std::ranges::find(kOverriddenPlaces, place) + 1;
    return next == kOverriddenPlaces.end() ? std::nullopt
                                           : std::optional(OverridePosition{.place = *next});
}

std::vector<std::string_view> borrowed(const Ids& ids) {
    return {ids.begin(), ids.end()};
}

/// The jobs of one place whose priority an override changes.
class Override {
public:
    Override(
        const StoreContext& context,
        JobPlace place,
        const JobDefinitionName& name,
        std::int64_t priority,
        schema::TimePoint now
    )
        : context_(context), place_(place), name_(name), priority_(priority), now_(now) {}

    /// Behind this id.
    [[nodiscard]] Ids read(const std::string& after) const {
        std::vector<Value> parameters{
            std::string_view(after), std::string_view(name_.definition), priority_};
        std::string kind;
        const auto add = [&](std::string_view condition, const std::string& value) {
            if (!value.empty()) {
                kind += condition;
                parameters.emplace_back(std::string_view(value));
            }
        };
        add(" AND ELEMENT_ID_ = ?", name_.element);
        add(" AND HANDLER_TYPE_ = ?", name_.type);
        parameters.emplace_back(static_cast<std::int64_t>(kPart));
        Ids ids;
        context_.runner.read([&](Connection& connection) {
            const std::string sql = fmt::format(
                kWithAnotherPriority,
                fmt::arg("table", schema::table_of(place_)),
                fmt::arg("behind", ids_behind(after)),
                fmt::arg("definition", expression_for("PROC_DEF_ID_", connection.dialect())),
                fmt::arg("kind", kind)
            );
            ids.clear();
            connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
                ids.emplace_back(row.text(0));
            });
        });
        return ids;
    }

    /// Returns how many were changed.
    [[nodiscard]] std::int64_t change(const Ids& ids) const {
        std::int64_t changed = 0;
        context_.runner.run(
            [&](Transaction& transaction) { changed = set_priority(transaction, ids); }, run_again
        );
        return changed;
    }

private:
    [[nodiscard]] Ids free_ids(Transaction& transaction, const Ids& ids) const {
        const Dialect& dialect = transaction.dialect();
        const std::string sql = fmt::format(
            kThoseThatAreFree,
            fmt::arg("table", schema::table_of(place_)),
            fmt::arg("by_id", dialect.by_id),
            fmt::arg("free", has_lock(place_) ? kIsFree : ""),
            fmt::arg("skip_locked", dialect.skip_locked)
        );
        std::vector<Value> lock_test;
        if (has_lock(place_)) {
            lock_test = {now_, schema::kWaitingOwner, schema::kLimitedOwner};
        }
        const std::vector<std::string_view> list = borrowed(ids);
        Ids free;
        for (const BoundStatement& statement :
             cut_id_list(sql, {.ids = list, .after = lock_test})) {
            transaction.query(
                {.sql = statement.sql, .columns = 1},
                statement.parameters,
                [&](const Row& row) { free.emplace_back(row.text(0)); }
            );
        }
        return free;
    }

    [[nodiscard]] std::int64_t set_priority(Transaction& transaction, const Ids& ids) const {
        const Ids free = free_ids(transaction, ids);
        const std::string sql = fmt::format(
            kSetPriority,
            fmt::arg("table", schema::table_of(place_)),
            fmt::arg("by_id", transaction.dialect().by_id)
        );
        const std::vector<std::string_view> list = borrowed(free);
        const IdListParameters parameters{.before = {Value{priority_}}, .ids = list};
        execute_for_ids(transaction, sql, parameters);
        if (transaction.dialect().has_engine) {
            execute_for_ids(transaction, kKeepPriority, parameters);
        }
        return static_cast<std::int64_t>(free.size());
    }

    const StoreContext& context_;
    const JobPlace place_;
    const JobDefinitionName& name_;
    const std::int64_t priority_;
    const schema::TimePoint now_;
};

}  // namespace

OverrideStep DefinitionStore::override_priorities(
    const JobDefinitionName& name,
    std::int64_t priority,
    const OverridePosition& from,
    schema::TimePoint now
) {
    const Override jobs(context_, from.place, name, priority, now);
    const Ids ids = jobs.read(from.after);
    OverrideStep step{.changed = ids.empty() ? 0 : jobs.change(ids)};
    if (ids.size() == kPart) {
        step.next = OverridePosition{.place = from.place, .after = ids.back()};
    } else {
        step.next = place_behind(from.place);
    }
    return step;
}

}  // namespace jobstrand::persistence
