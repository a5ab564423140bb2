#include "persistence/sql/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace jobstrand::persistence
