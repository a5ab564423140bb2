#include "persistence/drivers/postgresql/many_values.hpp"

#include "persistence/sql/hex_text.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/placeholders.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

namespace {

constexpr std::size_t kLeastRows = 16;

constexpr std::string_view kIn = "IN (";
constexpr std::string_view kFurther = ", ?";
constexpr std::string_view kNot = "NOT ";

constexpr std::string_view kSpecialInRow = "\\\t\n\r";

/// As the server reads it, without any quotes.
struct AppendText {
    std::string& to;

    void operator()(std::nullptr_t) const {}
    void operator()(bool value) const { to += value ? '1' : '0'; }
    void operator()(std::int64_t value) const {
        fmt::format_to(std::back_inserter(to), "{}", value);
    }
    void operator()(double value) const { fmt::format_to(std::back_inserter(to), "{}", value); }
    void operator()(std::string_view value) const { to += value; }
    void operator()(Bytes value) const { to += hex_text_of(value); }
    void operator()(schema::TimePoint value) const { to += SqlTime(value).text(); }
};

/// The same with a backslash before each of `special`.
void append_escaped(std::string& to, const Value& value, std::string_view special) {
    const std::size_t begin = to.size();
    std::visit(AppendText{to}, value);
    for (std::size_t at = to.find_first_of(special, begin); at != std::string::npos;
         at = to.find_first_of(special, at + 2)) {
        to.insert(at, 1, '\\');
    }
}

/// The placeholders of the list that begins there; 0: none that becomes an array.
std::size_t list_at(std::string_view sql, std::size_t at) {
    std::string_view rest = sql.substr(at);
    for (const std::string_view begin : {kIn, kLongList, std::string_view("?")}) {
        if (!rest.starts_with(begin)) {
            return 0;
        }
        rest.remove_prefix(begin.size());
    }
    std::size_t size = 1;
    for (; rest.starts_with(kFurther); rest.remove_prefix(kFurther.size())) {
        ++size;
    }
    return sql.substr(0, at).ends_with(kNot) ? 0 : size;
}

}  // namespace

NativeStatement name_parameters(std::string_view sql) {
    NativeStatement named;
    named.sql.reserve(sql.size());
    const auto add = [&named](std::size_t placeholders) {
        named.sizes.push_back(placeholders);
        named.sql += fmt::format(":{}", named.sizes.size());
    };
    for (std::size_t i = 0; i < sql.size();) {
        const std::size_t behind = skip_quoted(sql, i);
        const std::size_t list = behind == i ? list_at(sql, i) : 0;
        if (behind != i) {
            named.sql += sql.substr(i, behind - i);
            i = behind;
        } else if (list > 0) {
            named.sql += "= ANY (";
            add(list);
            i += kIn.size() + kLongList.size() + 1 + (list - 1) * kFurther.size();
        } else if (sql[i] == '?') {
            add(1);
            ++i;
        } else {
            named.sql += sql[i++];
        }
    }
    return named;
}

std::string array_of(std::span<const Value> values) {
    std::string array;
    for (const Value& value : values) {
        array += array.empty() ? '{' : ',';
        if (std::holds_alternative<std::nullptr_t>(value)) {
            array += "NULL";
            continue;
        }
        array += '"';
        append_escaped(array, value, "\"\\");
        array += '"';
    }
    array += '}';
    return array;
}

bool are_worth_a_copy(const NewRows& rows) {
    return rows.size() >= kLeastRows;
}

std::string copy_statement(const NewRows& rows, std::span<const std::size_t> columns) {
    std::vector<std::string_view> names;
    for (const std::size_t column : columns) {
        names.push_back(rows.columns[column]);
    }
    return fmt::format("COPY {} ({}) FROM STDIN", rows.table, fmt::join(names, ", "));
}

// A backslash stands before what would end a value or a row, and before itself.
void append_copied_row(
    std::string& text,
    const NewRows& rows,
    std::size_t row,
    std::span<const std::size_t> columns
) {
    for (const std::size_t column : columns) {
        const Value& value = rows.values[row * rows.columns.size() + column];
        const auto* const bytes = std::get_if<std::string_view>(&value);
        if (std::holds_alternative<std::nullptr_t>(value)) {
            text += "\\N";
        } else if (bytes != nullptr && rows.columns[column] == kBytesColumn) {
            append_escaped(text, Value{std::as_bytes(std::span(*bytes))}, kSpecialInRow);
        } else {
            append_escaped(text, value, kSpecialInRow);
        }
        text += column == columns.back() ? '\n' : '\t';
    }
}

}  // namespace jobstrand::persistence
