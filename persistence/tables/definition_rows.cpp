#include "persistence/definition_store.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/concurrency.hpp"
#include "schema/job_definition.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

using schema::JobDefinition;
using schema::JobDefinitionName;
using schema::JobPlace;

namespace {

/// The columns of a row, in the order in which definition_in reads them.
constexpr std::string_view kDefinitionColumns =
    "PROC_DEF_ID_, ACT_ID_, JOB_TYPE_, PRIORITY_, RETRY_CYCLE_, EXCLUSIVE_, JOB_PRIORITY_, "
    "CATEGORY_";
constexpr std::size_t kDefinitionColumnCount = 8;

JobDefinition definition_in(const Row& row) {
    JobDefinition definition{
        .name =
            {.definition = std::string(row.text(0)),
             .element = std::string(row.text(1)),
             .type = std::string(row.text(2))},
        .priority = std::string(row.text(3)),
        .retry_cycle = std::string(row.text(4)),
        .category = std::string(row.text(7)),
    };
    if (!row.is_null(5)) {
        definition.exclusive = row.boolean(5);
    }
    if (!row.is_null(6)) {
        definition.override_priority = row.integer(6);
    }
    return definition;
}

constexpr std::string_view kListDefinitions = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOBDEF
    WHERE {conditions}
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kFindDefinition = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOBDEF {by_id}
    WHERE ID_ = ?
    {for_update})sql";

constexpr std::string_view kCountDefinitions = R"sql(SELECT COUNT(*) FROM ACT_RU_JOBDEF)sql";

constexpr std::string_view kMakeDefinition = R"sql(
    {insert_if_absent} INTO ACT_RU_JOBDEF (ID_, PROC_DEF_ID_, ACT_ID_, JOB_TYPE_)
    VALUES (?, ?, ?, ?)
    {if_absent})sql";

constexpr std::string_view kWriteDefinition = R"sql(
    UPDATE ACT_RU_JOBDEF
    SET PRIORITY_ = ?, RETRY_CYCLE_ = ?, EXCLUSIVE_ = ?, JOB_PRIORITY_ = ?, CATEGORY_ = ?,
        REV_ = REV_ + 1
    WHERE ID_ = ?)sql";

constexpr std::string_view kRemoveDefinition = "{delete_where} ID_ = ?";

std::optional<JobDefinition> read_definition(Transaction& transaction, const std::string& id) {
    const std::string sql = fmt::format(
        kFindDefinition,
        fmt::arg("columns", kDefinitionColumns),
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("for_update", transaction.dialect().for_update)
    );
    const Query query{.sql = sql, .columns = kDefinitionColumnCount};
    return one_row(transaction, query, {std::string_view(id)}, definition_in);
}

void make_row(Transaction& transaction, const JobDefinitionName& name) {
    const std::string id = schema::id_of(name);
    const std::string sql = fmt::format(
        kMakeDefinition,
        fmt::arg("insert_if_absent", transaction.dialect().insert_if_absent),
        fmt::arg("if_absent", transaction.dialect().if_absent)
    );
    transaction.execute(
        sql,
        {std::string_view(id),
         std::string_view(name.definition),
         std::string_view(name.element),
         std::string_view(name.type)}
    );
}

void write_row(Transaction& transaction, const std::string& id, const JobDefinition& definition) {
    transaction.execute(
        kWriteDefinition,
        {text_or_null(definition.priority),
         text_or_null(definition.retry_cycle),
         definition.exclusive ? Value{*definition.exclusive} : Value{},
         definition.override_priority ? Value{*definition.override_priority} : Value{},
         text_or_null(definition.category),
         std::string_view(id)}
    );
}

}  // namespace

std::vector<JobDefinition> DefinitionStore::definitions(
    const DefinitionFilter& filter,
    std::string_view behind,
    std::size_t limit
) {
    std::vector<std::string_view> conditions{"ID_ > ?"};
    std::vector<Value> parameters{behind};
    const auto add = [&](std::string_view condition, const std::string& value) {
        if (!value.empty()) {
            conditions.push_back(condition);
            parameters.emplace_back(std::string_view(value));
        }
    };
    add("PROC_DEF_ID_ = ?", filter.definition);
    add("ACT_ID_ = ?", filter.element);
    add("JOB_TYPE_ = ?", filter.type);
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    const std::string sql = fmt::format(
        kListDefinitions,
        fmt::arg("columns", kDefinitionColumns),
        fmt::arg("conditions", fmt::join(conditions, " AND "))
    );
    const Query query{.sql = sql, .columns = kDefinitionColumnCount};
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, query, parameters, definition_in);
    });
}

