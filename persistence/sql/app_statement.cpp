#include "persistence/sql/app_statement.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::persistence {

namespace {

/// All tables of jobs begin so.
constexpr std::string_view kJobTables = "ACT_RU_";

/// Statements that say which tables they change.
constexpr std::array<std::string_view, 7>
    kOutspoken{"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES"};

bool is_same_letter(char a, char capital) {
    return a == capital || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == capital);
}

bool begins_with(std::string_view sql, std::string_view word) {
    return sql.size() >= word.size() &&
           std::ranges::equal(sql.substr(0, word.size()), word, is_same_letter);
}

std::string_view without_leading_blanks(std::string_view sql) {
    return sql.substr(std::min(sql.find_first_not_of(" \t\r\n"), sql.size()));
}

}  // namespace

bool may_touch_jobs(std::string_view sql) {
    const std::string_view statement = without_leading_blanks(sql);
    const bool is_outspoken = std::ranges::any_of(kOutspoken, [statement](std::string_view word) {
        return begins_with(statement, word);
    });
    return !is_outspoken || !std::ranges::search(sql, kJobTables, is_same_letter).empty();
}

}  // namespace jobstrand::persistence
