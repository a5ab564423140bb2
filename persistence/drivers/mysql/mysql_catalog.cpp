#include "persistence/drivers/mysql/mysql_catalog.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;
using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kLongTexts{"text", "mediumtext", "longtext"};
constexpr std::array<std::string_view, 2> kTimes{"timestamp", "datetime"};
constexpr std::array<std::string_view, 2> kLongBytes{"longblob", "mediumblob"};
constexpr std::array<std::string_view, 2> kShortBytes{"tinyblob", "blob"};
constexpr std::array<std::string_view, 2> kIntegers{"int", "bigint"};
constexpr std::array<std::string_view, 1> kBigIntegers{"bigint"};
constexpr std::array<std::string_view, 5> kNumbers{
    "tinyint",
    "smallint",
    "mediumint",
    "int",
    "bigint"};

bool is_one_of(Words words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

TypeFit fit_among(Words wide, Words any, std::string_view word) {
    if (is_one_of(wide, word)) {
        return TypeFit::holds;
    }
    return is_one_of(any, word) ? TypeFit::too_narrow : TypeFit::other;
}

TypeFit mysql_text_type_fit(const TypeText& type, ColumnKind kind) {
    if (type.words == "varchar") {
        return length_fit(type.length, kind);
    }
    return is_one_of(kLongTexts, type.words) ? TypeFit::holds : TypeFit::other;
}

/// Numbers may have a width for display behind them, which says nothing.
TypeFit mysql_type_fit(std::string_view text, ColumnKind kind) {
    const TypeText type = read_type(text);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return mysql_text_type_fit(type, kind);
        case ColumnKind::integer:
            return fit_among(kIntegers, kNumbers, type.words);
        case ColumnKind::big_integer:
            return fit_among(kBigIntegers, kNumbers, type.words);
        case ColumnKind::boolean:
            return fit_among(kNumbers, {}, type.words);
        case ColumnKind::timestamp:
            return is_one_of(kTimes, type.words) ? precision_fit(type.length.value_or(0))
                                                 : TypeFit::other;
        case ColumnKind::bytes:
            return fit_among(kLongBytes, kShortBytes, type.words);
    }
    return TypeFit::other;
}

/// A collation begins with its character set. Ids are ASCII, so that every set has them.
TextFit mysql_text_fit(std::string_view collation, ColumnKind kind) {
    if (collation.empty()) {
        return TextFit::holds;
    }
    if (kind != ColumnKind::id && !collation.starts_with("utf8mb4_")) {
        return TextFit::lacks_characters;
    }
    return collation.ends_with("_bin") ? TextFit::holds : TextFit::compares_loosely;
}

std::string_view without(std::string_view sql, char first, char last) {
    const bool is_inside = sql.size() >= 2 && sql.starts_with(first) && sql.ends_with(last);
    return is_inside ? sql.substr(1, sql.size() - 2) : sql;
}

/// MariaDB writes a text with its quotes, MySQL without; both write a boolean as a number, and an
/// expression without its parentheses.
std::string mysql_plain_default(std::string_view sql) {
    sql = without(without(sql, '(', ')'), '\'', '\'');
    std::string plain(sql);
    std::ranges::transform(plain, plain.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (plain == "true" || plain == "false") {
        return plain == "true" ? "1" : "0";
    }
    return plain;
}

}  // namespace

constinit const Catalog kMysqlCatalog{
    .columns =
        "SELECT table_name, column_name, column_type,"
        " is_nullable = 'NO' AND extra NOT LIKE '%auto_increment%'"
        " AND COALESCE(generation_expression, '') = '',"
        " column_default, COALESCE(collation_name, '')"
        " FROM information_schema.columns WHERE table_schema = DATABASE()",
    .indexes =
        "SELECT table_name, index_name,"
        " CONCAT(COALESCE(column_name, 'an expression'),"
        " COALESCE(CONCAT('(', sub_part, ')'), ''), IF(collation = 'D', ' DESC', '')),"
        " index_name = 'PRIMARY', non_unique = 0, FALSE"
        " FROM information_schema.statistics WHERE table_schema = DATABASE()"
        " ORDER BY table_name, index_name, seq_in_index",
    .tied_columns =
        "SELECT table_name, column_name FROM information_schema.key_column_usage"
        " WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL",
    .type_fit = mysql_type_fit,
    .text_fit = mysql_text_fit,
    .plain_default = mysql_plain_default,
    .changes =
        {
            // Columns that name no character set take that of the table, here the new one.
            .first = "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            .set_type = "MODIFY COLUMN {0} {2}",
            .set_required = "MODIFY COLUMN {0} {2}",
            .set_optional = "MODIFY COLUMN {0} {2}",
            .set_default = "MODIFY COLUMN {0} {2}",
            .drop_default = "MODIFY COLUMN {0} {2}",
        },
    .add_key = "ADD PRIMARY KEY ({0})",
    .grant_target =
        "SELECT CONCAT('ON `', DATABASE(), '`.* TO ',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))",
    .upgrade_grant =
        "SELECT CONCAT('GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON `',"
        " DATABASE(), '`.* TO ',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))",
};

}  // namespace jobstrand::persistence
