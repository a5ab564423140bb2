#pragma once

#include "persistence/sql/table_dialect.hpp"
#include "schema/time.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// How a database looks into a text column that may hold JSON, or anything else: no value of the
/// column makes a statement fail. Each `?` in what these return is the path.
struct JsonDialect {
    /// What stands at the path, in a word of the database; NULL, or `null` in any case: nothing.
    std::string (*kind_at)(std::string_view column) = nullptr;

    /// The text, number or truth value at the path, as a text; NULL: none stands there.
    std::string (*scalar_at)(std::string_view column) = nullptr;

    /// The number at the path; NULL: none stands there, or one beyond 10^99.
    std::string (*number_at)(std::string_view column) = nullptr;

    /// The value of the parameter. The members hold no quote, backslash or control character.
    std::string (*path_of)(std::span<const std::string> members) = nullptr;
};

/// `$."items"[0]."sku"`, as MySQL, MariaDB and SQLite have it.
[[nodiscard]] std::string json_path_of(std::span<const std::string> members);

/// What truly differs between the databases in the statements that run on them. Everything else is
/// written once, in the SQL that all of them understand. Each database's own stands in its folder
/// of drivers/; a connection tells the one of its database.
struct Dialect {
    /// What users call the database; also the scheme of its URLs. MariaDB is mysql here.
    std::string_view name;

    /// After a SELECT: the rows are ours until the transaction ends. Empty on SQLite, where the
    /// writing transaction is alone anyway.
    std::string_view for_update;

    /// The same, leaving out rows that another transaction has locked.
    std::string_view skip_locked;

    /// Servers of a cluster take writes beside each other, and the others see a lock of a row only
    /// where it is written.
    bool locks_by_writing = false;

    /// After a SELECT: nobody may change or delete the rows until the transaction ends.
    std::string_view for_share;

    /// After a SELECT: nobody may delete the rows until the transaction ends. Where the database
    /// tells the two apart, others may change them meanwhile, and read them `for_no_key_update`.
    std::string_view for_key_share;

    /// After a SELECT: the rows are ours to change, but not to delete while others have read them
    /// `for_key_share`.
    std::string_view for_no_key_update;

    /// The same, leaving out rows that another transaction has locked to change or delete them.
    /// Empty where nobody has to: the database sees at once when two wait for each other, or none
    /// ever waits.
    std::string_view no_key_skip_locked;

    /// `{insert_if_absent} INTO ... VALUES ... {if_absent}` keeps the row that is already there.
    std::string_view insert_if_absent;
    std::string_view if_absent;

    /// `INSERT INTO T (K_, ...) VALUES ... {on_existing with K_} X_ = {new_value with X_}, ...`
    /// changes the rows that are already there. {0} is the key.
    std::string_view on_existing;
    std::string_view new_value;

    /// A text parameter for the column BYTES_, and that column as text_of_bytes takes it.
    std::string_view bytes_parameter;
    std::string_view bytes_as_text;

    /// How many bytes there are in BYTES_. Most databases read all of them to say that.
    std::string_view size_of_bytes;

    /// The text in a column that was selected as bytes_as_text. It is UTF-8 if we have stored it;
    /// others may store anything.
    std::string (*text_of_bytes)(std::string_view cell) = nullptr;

    /// Gives rows of the table {0} whose ID_ holds bytes their hexadecimal text for an id. Empty
    /// where the column takes texts only.
    std::string_view name_bytes;

    /// Whether a job can have this id. No statement may ask for one that cannot be: the server
    /// would answer with an error about character sets. nullptr: any.
    bool (*can_hold_id)(std::string_view id) = nullptr;

    /// The function that finds the position of its second argument in its first; 0: not in it.
    std::string_view position_in;
    /// A text between two line breaks, for which a name between two is looked; {0} is the text.
    std::string_view between_breaks;
    /// The last characters of a text, of which there may be fewer: {0} is the text, {1} how many.
    std::string_view last_characters;