std::optional<JobDefinition> DefinitionStore::find_definition(const JobDefinitionName& name) {
    const std::string id = schema::id_of(name);
    const std::string sql = fmt::format(
        kFindDefinition,
        fmt::arg("columns", kDefinitionColumns),
        fmt::arg("by_id", ""),
        fmt::arg("for_update", "")
    );
    const Query query{.sql = sql, .columns = kDefinitionColumnCount};
    return context_.runner.read([&](Connection& connection) {
        return one_row(connection, query, {std::string_view(id)}, definition_in);
    });
}

JobDefinition
DefinitionStore::change_definition(const JobDefinitionName& name, const DefinitionChange& change) {
    const std::string id = schema::id_of(name);
    JobDefinition definition;
    context_.runner.run(
        [&](Transaction& transaction) {
            make_row(transaction, name);
            if (one_number(transaction, kCountDefinitions) >
                std::int64_t{schema::kMostJobDefinitions}) {
                throw std::invalid_argument(fmt::format(
                    "there are {} job definitions, more than that are not kept: remove some",
                    schema::kMostJobDefinitions
                ));
            }
            definition = read_definition(transaction, id).value_or(JobDefinition{});
            definition.name = name;
            change(definition);
            write_row(transaction, id, definition);
        },
        run_again
    );
    context_.definitions.forget();
    return definition;
}

bool DefinitionStore::remove_definition(const JobDefinitionName& name) {
    const std::string id = schema::id_of(name);
    std::int64_t removed = 0;
    context_.runner.run(
        [&](Transaction& transaction) {
            const std::string sql =
                delete_from(transaction.dialect(), "ACT_RU_JOBDEF", kRemoveDefinition);
            removed += transaction.execute(sql, {std::string_view(id)});
        },
        run_again
    );
    context_.definitions.forget();
    return removed > 0;
}

void EnqueuerStore::record_definitions(
    Transaction* transaction,
    std::span<const JobDefinitionName> names
) {
    const auto record = [&](Transaction& work) {
        std::int64_t room =
            std::int64_t{schema::kMostJobDefinitions} - one_number(work, kCountDefinitions);
        for (const JobDefinitionName& name : names) {
            if (room-- > 0) {
                make_row(work, name);
            }
        }
    };
    if (transaction != nullptr) {
        record(*transaction);
    } else {
        context_.runner.run(record, run_again);
    }
}

namespace {

// What was only recorded says nothing to new jobs.
constexpr std::string_view kThoseThatSay = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOBDEF
    WHERE PRIORITY_ IS NOT NULL OR RETRY_CYCLE_ IS NOT NULL OR EXCLUSIVE_ IS NOT NULL OR
          JOB_PRIORITY_ IS NOT NULL OR CATEGORY_ IS NOT NULL
    ORDER BY ID_
    LIMIT ?)sql";

}  // namespace

KnownDefinitions
EnqueuerStore::known_definitions(Transaction* transaction, schema::SteadyPoint now) {
    if (KnownDefinitions known = context_.definitions.current(now)) {
        return known;
    }
    const std::uint64_t changes = context_.definitions.changes();
    const std::string sql = fmt::format(kThoseThatSay, fmt::arg("columns", kDefinitionColumns));
    const Query query{.sql = sql, .columns = kDefinitionColumnCount};
    const Value most{std::int64_t{schema::kMostJobDefinitions}};
    const auto read_all = [&](auto& source) {
        return all_rows(source, query, {most}, definition_in);
    };
    std::vector<JobDefinition> list =
        transaction != nullptr ? read_all(*transaction) : context_.runner.read(read_all);
    // Who writes the table by SQL may make mistakes, and they must not keep others from enqueueing.
    const std::size_t wrong = std::erase_if(list, [](const JobDefinition& definition) {
        return !schema::mistake_in(definition).empty();
    });
    if (wrong > 0) {
        context_.log.write(
            schema::LogLevel::warn,
            "job definitions are left out: what they say means nothing",
            {{"definitions", wrong}}
        );
    }
    return context_.definitions.replace(
        schema::JobDefinitions(completed(list, context_.definitions.configured())), now, changes
    );
}

namespace {

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
        return context_.runner.read([&](Connection& connection) {
            const std::string sql = fmt::format(
                kWithAnotherPriority,
                fmt::arg("table", schema::table_of(place_)),
                fmt::arg("behind", ids_behind(after)),
                fmt::arg("definition", expression_for("PROC_DEF_ID_", connection.dialect())),
                fmt::arg("kind", kind)
            );
            return all_texts(connection, sql, parameters);
        });
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
            fmt::arg("free", schema::has_lock(place_) ? kIsFree : ""),
            fmt::arg("skip_locked", dialect.skip_locked)
        );
        std::vector<Value> lock_test;
        if (schema::has_lock(place_)) {
            lock_test = {now_, schema::kWaitingOwner, schema::kLimitedOwner};
        }
        const std::vector<std::string_view> list = borrowed(ids);
        Ids free;
        const IdListParameters parameters{.ids = list, .after = lock_test};
        query_for_ids(transaction, {.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
            free.emplace_back(row.text(0));
        });
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
