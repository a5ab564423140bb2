#pragma once

#include "schema/tables.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// How a database tells what tables it has, and what its words for them mean.
namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
