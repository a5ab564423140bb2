#include "tools/output/table.hpp"

#include "schema/clock.hpp"
#include "tools/output/progress.hpp"
#include "tools/text/terminal_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

const std::vector<TableColumn> kJobs{
    {.field = "id", .heading = "ID"},
    {.field = "place", .heading = "PLACE", .rank = 3},
    {.field = "tries", .heading = "TRIES", .rank = 2},
    {.field = "note", .heading = "NOTE", .rank = 1, .width_least = 8, .tone = Tone::bad},
};

std::string table_of(const std::vector<Record>& records, const OutputStyle& style) {
    Table table(kJobs);
    for (const Record& record : records) {
        table.add(record, style);
    }
    std::ostringstream out;
    table.write(out, style);
    return out.str();
}

Record job(std::string_view id, std::string_view place, std::int64_t tries, std::string_view note) {
    return {
        text_field("id", id),
        text_field("place", place),
        number_field("tries", tries),
        text_or_null_field("note", note),
    };
}

const std::vector<Record> kTwoJobs{
    job("one", "dead", 1234567, "connection refused"),
    job("second", "timer", 3, ""),
};

TEST(Table, In_a_file_it_is_as_wide_as_need_be_and_numbers_are_plain) {
    EXPECT_EQ(
        table_of(kTwoJobs, {}),
        "ID      PLACE  TRIES    NOTE\n"
        "one     dead   1234567  connection refused\n"
        "second  timer  3\n"
    );
}

TEST(Table, On_a_terminal_numbers_are_grouped_and_stand_at_the_right) {
    EXPECT_EQ(
        table_of(kTwoJobs, {.columns = 80}),
        "ID      PLACE      TRIES  NOTE\n"
        "one     dead   1,234,567  connection refused\n"
        "second  timer          3\n"
    );
}

TEST(Table, Free_texts_are_cut_before_a_column_goes) {
    EXPECT_EQ(
        table_of(kTwoJobs, {.columns = 36}),
        "ID      PLACE      TRIES  NOTE\n"
        "one     dead   1,234,567  connectio…\n"
        "second  timer          3\n"
    );
}

TEST(Table, The_least_useful_columns_go_first_and_are_named) {
    EXPECT_EQ(
        table_of(kTwoJobs, {.columns = 30}),
        "ID          TRIES  NOTE\n"
        "one     1,234,567  connection…\n"
        "second          3\n"
        "no room: PLACE\n"
    );
    EXPECT_EQ(
        table_of(kTwoJobs, {.columns = 20}),
        "ID      NOTE\n"
        "one     connection …\n"
        "second\n"
        "no room: PLACE, TRI…\n"
    );
}

TEST(Table, What_verbs_are_given_stays_whole_however_narrow_it_is) {
    EXPECT_EQ(
        table_of({job("0123456789", "dead", 1, "x")}, {.columns = 5}).substr(0, 14),
        "ID\n0123456789\n"
    );
}

TEST(Table, Ids_of_jobs_are_short_only_where_a_terminal_has_no_room_for_all_columns) {
    const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .is_job_id = true},
        {.field = "note", .heading = "NOTE", .rank = 1},
    };
    const auto written = [&](std::optional<std::size_t> width) {
        const OutputStyle style{.columns = width};
        Table table(columns);
        table.add(job("01a205a8-3e16-7001-9b02-1dac6f1bacd0", "", 0, "no"), style);
        std::ostringstream out;
        table.write(out, style);
        return out.str();
    };
    const std::string whole =
        "ID                                    NOTE\n01a205a8-3e16-7001-9b02-1dac6f1bacd0  no\n";
    EXPECT_EQ(written(std::nullopt), whole);
    EXPECT_EQ(written(42), whole);
    EXPECT_EQ(written(41), "ID                   NOTE\n01a205a8-3e16-7001…  no\n");
}

TEST(Table, A_terminal_has_no_column_without_a_value) {
    EXPECT_EQ(
        table_of({job("one", "dead", 3, "")}, {.columns = 80}),
        "ID   PLACE  TRIES\n"
        "one  dead       3\n"
    );
}

TEST(Table, No_line_is_wider_than_the_terminal_as_long_as_the_id_fits) {
    const std::vector<Record> wide{
        job("one", "dead", 1234567, "数据库连接失败了数据库连接失败了"),
        job("second", "ti\u0301mer", 3, "nothing"),
    };
    for (std::size_t columns = 6; columns < 90; ++columns) {
        std::istringstream lines(table_of(wide, {.columns = columns}));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(width_of(line), columns) << line;
        }
    }
}

