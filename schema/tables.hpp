#pragma once

#include <span>
#include <string_view>
#include <vector>

/// The tables as data: one description, from which the DDL of every database is written, the live
/// schema is checked, and the column lists of the statements are taken.
///
/// The first columns of a job table are Flowable's, with its names, meaning and order (reference:
/// Flowable's own create scripts), so that its nodes and tools can share the rows. Ours stand
/// behind them, each nullable or with a default, so that an INSERT that names only Flowable's
/// columns works.
namespace jobstrand::schema {

/// The version of these tables, which this program reads and writes. Raised by every migration.
inline constexpr int kSchemaVersion = 24;

/// The row of ACT_GE_PROPERTY whose VALUE_ is the version that a database has.
inline constexpr std::string_view kSchemaVersionProperty = "jobstrand.schema.version";

/// The jobs of history, which nobody uses yet: it is kept for Flowable, and has other columns.
inline constexpr std::string_view kHistoryTable = "ACT_RU_HISTORY_JOB";

/// What a column holds; which SQL type that is, each database says.
enum class ColumnKind {
    id,       ///< Of ours: up to 64 ASCII characters, binary collation.
    app_id,   ///< Of an app: up to 64 characters of any text, binary collation.
    name,     ///< Up to 255 characters.
    value,    ///< Up to 300 characters.
    message,  ///< Up to 4,000 characters.
    names,    ///< A list of names, one a line: any text, binary collation.
    integer,  ///< 32 bits.
    big_integer,
    boolean,
    timestamp,  ///< UTC, milliseconds.
    bytes,
};

struct Column {
    std::string_view name;
    ColumnKind kind = ColumnKind::name;
    std::string_view default_value = {};  ///< SQL text, `now`, or `scope`: ours; empty: NULL.
    bool required = false;                ///< NOT NULL.
};

/// An index is named after the query that it serves.
struct Index {
    std::string_view name;
    std::string_view columns;  ///< As written between the parentheses.
    std::string_view serves;   ///< The query, in words; a comment in the DDL.

    /// Where an index may leave out rows, only those that meet it are in the index, so that the
    /// planner takes the index for no query without this condition; empty: all rows, any query.
    std::string_view partial_condition = {};
};

struct Table {
    std::string_view name;
    std::vector<Column> columns;
    std::string_view primary_key;  ///< As written between the parentheses.
    std::vector<Index> indexes = {};
};

/// An index that only one setting needs. Every insert and delete would pay for it, so it is there
/// only where an operator has created it; the schema is complete without it.
struct OptionalIndex {
    std::string_view name;  ///< What an operator calls it.
    std::string_view table;
    Index index;
};

/// For the acquisition in priority order (R045, R051). Ascending, although the highest comes first:
/// MariaDB knows descending ones since 10.8 only, and each priority is read by itself. The
/// condition is there because PostgreSQL, while it believes the table to be small, would read the
/// whole index to find rows by their ids.
inline constexpr OptionalIndex kPriorityIndex{
    .name = "priority",
    .table = "ACT_RU_JOB",
    .index =
        {
            "JS_IDX_JOB_PRIORITY",
            "PRIORITY_, ID_",
            "the executable jobs of one priority, oldest first",
            "HANDLER_TYPE_ IS NOT NULL",
        },
};

/// For the acquisition of timers first or by due date (R046, R047), without regard to priorities.
/// Immediate jobs stand together in it, in the order of their ids.
inline constexpr OptionalIndex kDueIndex{
    .name = "due",
    .table = "ACT_RU_JOB",
    .index =
        {
            "JS_IDX_JOB_DUE",
            "DUEDATE_, ID_",
            "the executable jobs by their due dates, and those without one by age",
            "HANDLER_TYPE_ IS NOT NULL",
        },
};

/// The same within each priority, also where priorities age.
inline constexpr OptionalIndex kPriorityDueIndex{
    .name = "priority-due",
    .table = "ACT_RU_JOB",
    .index =
        {
            "JS_IDX_JOB_PRIORITY_DUE",
            "PRIORITY_, DUEDATE_, ID_",
            "the executable jobs of one priority by their due dates, and those without by age",
            "HANDLER_TYPE_ IS NOT NULL",
        },
};

/// For the acquisition of tenants in turn.
inline constexpr OptionalIndex kTenantIndex{
    .name = "tenant",
    .table = "ACT_RU_JOB",
    .index =
        {
            "JS_IDX_JOB_TENANT",
            "TENANT_ID_, ID_",
            "the executable jobs of one tenant, oldest first",
            "HANDLER_TYPE_ IS NOT NULL",
        },
};

/// For the acquisition that takes the further jobs of an instance along.
inline constexpr OptionalIndex kInstanceIndex{
    .name = "instance",
    .table = "ACT_RU_JOB",
    .index =
        {
            "JS_IDX_JOB_INSTANCE",
            "PROCESS_INSTANCE_ID_, ID_",
            "the executable jobs of one instance, oldest first",
            "PROCESS_INSTANCE_ID_ IS NOT NULL",
        },
};

[[nodiscard]] std::span<const OptionalIndex> optional_indexes();

/// All tables of the current schema, in the order in which they are created.
[[nodiscard]] std::span<const Table> tables();

}  // namespace jobstrand::schema
