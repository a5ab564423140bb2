#pragma once

#include "schema/tables.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// How a database tells what tables it has, what its words for them mean, and how they are made.
namespace jobstrand::persistence {

class Connection;
struct Dialect;
class SchemaLock;

/// Whether the type of a column takes every value of a kind.
enum class TypeFit {
    holds,
    too_narrow,  ///< Only shorter texts, smaller numbers or coarser times.
    other,       ///< It is for values of another sort.
};

/// Whether a column keeps every text, and tells all texts apart.
enum class TextFit {
    holds,
    lacks_characters,  ///< Its character set has less than UTF-8.
    compares_loosely,  ///< By the rules of a language, or without regard to case.
};

/// Clauses behind `ALTER TABLE T`, with {0} for the column, {1} for its type, {2} for its whole
/// definition and {3} for its default. Empty: the database cannot change that.
struct ColumnChanges {
    std::string_view first = {};  ///< Stands in front of the others, as it is.
    std::string_view set_type = {};
    std::string_view set_required = {};
    std::string_view set_optional = {};
    std::string_view set_default = {};
    std::string_view drop_default = {};
};

struct Catalog {
    /// A query for all columns that there are, in this order: table, column, type with its length,
    /// whether it is NOT NULL and does not fill itself, default (NULL: none), collation (empty:
    /// none that matters).
    std::string_view columns;

    /// A query for the columns of all indexes, in the order in which they stand there: table,
    /// index, column (a descending one with ` DESC` behind it), whether the index is the primary
    /// key, whether it is unique, and whether it has some of the rows only.
    std::string_view indexes;

    /// A query for table and column of those that are tied to another table's by a foreign key, and
    /// keep their types for it. Empty: none has to.
    std::string_view tied_columns = {};

    TypeFit (*type_fit)(std::string_view type, schema::ColumnKind kind) = nullptr;
    TextFit (*text_fit)(std::string_view collation, schema::ColumnKind kind) = nullptr;

    /// A default in SQL, as one text for all its spellings.
    std::string (*plain_default)(std::string_view sql) = nullptr;

    ColumnChanges changes = {};

    /// A clause behind `ALTER TABLE T`, with {0} for the columns; empty as above.
    std::string_view add_key = {};

    /// A query for what stands behind the rights in a GRANT on all tables to the connection's user;
    /// empty: nobody's rights differ.
    std::string_view grant_target = {};

    /// A query for the whole statement that lets the connection's user make and change the tables;
    /// empty as above.
    std::string_view upgrade_grant = {};
};

/// `VARCHAR(64) unsigned` in its parts: `varchar unsigned` and 64.
struct TypeText {
    std::string words;
    std::optional<std::size_t> length;
};

[[nodiscard]] TypeText read_type(std::string_view type);

/// How many characters a text of a kind may have; 0: it is not for texts.
[[nodiscard]] std::size_t longest_text(schema::ColumnKind kind);

/// For a type that takes texts up to a length; none: any.
[[nodiscard]] TypeFit length_fit(const std::optional<std::size_t>& length, schema::ColumnKind kind);

/// For a type that takes times with so many digits behind the second.
[[nodiscard]] TypeFit precision_fit(std::size_t digits);

/// The SQL type of each kind of column.
struct ColumnTypes {
    std::string_view id;
    std::string_view app_id;
    std::string_view name;
    std::string_view value;
    std::string_view message;
    std::string_view names;
    std::string_view integer;
    std::string_view big_integer;
    std::string_view boolean;
    std::string_view timestamp;
    std::string_view bytes;