TEST(Table, Wide_characters_keep_the_columns_straight) {
    EXPECT_EQ(
        table_of({job("数数", "e\u0301", 1, "x"), job("abc", "dead", 2, "y")}, {}),
        "ID    PLACE  TRIES  NOTE\n"
        "数数  e\u0301      1      x\n"
        "abc   dead   2      y\n"
    );
}

TEST(Table, Colour_says_what_is_heading_trouble_and_state) {
    EXPECT_EQ(
        table_of({job("one", "dead", 1, "no")}, {.is_coloured = true}),
        "\x1b[1mID\x1b[0m   \x1b[1mPLACE\x1b[0m  \x1b[1mTRIES\x1b[0m  \x1b[1mNOTE\x1b[0m\n"
        "one  \x1b[31mdead\x1b[0m   1      \x1b[31mno\x1b[0m\n"
    );
}

TEST(TableFit, What_is_left_of_the_room_goes_to_the_texts_from_the_left) {
    const std::vector<ColumnNeed> needs{
        {.width = 10, .least = 10},
        {.width = 30, .least = 10, .rank = 1},
        {.width = 30, .least = 10, .rank = 2},
    };
    using Widths = std::vector<std::size_t>;
    EXPECT_EQ(fitted(needs, 100, 2), (Widths{10, 30, 30}));
    EXPECT_EQ(fitted(needs, 60, 2), (Widths{10, 30, 16}));
    EXPECT_EQ(fitted(needs, 34, 2), (Widths{10, 10, 10}));
    EXPECT_EQ(fitted(needs, 33, 2), (Widths{10, 21, 0}));
    EXPECT_EQ(fitted(needs, 9, 2), (Widths{10, 0, 0}));
}

TEST(Grouping, Digits_stand_in_threes_and_other_texts_stay) {
    EXPECT_EQ(grouped("0"), "0");
    EXPECT_EQ(grouped("999"), "999");
    EXPECT_EQ(grouped("1000"), "1,000");
    EXPECT_EQ(grouped("-9223372036854775808"), "-9,223,372,036,854,775,808");
    EXPECT_EQ(grouped("2026-11-20"), "2026-11-20");
    EXPECT_EQ(grouped(""), "");
}

struct Output {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{.in = in, .out = out, .err = err};
    schema::ManualClock clock;
};

TEST(Progress, Without_a_terminal_nothing_is_said_within_two_seconds) {
    Output output;
    Progress progress(output.streams, output.clock, "added");
    output.clock.tick(1999ms);
    progress.show(1000, 10'000);
    EXPECT_EQ(output.err.str(), "");
    output.clock.tick(1ms);
    progress.show(2000, 10'000);
    progress.show(3000, 10'000);
    EXPECT_EQ(output.err.str(), "added 2000 of 10000 (20 %), 1000/s, 8 s left\n");
}

TEST(Progress, Where_nobody_knows_how_many_there_are_tells_how_many_were_done) {
    Output output;
    Progress progress(output.streams, output.clock, "moved");
    progress.show(10);
    output.clock.tick(2s);
    progress.show(3'000);
    EXPECT_EQ(output.err.str(), "moved 3000 so far, 1500/s\n");
}

TEST(Progress, On_a_terminal_one_line_is_rewritten) {
    Output output;
    output.streams.err_is_terminal = true;
    {
        Progress progress(output.streams, output.clock, "added");
        output.clock.tick(1s);
        progress.show(10, 100);
        output.clock.tick(50ms);
        progress.show(20, 100);
        output.clock.tick(50ms);
        progress.show(50, 100);
    }
    EXPECT_EQ(
        output.err.str(),
        "\r\x1b[Kadded 10 of 100 (10 %), 10/s, 9 s left"
        "\r\x1b[Kadded 50 of 100 (50 %), 45/s, 1 s left\n"
    );
}

TEST(Progress, On_a_terminal_nothing_is_left_of_what_took_a_moment) {
    Output output;
    output.streams.err_is_terminal = true;
    {
        Progress progress(output.streams, output.clock, "read");
        output.clock.tick(190ms);
        progress.show(10, 100);
        output.clock.tick(59ms);
        progress.show(100, 100);
    }
    EXPECT_EQ(output.err.str(), "");
}

}  // namespace

}  // namespace jobstrand::cli
