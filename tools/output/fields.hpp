#pragma once

#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "timers/zone/zone.hpp"
#include "tools/output/record.hpp"
#include "tools/output/table.hpp"
#include "tools/text/joined.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The fields of a record, each listed once: JSON, tables, CSV, and the description of the API are
/// made from the list.
namespace jobstrand::cli {

/// What JSON has for a field.
struct JsonType {
    /// string, integer, number, boolean, array (of strings), object; empty: any of them.
    std::string_view name = "string";
    std::string_view format = {};  ///< `date-time`; empty: none.
    bool is_nullable = false;
};

namespace field_types {

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename Value>
[[nodiscard]] constexpr JsonType json_type_of() {
    if constexpr (kIsOptional<Value>) {
        JsonType type = json_type_of<typename Value::value_type>();
        type.is_nullable = true;
        return type;
    } else if constexpr (std::same_as<Value, bool>) {
        return {.name = "boolean"};
    } else if constexpr (std::integral<Value>) {
        return {.name = "integer"};
    } else if constexpr (std::floating_point<Value>) {
        return {.name = "number"};
    } else if constexpr (std::same_as<Value, schema::TimePoint>) {
        return {.format = "date-time"};
    } else if constexpr (std::same_as<Value, std::vector<std::string>>) {
        return {.name = "array"};
    } else if constexpr (std::same_as<Value, Record>) {
        return {.name = "object"};
    } else {
        return {};
    }
}

/// Times are shown in `zone`, enumerators by their name_of().
template <typename Value>
[[nodiscard]] RecordField
shown(std::string_view name, const Value& value, const timers::Zone& zone) {
    if constexpr (kIsOptional<Value>) {
        return value ? shown(name, *value, zone) : text_or_null_field(name, {});
    } else if constexpr (std::same_as<Value, bool>) {
        return flag_field(name, value);
    } else if constexpr (std::integral<Value>) {
        return number_field(name, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<Value>) {
        return decimal_field(name, value);
    } else if constexpr (std::same_as<Value, schema::TimePoint>) {
        return time_field(name, value, zone);
    } else if constexpr (std::same_as<Value, schema::Duration>) {
        return text_field(name, schema::format_duration(value));
    } else if constexpr (std::same_as<Value, std::vector<std::string>>) {
        return texts_field(name, value);
    } else if constexpr (std::same_as<Value, Record>) {
        return record_field(name, value);
    } else if constexpr (std::same_as<Value, RecordField>) {
        return {.name = name, .json = value.json, .text = value.text};
    } else if constexpr (std::is_enum_v<Value>) {
        return text_field(name, name_of(value));
    } else {
        return text_field(name, value);
    }
}

}  // namespace field_types

/// How a field of T is got at: a member, or a function of the record.
template <typename T>
struct FieldValue {
    std::function<RecordField(std::string_view name, const T&, const timers::Zone&)> show;
    JsonType type;

    template <typename Get>
    requires std::invocable<Get, const T&>
    // NOLINTNEXTLINE(google-explicit-constructor): tables read better without its name.
    FieldValue(Get get)
        : show([get](std::string_view name, const T& item, const timers::Zone& zone) {
              return field_types::shown(name, std::invoke(get, item), zone);
          }),
          type(field_types::json_type_of<std::decay_t<std::invoke_result_t<Get, const T&>>>()) {}

    /// One whose function says itself how it is shown: a RecordField, whose name does not count.
    template <typename Get>
    requires std::invocable<Get, const T&> FieldValue(Get get, JsonType given) : FieldValue(get) {
        type = given;
    }

    /// That of a part of T.
    template <typename Part, typename Get>
    FieldValue(const FieldValue<Part>& value, Get get)
        : show([show = value.show,
                get](std::string_view name, const T& item, const timers::Zone& zone) {
              return show(name, std::invoke(get, item), zone);
          }),
          type(value.type) {}
};

/// What the program knows of one field.
template <typename T>
struct Field {
    std::string_view name;  ///< In JSON.
    FieldValue<T> value;
    std::string_view meaning = {};

    TableColumn column = {};  ///< Without a heading: in no table. Its `field` is the name.
    int place = 0;            ///< Where the column stands among the others; equal ones: as listed.

    bool is_null_if_empty = false;  ///< Of a text.
};

/// The first one is what identifies a record.
template <typename T>
using Fields = std::vector<Field<T>>;

template <typename T>
[[nodiscard]] Record
record_of(const Fields<T>& fields, const T& item, const timers::Zone& zone = timers::Zone::utc()) {
    Record record;
    record.reserve(fields.size());
    for (const Field<T>& field : fields) {
        RecordField shown = field.value.show(field.name, item, zone);
        if (field.is_null_if_empty && shown.text.empty()) {
            shown = text_or_null_field(field.name, {});
        }
        record.push_back(std::move(shown));
    }
    return record;
}

template <typename T>
[[nodiscard]] std::vector<TableColumn> columns_of(const Fields<T>& fields) {
    std::vector<std::pair<int, TableColumn>> placed;
    for (const Field<T>& field : fields) {
        if (!field.column.heading.empty()) {
            placed.emplace_back(field.place, field.column).second.field = field.name;
        }
    }
    std::ranges::stable_sort(placed, {}, &std::pair<int, TableColumn>::first);
    std::vector<TableColumn> columns;
    for (const auto& [place, column] : placed) {
        columns.push_back(column);
    }
    return columns;
}

/// The fields of a part of Whole, as those of Whole. `get` is the member, or a function.
template <typename Whole, typename Part, typename Get>
[[nodiscard]] Fields<Whole> fields_of_part(const Fields<Part>& fields, Get get) {
    Fields<Whole> all;
    for (const Field<Part>& field : fields) {
        all.push_back(
            {.name = field.name,
             .value = FieldValue<Whole>(field.value, get),
             .meaning = field.meaning,
             .column = field.column,
             .place = field.place,
             .is_null_if_empty = field.is_null_if_empty}
        );
    }
    return all;
}

/// A field as the description of the API tells it.
struct DescribedField {
    std::string_view name;
    std::string_view meaning;
    JsonType type;
    bool is_always_there = true;
};

template <typename T>
[[nodiscard]] std::vector<DescribedField> described(const Fields<T>& fields) {
    std::vector<DescribedField> all;
    for (const Field<T>& field : fields) {
        all.push_back({field.name, field.meaning, field.value.type});
        all.back().type.is_nullable |= field.is_null_if_empty;
    }
    return all;
}

}  // namespace jobstrand::cli
