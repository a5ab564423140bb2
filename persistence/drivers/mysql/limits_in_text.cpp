#include "persistence/drivers/mysql/limits_in_text.hpp"

#include "persistence/sql/statement_text.hpp"

#include <cstdint>
#include <stdexcept>

namespace jobstrand::persistence {

namespace {

bool ends_in_limit(std::string_view sql) {
    const std::size_t last = sql.find_last_not_of(" \t\r\n");
    const std::string_view words = sql.substr(0, last == std::string_view::npos ? 0 : last + 1);
    return words.ends_with("LIMIT") || words.ends_with("OFFSET");
}

std::string number_text(const Value& value) {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) {
        throw std::logic_error("a parameter behind LIMIT or OFFSET is no number");
    }
    return std::to_string(*number);
}

}  // namespace

PlainStatement with_limits_in_text(std::string_view sql, std::span<const Value> parameters) {
    require_parameters(count_placeholders(sql), parameters.size());
    PlainStatement plain;
    plain.sql.reserve(sql.size());
    auto next = parameters.begin();
    for (std::size_t i = 0; i < sql.size();) {
        if (const std::size_t behind = skip_quoted(sql, i); behind != i) {
            plain.sql += sql.substr(i, behind - i);
            i = behind;
            continue;
        }
        const bool is_parameter = sql[i] == '?';
        if (is_parameter && ends_in_limit(plain.sql)) {
            plain.sql += number_text(*next++);
        } else {
            plain.sql += sql[i];
            if (is_parameter) {
                plain.parameters.push_back(*next++);
            }
        }
        ++i;
    }
    return plain;
}

}  // namespace jobstrand::persistence
