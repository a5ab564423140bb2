#include "persistence/drivers/mysql/limits_in_text.hpp"

#include "persistence/sql/statement_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace jobstrand::persistence {

namespace {

std::string_view without_blanks_behind(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether the word is the last one of the text, in any case. `word` is in capitals.
bool ends_in(std::string_view text, std::string_view word) {
    if (text.size() < word.size()) {
        return false;
    }
    const std::size_t begin = text.size() - word.size();
    return std::ranges::equal(
               text.substr(begin),
               word,
               {},
               [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
           ) &&
           (begin == 0 || !is_of_word(text[begin - 1]));
}

/// Whether what comes next is a number of LIMIT or OFFSET: also the second of `LIMIT 7, ?`.
bool ends_in_limit(std::string_view sql) {
    std::string_view text = without_blanks_behind(sql);
    if (text.ends_with(',')) {
        text = without_blanks_behind(text.substr(0, text.size() - 1));
        const std::size_t digit = text.find_last_not_of("0123456789") + 1;
        return digit < text.size() &&
               ends_in(without_blanks_behind(text.substr(0, digit)), "LIMIT");
    }
    return ends_in(text, "LIMIT") || ends_in(text, "OFFSET");
}

}  // namespace

PlainStatement with_limits_in_text(std::string_view sql, std::span<const Value> parameters) {
    PlainStatement plain;
    plain.sql.reserve(sql.size());
    auto next = parameters.begin();
    for (std::size_t i = 0; i < sql.size();) {
        if (const std::size_t behind = skip_quoted(sql, i); behind != i) {
            plain.sql += sql.substr(i, behind - i);
            i = behind;
            continue;
        }
        if (sql[i] != '?' || next == parameters.end()) {
            plain.sql += sql[i];
        } else if (const auto* const number = std::get_if<std::int64_t>(&*next);
                   number != nullptr && ends_in_limit(plain.sql)) {
            plain.sql += std::to_string(*number);
            ++next;
        } else {
            plain.sql += '?';
            plain.parameters.push_back(*next++);
        }
        ++i;
    }
    if (next != parameters.end()) {
        return {std::string(sql), {parameters.begin(), parameters.end()}};
    }
    return plain;
}

}  // namespace jobstrand::persistence
