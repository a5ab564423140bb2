#include "tools/output/record.hpp"

#include "schema/text/time_text.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/output/table.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using Ids = std::vector<std::string>;

TEST(Record, Is_one_json_object_on_one_line) {
    EXPECT_EQ(json_of({}), "{}");
    EXPECT_EQ(
        json_of(
            {text_field("id", "a\"b\nc"),
             text_or_null_field("owner", ""),
             number_field("retries", -3),
             flag_field("exclusive", true)}
        ),
        R"({"id":"a\"b\nc","owner":null,"retries":-3,"exclusive":true})"
    );
}

TEST(Record, An_empty_text_and_no_text_are_told_apart_in_json_only) {
    EXPECT_EQ(text_field("payload", "").json, "\"\"");
    EXPECT_EQ(text_or_null_field("payload", "").json, "null");
    EXPECT_EQ(text_field("payload", "").text, text_or_null_field("payload", "").text);
}

TEST(Record, The_ends_of_the_numbers_are_written_out) {
    EXPECT_EQ(
        number_field("n", std::numeric_limits<std::int64_t>::min()).json, "-9223372036854775808"
    );
    EXPECT_EQ(
        number_field("n", std::numeric_limits<std::int64_t>::max()).text, "9223372036854775807"
    );
}

TEST(TimeField, Is_utc_to_the_millisecond_or_on_the_clock_of_its_zone) {
    const auto time = schema::parse_instant("2026-07-01T10:00:00Z").value();
    EXPECT_EQ(time_field("due", time).json, "\"2026-07-01T10:00:00.000Z\"");
    const auto berlin = timers::Zone::find("Europe/Berlin").value();
    EXPECT_EQ(time_field("due", time, berlin).text, "2026-07-01T12:00:00+02:00");
    EXPECT_EQ(time_field("due", std::nullopt).json, "null");
    EXPECT_EQ(time_field("due", std::nullopt, berlin).text, "");
}

TEST(MarkedText, Points_at_the_character_and_not_at_the_byte) {
    EXPECT_EQ(
        with_place("R3/x", {"expected a duration", 3}), "at character 4: expected a duration"
    );
    EXPECT_EQ(with_place("\xc3\xa4\xc3\xb6x", {"no", 4}), "at character 3: no");
    EXPECT_EQ(
        with_mark("R3/x", {"expected a duration", 3}),
        "at character 4: expected a duration\n  R3/x\n     ^"
    );
    EXPECT_EQ(with_mark("\xc3\xa4x", {"no", 2}), "at character 2: no\n  \xc3\xa4x\n   ^");
}

TEST(MarkedText, Points_behind_a_text_that_ends_too_early) {
    EXPECT_EQ(with_mark("R3", {"expected '/'", 2}), "at character 3: expected '/'\n  R3\n    ^");
    EXPECT_EQ(with_mark("", {"expected a text", 0}), "at character 1: expected a text\n  \n  ^");
}

TEST(MarkedText, Does_not_repeat_a_text_that_is_longer_than_a_screen) {
    const std::string longest(200, 'x');
    EXPECT_NE(with_mark(longest, {"no", 0}).find('^'), std::string::npos);
    EXPECT_EQ(with_mark(longest + "x", {"no", 0}), "at character 1: no");
}

TEST(MarkedText, A_terminal_is_shown_no_control_character_of_the_text) {
    const std::string shown = with_mark("a\x1b[31m", {"no", 1});
    EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

const std::vector<TableColumn> kColumns{
    {.field = "id", .heading = "ID"},
    {.field = "note", .heading = "NOTE", .width_max = 8},
};

std::string written_as(OutputFormat format, const std::vector<Record>& records) {
    std::ostringstream out;
    RecordWriter writer(out, format, kColumns);
    for (const Record& record : records) {
        writer.add(record);
    }
    writer.finish();
    return out.str();
}

const std::vector<Record> kTwo{
    {text_field("id", "a"), text_field("note", "say \"hi\", twice"), number_field("n", 1)},
    {text_field("id", "bbbb"), text_or_null_field("note", ""), flag_field("n", true)},
};

TEST(RecordWriter, A_table_is_aligned_and_cuts_what_is_too_wide) {
    EXPECT_EQ(
        written_as(OutputFormat::table, kTwo),
        "ID    NOTE\n"
        "a     say \"hi…\n"
        "bbbb\n"
    );
}

TEST(RecordWriter, A_table_leaves_optional_columns_out_that_no_row_has_a_value_for) {
    const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID"},
        {.field = "note", .heading = "NOTE", .is_optional = true},
        {.field = "n", .heading = "N"},
    };
    std::ostringstream out;
    RecordWriter writer(out, OutputFormat::table, columns);
    writer.add({text_field("id", "a"), text_or_null_field("note", ""), number_field("n", 1)});
    writer.finish();
    EXPECT_EQ(out.str(), "ID  N\na   1\n");
}

