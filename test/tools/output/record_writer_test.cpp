#include "tools/output/record_writer.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace jobstrand::cli {
namespace {

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
    std::ostringstream json;
    write_record(json, OutputFormat::json, record, {.is_coloured = true});
    EXPECT_EQ(json.str().find('\x1b'), std::string::npos);
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

}  // namespace
}  // namespace jobstrand::cli
