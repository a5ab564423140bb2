#include "test/conformance/odd_values.hpp"

#include "persistence/sql/dialect.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::test {

namespace {

using persistence::Dialect;
using schema::ColumnKind;
using Literals = std::vector<std::string>;

const Literals kTexts{
    "''",     "' '",          "'x'",          "'x '",         "'noop'",     "'noop '",
    "'mail'", "'message'",    "'timer'",      "'R3/PT1H'",    "'R/PT1S'",   "'0 0 * * * ?'",
    "'PT'",   "'executable'", "'suspended'",  "'it''s'",      "'\xC3\xA9'", "'{\"a\":1}'",
    "'%'",    "'NULL'",       "'row-000001'", "'good-00010'", "'series'",   "'DEFAULT'",
};

const Literals kNumbers{
    "0",
    "1",
    "-1",
    "3",
    "1999999999",
    "2000000001",
    "2147483647",
    "-2147483648",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
};

const Literals kTimes{
    "'2025-12-31 23:59:59.000'",
    "'2026-01-01 00:00:00.000'",
    "'2026-01-01 00:00:00'",
    "'2025-12-31 09:00:00.5'",
    "'2025-12-31 09:00:00.123456'",
    "'2025-12-31'",
    "'1970-01-02 00:00:00.000'",
    "'2037-12-31 00:00:00.000'",
};

const Literals kFreeTimes{
    "'2025-12-31T09:00:00Z'",
    "'2025-12-31 09:00:00+00:00'",
    "'2025-12-31 23:00:00-05:00'",
    "'2026-01-01 04:00:00.000001+05:30'",
    "'2025-13-01 00:00:00.000'",
    "'2026-1-1 9:00'",
    "'9999-99-99 99:99:99.999'",
    "'tomorrow'",
    "''",
    "1767225600",
    "46022.5",
    "x'32303235'",
};

const Literals kServerTimes{
    "'infinity'",
    "'-infinity'",
    "'0044-03-15 00:00:00 BC'",
    "'0001-01-01 00:00:00'",
    "'12026-01-01 00:00:00'",
};

void append(Literals& literals, const Literals& more) {
    std::ranges::copy(more, std::back_inserter(literals));
}

bool is(const Dialect& dialect, std::string_view name) {
    return dialect.name == name;
}

Literals times_for(const Dialect& dialect) {
    Literals literals = kTimes;
    if (is(dialect, "sqlite")) {
        append(literals, kFreeTimes);
    } else if (is(dialect, "postgresql")) {
        append(literals, kServerTimes);
    } else {
        append(literals, {"'0000-00-00 00:00:00'", "'2026-13-01 00:00:00'", "'tomorrow'"});
    }
    return literals;
}

Literals texts_for(const Dialect& dialect) {
    Literals literals = kTexts;
    literals.push_back("'" + std::string(64, 'i') + "'");
    if (is(dialect, "sqlite")) {
        append(literals, {"x''", "x'00ff'", "x'6e6f6f70'", "5", "1e300", "'a' || char(0) || 'b'"});
        append(literals, {"CAST(x'ff' AS TEXT)", "'" + std::string(5000, 'l') + "'"});
    }
    return literals;
}

Literals numbers_for(const Dialect& dialect) {
    Literals literals = kNumbers;
    if (is(dialect, "sqlite")) {
        append(literals, {"'many'", "''", "1.5", "-1.5", "1e300", "x'01'", "'3'", "'high'"});
    }
    return literals;
}

Literals truths_for(const Dialect& dialect) {
    if (is(dialect, "sqlite")) {
        return {"true", "false", "2", "'maybe'", "''", "1.5", "x'01'", "'true'"};
    }
    return {"true", "false"};
}

}  // namespace

void allow_odd_values(persistence::Connection& connection) {
    if (is(connection.dialect(), "sqlite")) {
        connection.run_script("PRAGMA ignore_check_constraints = ON");
    } else if (is(connection.dialect(), "mysql")) {
        connection.run_script("SET sql_mode = ''");
    }
}

std::vector<OddValue> unreadable_values(const Dialect& dialect) {
    std::vector<OddValue> values{{"REV_", "2147483647"}, {"ATTEMPTS_", "2147483647"}};
    for (const std::string_view time : unreadable_times(dialect)) {
        values.push_back({"CREATE_TIME_", time});
    }
    if (is(dialect, "sqlite")) {
        values.insert(
            values.end(),
            {{"REV_", "'x'"},
             {"RETRIES_", "'many'"},
             {"RETRIES_", "''"},
             {"RETRIES_", "1.5"},
             {"RETRIES_", "99999999999"},
             {"PRIORITY_", "'high'"},
             {"EXCLUSIVE_", "'maybe'"},
             {"ATTEMPTS_", "x'01ff'"}}
        );
    }
    return values;
}

std::vector<OddValue> unreadable_series_values(const Dialect& dialect) {
    std::vector<OddValue> values{
        {"STATE_", "'x'"},
        {"STATE_", "''"},
        {"RETRIES_", "2147483647"},
        {"TOTAL_TURNS_", "99999999999"},
        {"TURNS_TAKEN_", "9223372036854775807"},
        {"FIRE_COUNT_", "-9223372036854775808"},
    };
    for (const std::string_view time : unreadable_times(dialect)) {
        for (const char* const column :
             {"START_", "END_", "PREVIOUS_FIRE_", "NEXT_FIRE_", "CREATE_TIME_"}) {
            values.push_back({column, time});
        }
    }
    if (is(dialect, "sqlite")) {
        values.insert(
            values.end(),
            {{"MISFIRE_THRESHOLD_", "'late'"},
             {"OVERLAP_", "'maybe'"},
             {"KEEP_DATA_", "'maybe'"},
             {"RECOVERY_", "''"},
             {"STOP_ON_DEAD_LETTER_", "1.5"},
             {"RETRIES_", "'many'"},
             {"RETRIES_", "99999999999"},
             {"TOTAL_TURNS_", "'all'"},
             {"TURNS_TAKEN_", "'many'"},
             {"FIRE_COUNT_", "x'01ff'"}}
        );
    }
    return values;
}

std::string_view first_of_all_due_dates(const Dialect& dialect) {
    return unreadable_times(dialect).front();
}

std::vector<std::string_view> unreadable_times(const Dialect& dialect) {
    if (is(dialect, "sqlite")) {
        return {"''", "'2025-12-31'", "'2025-13-01 00:00:00.000'", "'2025-1-1 9:00'", "1735689600"};
    }
    if (is(dialect, "postgresql")) {
        return {"'-infinity'", "'0044-03-15 00:00:00 BC'"};
    }
    return {"'0000-00-00 00:00:00'"};
}

std::vector<std::string> literals_for(ColumnKind kind, const Dialect& dialect) {
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
        case ColumnKind::bytes:
            return texts_for(dialect);
        case ColumnKind::integer:
        case ColumnKind::big_integer:
            return numbers_for(dialect);
        case ColumnKind::boolean:
            return truths_for(dialect);
        case ColumnKind::timestamp:
            return times_for(dialect);
    }
    return {};
}

}  // namespace jobstrand::test