TEST(RecordWriter, A_sheet_has_colours_for_names_states_and_failures) {
    const Record record{
        text_field("place", "dead"),
        text_field("exceptionMessage", "no route"),
        text_field("handlerType", "mail")};
    std::ostringstream plain;
    write_record(plain, OutputFormat::table, record);
    EXPECT_EQ(
        plain.str(),
        "place             dead\n"
        "exceptionMessage  no route\n"
        "handlerType       mail\n"
    );
    std::ostringstream coloured;
    write_record(coloured, OutputFormat::table, record, {.is_coloured = true});
    EXPECT_EQ(
        coloured.str(),
        "\x1b[1mplace\x1b[0m             \x1b[31mdead\x1b[0m\n"
        "\x1b[1mexceptionMessage\x1b[0m  \x1b[31mno route\x1b[0m\n"
        "\x1b[1mhandlerType\x1b[0m       mail\n"
    );
    std::ostringstream uncoloured;
    write_record(uncoloured, OutputFormat::json, record, {.is_coloured = true});
    EXPECT_EQ(uncoloured.str().find('\x1b'), std::string::npos);
}

TEST(RecordWriter, A_table_lets_no_control_character_through) {
    EXPECT_EQ(
        written_as(
            OutputFormat::table, {{text_field("id", "a\x1b[1m"), text_field("note", "x\ny")}}
        ),
        "ID        NOTE\n"
        "a\\x1b[1m  x\\ny\n"
    );
}

TEST(RecordWriter, Json_is_one_document_and_jsonl_one_per_line) {
    const std::string first = R"({"id":"a","note":"say \"hi\", twice","n":1})";
    const std::string second = R"({"id":"bbbb","note":null,"n":true})";
    EXPECT_EQ(written_as(OutputFormat::json, kTwo), "[\n" + first + ",\n" + second + "\n]\n");
    EXPECT_EQ(written_as(OutputFormat::jsonl, kTwo), first + "\n" + second + "\n");
    EXPECT_EQ(written_as(OutputFormat::json, {}), "[]\n");
    EXPECT_EQ(written_as(OutputFormat::jsonl, {}), "");
}

TEST(RecordWriter, Csv_quotes_what_needs_it) {
    EXPECT_EQ(
        written_as(OutputFormat::csv, kTwo),
        "id,note,n\r\n"
        "a,\"say \"\"hi\"\", twice\",1\r\n"
        "bbbb,,true\r\n"
    );
}

TEST(RecordWriter, Csv_holds_nothing_that_a_spreadsheet_or_a_terminal_would_run) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"=HYPERLINK(1)", "'=HYPERLINK(1)"},
        {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
        {"@SUM(1;2)", "'@SUM(1;2)"},
        {"-1+1", "'-1+1"},
        {"-12", "-12"},
        {"+1.5", "'+1.5"},
        {"a\x1b[2Jb", "a\\x1b[2Jb"},
        {"a\tb", "a\tb"},
        {"a\nb", "\"a\nb\""},
    };
    for (const auto& [value, cell] : cases) {
        EXPECT_EQ(
            written_as(OutputFormat::csv, {{text_field("id", value)}}), "id\r\n" + cell + "\r\n"
        );
    }
}

TEST(RecordWriter, Names_are_what_identifies_the_records) {
    EXPECT_EQ(written_as(OutputFormat::name, kTwo), "a\nbbbb\n");
}

TEST(RecordWriter, A_single_record_is_a_sheet_with_long_texts_at_its_end) {
    std::ostringstream out;
    write_record(
        out,
        OutputFormat::table,
        {text_field("id", "a"), text_field("trace", "one\n\ttwo\x1b\n"), text_field("note", "x")}
    );
    EXPECT_EQ(out.str(), "id     a\nnote   x\n\ntrace:\n  one\n  \\ttwo\\x1b\n");
}

struct PrintableCase {
    const char* what;
    std::string_view text;
    std::string expected;
};