    /// Behind the table, in a SELECT that locks and in an UPDATE of rows by their ids. MySQL and
    /// MariaDB would read the whole of a table with few rows more than that, lock all of it, and
    /// wait for what others have locked there: that is how deadlocks begin.
    std::string_view by_id;

    /// The same for rows in the order of the index {0}.
    std::string_view by_index;

    /// A transaction that writes is alone: what it has read, nobody changes until it ends.
    bool writes_alone = false;

    /// Behind ACT_RU_JOB in an UPDATE of a range of ids: its key leads there, whatever other index
    /// there is. Only where a transaction writes_alone.
    std::string_view by_key = {};

    /// `DELETE FROM {0} WHERE`, to be followed by a condition on ID_; by its key for the same
    /// reason. {1} is some column of the table beside the key.
    std::string_view delete_where;

    /// The condition for rows behind a priority and an id, which are its parameters, in the order
    /// of the index schema::kPriorityIndex. Only PostgreSQL and SQLite seek with a pair of values;
    /// PostgreSQL is given one because with an equality it would take the order of the key as good
    /// enough, and read all other priorities on the way.
    std::string_view behind_in_priority;

    /// The condition for rows behind a due date and an id, whose parameters are the date twice and
    /// the id: in the order of DUEDATE_ and ID_, within one priority where there is an equality.
    std::string_view behind_due;

    /// The condition for rows with a due date, so that an index on it is entered behind the others.
    std::string_view has_due;

    /// Whether rows with NULL in the first column of an index are asked for in an order that names
    /// it, so that the index has it. MySQL and MariaDB would sort; PostgreSQL would take the order
    /// of the key as good enough when it does not, and read all other rows on the way.
    bool orders_by_null = true;

    /// SELECT DISTINCT of the first column of a key goes from one value to the next along the key.
    /// MySQL and MariaDB do only that: the next value behind one of an outer row they find by
    /// reading all rows of the table.
    bool skips_along_keys = false;

    /// The time of the database's clock, UTC, to the millisecond. Empty where it has none but the
    /// machine's.
    std::string_view now;

    /// How we behave on a connection that an app holds, in the middle of its session.
    struct Guest {
        /// What stands before the number of a parameter; 0: parameters are `?`.
        char number_mark = 0;

        /// Statements that make times UTC, and the one that makes them the app's again.
        std::array<std::string_view, 2> arrive = {};
        std::string_view leave = {};

        /// Tells the nodes that listen, with the app's commit, that there are jobs; empty: nothing
        /// can.
        std::string_view announce = {};
    };
    Guest guest = {};

    /// Times are texts, and compare like texts.
    bool has_texts_for_times = false;

    /// The first and the last instant that a time column holds.
    schema::TimePoint earliest_time;
    schema::TimePoint latest_time;

    TableDialect tables;
    JsonDialect json;

    /// A Flowable engine has its tables here too, and its jobs stand among ours: ACT_RU_EXECUTION
    /// counts the jobs of each execution, and the job tables have foreign keys to it and to
    /// ACT_RE_PROCDEF (see rows/engine_columns.hpp).
    bool has_engine = false;

    [[nodiscard]] bool has_own_clock() const { return !now.empty(); }
};

/// Dialect::delete_where with its table.
[[nodiscard]] std::string
delete_where(const Dialect& dialect, std::string_view table, std::string_view any_column = "REV_");

/// A statement in which nothing but its {delete_where} is left open.
[[nodiscard]] std::string delete_from(
    const Dialect& dialect,
    std::string_view table,
    std::string_view sql,
    std::string_view any_column = "REV_"
);

/// Dialect::on_existing with the key of the table.
[[nodiscard]] std::string on_existing(const Dialect& dialect, std::string_view key);

/// Dialect::by_index with its index.
[[nodiscard]] std::string by_index(const Dialect& dialect, std::string_view index);

}  // namespace jobstrand::persistence
