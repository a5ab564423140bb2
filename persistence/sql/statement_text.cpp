#include "persistence/sql/statement_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

namespace jobstrand::persistence {

// A doubled quote inside a text ends one and begins another, which comes to the same.
std::size_t skip_quoted(std::string_view sql, std::size_t start) {
    const std::string_view rest = sql.substr(start);
    const auto behind = [&](std::string_view end, std::size_t from) {
        const std::size_t found = sql.find(end, start + from);
        return found == std::string_view::npos ? sql.size() : found + end.size();
    };
    if (rest.starts_with('\'') || rest.starts_with('"') || rest.starts_with('`')) {
        return behind(rest.substr(0, 1), 1);
    }
    if (rest.starts_with("--")) {
        return behind("\n", 2);
    }
    if (rest.starts_with("/*")) {
        return behind("*/", 2);
    }
    return start;
}

std::size_t count_placeholders(std::string_view sql) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sql.size();) {
        const std::size_t behind = skip_quoted(sql, i);
        if (behind != i) {
            i = behind;
            continue;
        }
        count += sql[i] == '?' ? 1U : 0U;
        ++i;
    }
    return count;
}

void require_parameters(std::size_t placeholders, std::size_t parameters) {
    if (placeholders != parameters) {
        throw std::logic_error(fmt::format(
            "a statement with {} placeholders got {} parameters", placeholders, parameters
        ));
    }
}

std::string number_placeholders(std::string_view sql, char mark) {
    std::string named;
    named.reserve(sql.size() * 2);
    std::size_t count = 0;
    for (std::size_t i = 0; i < sql.size();) {
        const std::size_t behind = skip_quoted(sql, i);
        if (behind != i) {
            named += sql.substr(i, behind - i);
            i = behind;
        } else if (sql[i++] == '?') {
            named += mark;
            named += std::to_string(++count);
        } else {
            named += sql[i - 1];
        }
    }
    return named;
}

namespace {

constexpr std::size_t kSummaryLength = 120;

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

std::string sql_summary(std::string_view sql) {
    std::string summary;
    for (const char c : sql) {
        if (summary.size() == kSummaryLength) {
            return summary + "...";
        }
        if (!is_space(c)) {
            summary += c;
        } else if (!summary.empty() && summary.back() != ' ') {
            summary += ' ';
        }
    }
    if (summary.ends_with(' ')) {
        summary.pop_back();
    }
    return summary;
}

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