TEST(Printable, Nothing_that_moves_a_cursor_or_breaks_a_line_gets_through) {
    const PrintableCase cases[] = {
        {"plain words", "two words", "two words"},
        {"line breaks", "a\nb\r\tc", "a\\nb\\r\\tc"},
        {"a terminal escape", "\x1b[2J", "\\x1b[2J"},
        {"NUL and DEL", "a\0\x7f"sv, "a\\x00\\x7f"},
        {"letters beyond ASCII", "Größe 数 🙂", "Größe 数 🙂"},
        {"a control above ASCII",
         "a\xc2\x9b"
         "31m",
         "a\\xc2\\x9b31m"},
        {"the direction of reading turned",
         "a\u202Eb\u2066c\u200F",
         "a\\u{202e}b\\u{2066}c\\u{200f}"},
        {"line breaks of Unicode", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"},
        {"letters that are read from the right", "שלום", "שלום"},
        {"a byte that is no UTF-8", "a\xff", "a\\xff"},
        {"a character cut off", "a\xe6\x95", "a\\xe6\\x95"},
        {"an overlong slash", "\xc0\xaf", "\\xc0\\xaf"},
        {"an overlong form of three bytes", "\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
        {"a surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"above the last character", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    };
    for (const PrintableCase& test : cases) {
        EXPECT_EQ(printable(test.text), test.expected) << test.what;
    }
}

TEST(Printable, A_value_is_quoted_exactly_when_it_could_be_misread) {
    const PrintableCase cases[] = {
        {"a word", "PT10S", "PT10S"},
        {"nothing", "", "\"\""},
        {"a space", "two words", "\"two words\""},
        {"a quote", "say \"no\"", "\"say \\\"no\\\"\""},
        {"a backslash", "a\\b", "\"a\\\\b\""},
        {"an equals sign", "a=b", "\"a=b\""},
        {"a line break", "a\nlevel=error", "\"a\\nlevel=error\""},
    };
    for (const PrintableCase& test : cases) {
        EXPECT_EQ(quoted_if_needed(test.text), test.expected) << test.what;
    }
}

TEST(Printable, Width_counts_characters_and_cutting_keeps_them_whole) {
    EXPECT_EQ(width_of("Größe"), 5U);
    EXPECT_EQ(cut_to_width("Größe", 5), "Größe");
    EXPECT_EQ(cut_to_width("Größe", 4), "Grö…");
}

TEST(Printable, Width_is_counted_in_columns_of_a_terminal) {
    EXPECT_EQ(width_of("数据"), 4U);
    EXPECT_EQ(width_of("e\u0301a"), 2U);
    EXPECT_EQ(width_of("🙂"), 2U);
    EXPECT_EQ(characters_of("数据"), 2U);
    EXPECT_EQ(cut_to_width("数数数", 4), "数…");
    EXPECT_EQ(cut_to_width("数数数", 5), "数数…");
    EXPECT_EQ(cut_to_width("e\u0301bcd", 3), "e\u0301b…");
}

TEST(ShortIds, Keep_time_and_counter_of_a_uuid_at_least) {
    EXPECT_EQ(
        shortened({"01a205a8-3e16-7001-9b02-1dac6f1bacd0", "01a20777-3e16-7001-9b02-1dac6f1bacd0"}),
        (Ids{"01a205a8-3e16-7001…", "01a20777-3e16-7001…"})
    );
}

TEST(ShortIds, Are_as_long_as_it_takes_to_tell_them_apart) {
    EXPECT_EQ(
        shortened(
            {"01a205a8-3e16-7001-9b02-1dac6f1bacd0",
             "01a205a8-3e16-7001-9b07-1dac6f1bacd0",
             "01a20777-3e16-7001-9b02-1dac6f1bacd0"}
        ),
        (Ids{"01a205a8-3e16-7001-9b02…", "01a205a8-3e16-7001-9b07…", "01a20777-3e16-7001…"})
    );
}

TEST(ShortIds, Are_whole_where_nothing_is_won) {
    const Ids ids{
        "order-17",
        "01a20000-0000-7000-8000-000000000001",
        "01a20000-0000-7000-8000-000000000002",
        "a-name-that-has-19",
        "",
    };
    EXPECT_EQ(shortened(ids), ids);
    EXPECT_EQ(shortened({}), Ids{});
}

TEST(ShortIds, Of_one_job_twice_are_no_longer) {
    const std::string id = "01a205a8-3e16-7001-9b02-1dac6f1bacd0";
    EXPECT_EQ(shortened({id, id}), (Ids{"01a205a8-3e16-7001…", "01a205a8-3e16-7001…"}));
}

TEST(ShortIds, Are_known_by_their_end) {
    EXPECT_EQ(beginning_of("01a205a8…"), "01a205a8");
    EXPECT_EQ(beginning_of("01a205a8..."), "01a205a8");
    EXPECT_EQ(beginning_of("01a205a8"), "");
    EXPECT_EQ(beginning_of("…"), "");
    EXPECT_EQ(beginning_of(""), "");
}

TEST(RelativeTime, Tells_how_far_a_time_lies_from_now) {
    const schema::TimePoint now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
    const std::pair<schema::Duration, const char*> cases[]{
        {0ms, "now"},
        {999ms, "now"},
        {-999ms, "now"},
        {1s, "in 1 s"},
        {-30s, "30 s ago"},
        {119s, "in 119 s"},
        {2min, "in 2 min"},
        {3min + 59s, "in 3 min"},
        {-119min, "119 min ago"},
        {-2h, "2 h ago"},
        {47h, "in 47 h"},
        {48h, "in 2 d"},
        {-24h * 700, "700 d ago"},
        {std::chrono::years{3}, "in 3 y"},
    };
    for (const auto& [distance, words] : cases) {
        EXPECT_EQ(relative_time(now + distance, now), words) << distance.count();
    }
}

TEST(AgeText, It_has_the_largest_unit) {
    EXPECT_EQ(age_text(0ms), "0 s ago");
    EXPECT_EQ(age_text(59'999ms), "59 s ago");
    EXPECT_EQ(age_text(12min + 5s), "12 min ago");
    EXPECT_EQ(age_text(3h), "3 h ago");
    EXPECT_EQ(age_text(76h + 5min), "3 d ago");
}

TEST(AgeText, What_lies_ahead_is_now) {
    EXPECT_EQ(age_text(-5min), "0 s ago");
}

}  // namespace

}  // namespace jobstrand::cli
