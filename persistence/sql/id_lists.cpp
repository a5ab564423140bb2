#include "persistence/sql/id_lists.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::persistence {

namespace {

using schema::limits::kIdsPerStatement;

constexpr std::string_view kListToken = "(...)";
constexpr std::size_t kLongListSize = 16;
constexpr std::array<std::size_t, 6> kListSizes{1, 4, 16, 64, 256, kIdsPerStatement};

std::size_t count_lists(std::string_view sql) {
    std::size_t count = 0;
    for (auto at = sql.find(kListToken); at != sql.npos; at = sql.find(kListToken, at + 1)) {
        ++count;
    }
    return count;
}

void append_list(std::string& sql, std::size_t count) {
    sql += '(';
    sql += count >= kLongListSize ? kLongList : std::string_view();
    for (std::size_t i = 0; i < count; ++i) {
        sql += i == 0 ? "?" : ", ?";
    }
    sql += ')';
}

BoundStatement bind(
    std::string_view sql,
    const IdListParameters& parameters,
    std::span<const std::string_view> ids
) {
    const std::size_t size = padded_list_size(ids.size());
    const std::size_t lists = count_lists(sql);
    std::vector<Value> values;
    values.reserve(parameters.before.size() + size * lists + parameters.after.size());
    values.insert(values.end(), parameters.before.begin(), parameters.before.end());
    for (std::size_t list = 0; list < lists; ++list) {
        values.insert(values.end(), ids.begin(), ids.end());
        values.insert(values.end(), size - ids.size(), ids.back());
    }
    values.insert(values.end(), parameters.after.begin(), parameters.after.end());
    return {.sql = with_list_size(sql, size), .parameters = std::move(values)};
}

}  // namespace

BoundStatement ids_between(std::string_view after, std::string_view before) {
    BoundStatement between{.sql = std::string(ids_behind(after)), .parameters = {Value{after}}};
    if (!before.empty()) {
        between.sql += " AND ID_ < ?";
        between.parameters.emplace_back(before);
    }
    return between;
}

std::vector<std::string_view>
possible_ids(std::span<const std::string_view> ids, const Dialect& dialect) {
    std::vector<std::string_view> possible(ids.begin(), ids.end());
    if (dialect.can_hold_id != nullptr) {
        std::erase_if(possible, [&dialect](std::string_view id) {
            return !dialect.can_hold_id(id);
        });
    }
    return possible;
}

std::size_t padded_list_size(std::size_t count) {
    const auto size = std::lower_bound(kListSizes.begin(), kListSizes.end(), count);
    return size == kListSizes.end() ? count : *size;
}

std::string with_list_size(std::string_view sql, std::size_t count) {
    std::string expanded;
    expanded.reserve(sql.size() + 3 * count * count_lists(sql));
    for (auto at = sql.find(kListToken); at != sql.npos; at = sql.find(kListToken)) {
        expanded += sql.substr(0, at);
        append_list(expanded, count);
        sql.remove_prefix(at + kListToken.size());
    }
    return expanded += sql;
}

std::vector<BoundStatement> cut_id_list(std::string_view sql, const IdListParameters& parameters) {
    std::vector<BoundStatement> statements;
    for (auto rest = parameters.ids; !rest.empty();) {
        const std::size_t count = std::min(rest.size(), kIdsPerStatement);
        statements.push_back(bind(sql, parameters, rest.first(count)));
        rest = rest.subspan(count);
    }
    return statements;
}

std::int64_t execute_for_ids(
    Transaction& transaction,
    std::string_view sql,
    const IdListParameters& parameters
) {
    std::int64_t rows = 0;
    for (const auto& [text, values] : cut_id_list(sql, parameters)) {
        rows += transaction.execute(text, values);
    }
    return rows;
}

}  // namespace jobstrand::persistence