    [[nodiscard]] constexpr std::string_view of(schema::ColumnKind kind) const {
        switch (kind) {
            case schema::ColumnKind::id:
                return id;
            case schema::ColumnKind::app_id:
                return app_id;
            case schema::ColumnKind::name:
                return name;
            case schema::ColumnKind::value:
                return value;
            case schema::ColumnKind::message:
                return message;
            case schema::ColumnKind::names:
                return names;
            case schema::ColumnKind::integer:
                return integer;
            case schema::ColumnKind::big_integer:
                return big_integer;
            case schema::ColumnKind::boolean:
                return boolean;
            case schema::ColumnKind::timestamp:
                return timestamp;
            case schema::ColumnKind::bytes:
                return bytes;
        }
        return {};
    }
};

/// What must hold for a column of this name in a table of jobs.
struct ColumnCheck {
    std::string_view column;
    std::string_view name;  ///< A sentence: the database shows it to who breaks it.
    std::string_view condition;
};

/// Values that a producer's SQL can write into a column of jobs although they mean nothing there.
/// `{0}` stands for the column, `{1}` for the default of the column.
struct OddValues {
    schema::ColumnKind kind;         ///< Of the column; of ids, only the key is meant.
    std::string_view condition;      ///< For the rows that have one.
    std::string_view what;           ///< What is wrong, behind "whose DUEDATE_ is".
    std::string_view mended;         ///< The value to write instead.
    std::string_view mendable = {};  ///< The condition for those that it is right for; empty: all.
};

/// What differs between the databases where tables are created, changed and looked up.
struct TableDialect {
    ColumnTypes types;

    /// The default of a column that says when its row was made: UTC, to the millisecond.
    std::string_view now;

    /// The default of SCOPE_TYPE_, in SQL. Empty where no engine of Flowable can be: there nobody
    /// asks whose a row is, and the default of a column cannot be changed.
    std::string_view scope = {};

    /// Behind the type of a time that may be NULL.
    std::string_view optional_time;

    /// Behind the columns of a new table.
    std::string_view table_options;

    /// Has the pages of executable jobs kept so that locks and deletions are cheap, with a comment
    /// that says why; empty: they are as it is. It may be run again, and rewrites nothing.
    std::string_view job_storage = {};

    /// Conditions that a new table puts on what anybody writes, where types alone do not.
    std::span<const ColumnCheck> checks;

    /// The collation in which earlier versions have made columns of ColumnKind::app_id, and which
    /// does not hold every text; empty: they held all.
    std::string_view earlier_app_ids = {};

    /// What `schema check` looks for in the rows.
    std::span<const OddValues> odd_values;

    /// `CREATE INDEX {if_index_is_absent} NAME ON ...` may be run again, unless this is empty.
    std::string_view if_index_is_absent;

    /// The word behind CREATE INDEX and DROP INDEX, outside of a transaction, with which all who
    /// write to the table go on meanwhile; empty: there is none.
    std::string_view concurrently = {};

    /// Drops the index {0} of the table {1}.
    std::string_view drop_index;

    /// Deletes all rows of the table {0}, in a time that hardly grows with their number.
    std::string_view empty_table;

    /// An index may be told which rows are in it (schema::Index::partial_condition).
    bool has_partial_indexes = false;

    /// A column whose default is `now` can be added to a table that has rows.
    bool adds_computed_columns = false;

    /// A transaction takes changes of the schema back. Elsewhere each of them is final, and what an
    /// interrupted upgrade has done is there when it goes on.
    bool is_transactional = false;

    const Catalog& catalog;

    /// The same database with times that end later; nullptr: they end late enough.
    const Dialect* lasting_times = nullptr;

    /// Waits until no other process changes the schema, and keeps them all from it. Throws DbError,
    /// busy when they take too long. The connection must outlive the lock.
    std::unique_ptr<SchemaLock> (*lock)(Connection& connection) = nullptr;

    /// As long as it lives, a statement of this connection waits so long for transactions of others
    /// and may itself take as long as it needs. Where `concurrently` is not empty. Throws DbError,
    /// busy when there is such a connection already, which makes an index.
    std::unique_ptr<SchemaLock> (*allow_time
    )(Connection& connection, std::chrono::milliseconds wait) = nullptr;
};

}  // namespace jobstrand::persistence
