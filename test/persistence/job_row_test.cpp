#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/limits.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;
using schema::Job;
using schema::JobPlace;
using schema::limits::kInlinePayloadLength;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const schema::Table& description_of(JobPlace place) {
    const auto tables = schema::tables();
    return *std::ranges::find(tables, schema::table_of(place), &schema::Table::name);
}

/// Whether a member can hold what a column of this kind holds.
struct Fits {
    ColumnKind kind;

    bool operator()(std::string Job::*) const {
        return kind == ColumnKind::id || kind == ColumnKind::app_id || kind == ColumnKind::name ||
               kind == ColumnKind::message || kind == ColumnKind::names;
    }
    bool operator()(int Job::*) const { return kind == ColumnKind::integer; }
    bool operator()(std::int64_t Job::*) const { return kind == ColumnKind::big_integer; }
    bool operator()(bool Job::*) const { return kind == ColumnKind::boolean; }
    bool operator()(std::optional<schema::TimePoint> Job::*) const {
        return kind == ColumnKind::timestamp;
    }
};

TEST(JobRow, The_fields_of_a_place_are_the_columns_of_its_table) {
    for (const JobPlace place : schema::kJobPlaces) {
        SCOPED_TRACE(schema::name_of(place));
        const auto fields = fields_of(place);
        const auto& columns = description_of(place).columns;
        ASSERT_EQ(fields.size(), columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i) {
            EXPECT_EQ(fields[i].column, columns[i].name);
            EXPECT_TRUE(std::visit(Fits{columns[i].kind}, fields[i].member)) << columns[i].name;
        }
    }
}

TEST(JobRow, No_two_columns_share_a_member) {
    const auto fields = fields_of(JobPlace::suspended);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(fields[i].member, fields[j].member) << fields[i].column;
        }
    }
}

TEST(JobRow, The_list_of_columns_names_each_of_them) {
    for (const JobPlace place : schema::kJobPlaces) {
        std::string expected;
        for (const RowField& field : fields_of(place)) {
            expected += (expected.empty() ? "" : ", ") + std::string(field.column);
        }
        EXPECT_EQ(columns_of(place), expected);
    }
}

TEST(JobRow, A_row_has_a_value_for_each_column) {
    for (const JobPlace place : schema::kJobPlaces) {
        std::vector<Value> values;
        append_row(values, place, test::a_job("a"));
        EXPECT_EQ(values.size(), fields_of(place).size());
    }
}

TEST(JobRow, A_payload_is_too_long_by_its_characters_and_not_by_its_bytes) {
    const std::string ascii(kInlinePayloadLength, 'a');
    std::string umlauts;
    for (std::size_t i = 0; i < kInlinePayloadLength; ++i) {
        umlauts += "\xC3\xA4";
    }
    EXPECT_FALSE(is_too_long_for_row(""));
    EXPECT_FALSE(is_too_long_for_row(ascii));
    EXPECT_TRUE(is_too_long_for_row(ascii + "a"));
    EXPECT_FALSE(is_too_long_for_row(umlauts));
    EXPECT_TRUE(is_too_long_for_row(umlauts + "a"));
}

TEST(JobRow, A_payload_is_stored_apart_when_it_is_too_long_and_has_an_id_there) {
    Job job = test::a_job("a").with_payload("short");
    job.custom_values_id = "values";
    EXPECT_FALSE(is_stored_apart(job));
    job.payload = std::string(kInlinePayloadLength + 1, 'a');
    EXPECT_TRUE(is_stored_apart(job));
    job.custom_values_id.clear();
    EXPECT_FALSE(is_stored_apart(job));
}

/// What the parts of moves do to rows, looked at on SQLite.
class RowsTest : public testing::Test {
protected:
    void insert(std::string_view id, int revision, std::string_view owner) {
        transaction_.execute(
            "INSERT INTO ACT_RU_JOB (ID_, REV_, TYPE_, LOCK_OWNER_, RETRIES_, HANDLER_TYPE_) "
            "VALUES (?, ?, 'message', ?, 3, 'mail')",
            {id, std::int64_t{revision}, owner}
        );
    }

    std::vector<std::string> texts(std::string_view sql) {
        std::vector<std::string> found;
        transaction_.query({.sql = sql, .columns = 1}, {}, [&](const Row& row) {
            found.emplace_back(row.text(0));
        });
        return found;
    }

    const test::SqliteFile file_;
    const std::unique_ptr<Connection> connection_ = file_.connect();
    Transaction transaction_{*connection_};
};

TEST(FencedIds, Are_grouped_by_revision_in_ascending_order) {
    const std::vector<Fence> fences{{"c", 2}, {"a", 1}, {"b", 2}, {"d", 1}};
    const FencedIds ids = fenced(fences);
    EXPECT_THAT(ids, ElementsAre(Pair(1, ElementsAre("a", "d")), Pair(2, ElementsAre("b", "c"))));
    EXPECT_EQ(count_of(ids), 4);
    EXPECT_EQ(count_of({}), 0);
}

class FencesTest : public RowsTest {
protected:
    FencesTest() {
        insert("a", 1, "node-1");
        insert("b", 2, "node-1");
        insert("c", 1, "node-2");
    }

    const std::vector<Fence> all_{{"a", 1}, {"b", 2}, {"c", 1}, {"gone", 1}};
};

// I3
TEST_F(FencesTest, Only_rows_of_this_owner_and_revision_are_held) {
    EXPECT_THAT(
        held_for_update(transaction_, "node-1", fenced(all_)),
        ElementsAre(Pair("a", 1), Pair("b", 2))
    );
    const std::vector<Fence> older{{"a", 0}, {"b", 1}};
    EXPECT_THAT(held_for_update(transaction_, "node-1", fenced(older)), IsEmpty());
}

TEST_F(FencesTest, Of_two_runs_of_one_job_the_one_that_holds_is_told) {
    const std::vector<Fence> both{{"b", 1}, {"b", 2}};
    EXPECT_THAT(held_for_update(transaction_, "node-1", fenced(both)), ElementsAre(Pair("b", 2)));
}

// I5
TEST_F(FencesTest, Freeing_takes_the_lock_and_raises_the_revision_of_what_is_held) {
    EXPECT_EQ(free_held(transaction_, "node-1", fenced(all_)), 2);
    EXPECT_THAT(
        texts("SELECT ID_ || REV_ || COALESCE(LOCK_OWNER_, '') FROM ACT_RU_JOB ORDER BY ID_"),
        ElementsAre("a2", "b3", "c1node-2")
    );
    EXPECT_EQ(free_held(transaction_, "node-1", fenced(all_)), 0) << "a second time frees nothing";
}

TEST_F(FencesTest, More_ids_than_one_statement_takes_are_all_written_about) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < schema::limits::kIdsPerStatement + 3; ++i) {
        jobs.push_back(test::a_job(fmt::format("m{:05}", i)));
        insert(jobs.back().id, 1, "node-1");
    }
    EXPECT_EQ(
        free_held(transaction_, "node-1", fenced(jobs)), static_cast<std::int64_t>(jobs.size())
    );
}

using ByteArraysTest = RowsTest;

TEST_F(ByteArraysTest, A_payload_that_fits_its_row_is_not_stored_apart) {
    std::vector<Job> jobs{
        test::a_job("a").with_payload(std::string(schema::limits::kInlinePayloadLength, 'x')),
        test::a_job("b").with_payload(std::string(schema::limits::kInlinePayloadLength + 1, 'y'))};
    schema::FreshIds ids;
    store_payloads(transaction_, jobs, ids);
    EXPECT_EQ(jobs[0].custom_values_id, "");
    EXPECT_NE(jobs[1].custom_values_id, "");
    EXPECT_THAT(texts("SELECT ID_ FROM ACT_GE_BYTEARRAY"), ElementsAre(jobs[1].custom_values_id));
}

TEST_F(ByteArraysTest, What_was_stored_apart_comes_back_to_its_job) {
    std::vector<Job> jobs;
    for (int i = 0; i < 20; ++i) {
        jobs.push_back(test::a_job(fmt::format("{:02}", i))
                           .with_payload(fmt::format("{}:{}", i, std::string(5000, 'x'))));
    }
    const std::vector<Job> before = jobs;
    schema::FreshIds ids;
    store_payloads(transaction_, jobs, ids);
    for (Job& job : jobs) {
        job.payload.clear();
    }
    jobs.push_back(test::a_job("inline").with_payload("short"));
    load_payloads(transaction_, jobs);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(jobs[i].payload, before[i].payload) << i;
    }
    EXPECT_EQ(jobs.back().payload, "short");
}

TEST_F(ByteArraysTest, Payloads_of_megabytes_are_stored_whole) {
    const std::string large(2 * 1024 * 1024, 'z');
    std::vector<Job> jobs(3, test::a_job("a").with_payload(large).build());
    schema::FreshIds ids;
    store_payloads(transaction_, jobs, ids);
    EXPECT_THAT(
        texts("SELECT CAST(LENGTH(BYTES_) AS TEXT) FROM ACT_GE_BYTEARRAY"),
        ElementsAre("2097152", "2097152", "2097152")
    );
}

TEST_F(ByteArraysTest, A_job_takes_its_payload_and_its_stack_trace_with_it) {
    const std::vector<ByteArray> arrays{{"p", "payload"}, {"s", "trace"}, {"other", "kept"}};
    insert_byte_arrays(transaction_, kPayloadName, arrays);
    Job job = test::a_job("a");
    job.custom_values_id = "p";
    job.exception_stack_id = "s";
    const Job without = test::a_job("b");
    const std::vector<const Job*> deleted{&job, &without};
    delete_byte_arrays_of(transaction_, deleted);
    EXPECT_THAT(texts("SELECT ID_ FROM ACT_GE_BYTEARRAY"), ElementsAre("other"));
}

TEST_F(ByteArraysTest, Deleting_what_is_not_there_is_nothing) {
    EXPECT_NO_THROW(delete_byte_arrays(transaction_, {"", "missing", ""}));
    EXPECT_NO_THROW(delete_byte_arrays(transaction_, {}));
}

using JobAddressTest = RowsTest;

TEST_F(JobAddressTest, A_job_is_found_in_whatever_place_it_stands) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id = fmt::format("in-{}", schema::name_of(place));
        transaction_.execute(fmt::format(
            "INSERT INTO {} (ID_, REV_, TYPE_) VALUES ('{}', 1, 'message')",
            schema::table_of(place),
            id
        ));
        const std::vector<std::string_view> ids{"missing", id};
        const auto found = find_any(transaction_, ids);
        ASSERT_TRUE(found) << id;
        EXPECT_EQ(found->id, id);
        EXPECT_EQ(found->place, place);
    }
    const std::vector<std::string_view> missing{"missing"};
    EXPECT_FALSE(find_any(transaction_, missing));
    EXPECT_FALSE(find_any(transaction_, {}));
}

TEST(IdsOf, Are_borrowed_in_the_order_of_whatever_holds_jobs) {
    const std::vector<Job> jobs{test::a_job("b"), test::a_job("a")};
    EXPECT_THAT(ids_of(jobs), ElementsAre("b", "a"));
    EXPECT_EQ(ids_of(jobs)[0].data(), jobs[0].id.data());
    const std::vector<const Job*> pointers{&jobs[1]};
    EXPECT_THAT(ids_of(pointers), ElementsAre("a"));
    const std::vector<schema::PlacedJob> placed{{.place = JobPlace::timer, .job = jobs[0]}};
    EXPECT_THAT(ids_of(placed), ElementsAre("b"));
}

TEST(FreshIds, Are_new_each_time_and_grow) {
    schema::FreshIds ids;
    std::string last;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = ids.next();
        EXPECT_EQ(id.size(), 36U);
        EXPECT_LT(last, id);
        last = id;
    }
}

schema::TimePoint at_ms(std::int64_t ms) {
    return schema::TimePoint(std::chrono::milliseconds(ms));
}

struct Written {
    std::int64_t ms;
    std::string_view text;
};

TEST(SqlTime, Is_written_in_utc_with_milliseconds) {
    const std::vector<Written> rows{
        {0, "1970-01-01 00:00:00.000"},
        {-1, "1969-12-31 23:59:59.999"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123"},
        {1'709'164'800'007, "2024-02-29 00:00:00.007"},
        {253'402'300'799'999, "9999-12-31 23:59:59.999"},
        {-62'167'219'200'000, "0000-01-01 00:00:00.000"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(SqlTime(at_ms(row.ms)).text(), row.text);
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

TEST(SqlTime, Later_times_are_greater_texts) {
    EXPECT_LT(SqlTime(at_ms(999)).text(), SqlTime(at_ms(1000)).text());
    EXPECT_LT(SqlTime(at_ms(-1)).text(), SqlTime(at_ms(0)).text());
}

TEST(SqlTime, A_year_that_no_database_holds_is_refused) {
    for (const std::int64_t ms : {253'402'300'800'000, -62'167'219'200'001}) {
        test::expect_error(DbErrorKind::too_long, [ms] { return SqlTime(at_ms(ms)); });
    }
}

TEST(SqlTime, Reading_is_tolerant) {
    const std::vector<Written> rows{
        {1'700'000'000'000, "2023-11-14 22:13:20"},
        {1'700'000'000'000, "2023-11-14T22:13:20"},
        {1'700'000'000'000, "2023-11-14T22:13:20Z"},
        {1'700'000'000'100, "2023-11-14 22:13:20.1"},
        {1'700'000'000'120, "2023-11-14 22:13:20.12"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123"},
        {1'700'000'000'123, "2023-11-14 22:13:20.1239"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123999"},
        {1'700'000'000'123, "2023-11-14T22:13:20.123999999Z"},
        {1'700'000'000'000, "2023-11-14 22:13:20.000999"},
        {1'700'000'000'123, "2023-11-14 22:13:20.1234567890123456789"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

// What Python's sqlite3 and others write for a time that knows its zone.
TEST(SqlTime, An_offset_is_taken_from_it) {
    const std::vector<Written> rows{
        {1'700'000'000'000, "2023-11-14 22:13:20+00:00"},
        {1'700'000'000'000, "2023-11-14 22:13:20-00:00"},
        {1'700'000'000'000, "2023-11-14T23:13:20+01:00"},
        {1'700'000'000'000, "2023-11-14 23:13:20+0100"},
        {1'700'000'000'000, "2023-11-14 23:13:20+01"},
        {1'700'000'000'000, "2023-11-14 16:43:20-05:30"},
        {1'700'000'000'123, "2023-11-15 03:43:20.123456+05:30"},
        {1'700'000'000'500, "2023-11-15T03:43:20.5+05:30"},
        {-62'167'219'200'000, "0000-01-01 05:00:00+05:00"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

TEST(SqlTime, Other_texts_are_not_times) {
    const std::vector<std::string_view> texts{
        "",
        "now",
        "2023-11-14",
        "2023-11-14 22:13",
        "2023-11-14 22:13:2",
        "2023-11-14_22:13:20",
        "2023-11-14 22.13.20",
        "2023-02-29 00:00:00",
        "2023-13-01 00:00:00",
        "2023-00-01 00:00:00",
        "2023-01-00 00:00:00",
        "2023-01-32 00:00:00",
        "2023-11-14 24:00:00",
        "2023-11-14 22:60:00",
        "2023-11-14 22:13:60",
        "2023-11-14 22:13:-1",
        "2023-11-14 22:13:20.",
        "2023-11-14 22:13:20.x",
        "2023-11-14 22:13:20.+01:00",
        "2023-11-14 22:13:20,5",
        "2023-11-14 22:13:20 ",
        "2023-11-14 22:13:20 +01:00",
        "2023-11-14 22:13:20z",
        "2023-11-14 22:13:20ZZ",
        "2023-11-14 22:13:20+1",
        "2023-11-14 22:13:20+1:00",
        "2023-11-14 22:13:20+01:0",
        "2023-11-14 22:13:20+01-00",
        "2023-11-14 22:13:20+24:00",
        "2023-11-14 22:13:20+01:60",
        "2023-11-14 22:13:20+01:00Z",
        "2023-11-14 22:13:20 Europe/Berlin",
        "2023-11-14 22:13:20 BC",
        "infinity",
        "-infinity",
        "0000-00-00 00:00:00.000",
        "0000-01-01 00:00:00+00:01",
        "9999-12-31 23:59:59-00:01",
        "10000-01-01 00:00:00",
        "20230-1-14 22:13:20",
        "1700000000123",
    };
    for (const std::string_view text : texts) {
        EXPECT_EQ(parse_sql_time(text), std::nullopt) << text;
    }
}

struct Unreadable {
    std::string value;
    std::string message;
};

TEST(UnreadableValue, The_error_shows_the_value_and_what_it_is_not) {
    const std::vector<Unreadable> rows{
        {"", "\"\" is not a time"},
        {"tomorrow", "\"tomorrow\" is not a time"},
        {"a\xFFz", "\"a\xEF\xBF\xBDz\" is not a time"},
        {std::string("a\0z", 3), "\"a\xEF\xBF\xBDz\" is not a time"},
        {std::string(40, 'x'), '"' + std::string(40, 'x') + "\" is not a time"},
        {std::string(41, 'x'), '"' + std::string(40, 'x') + "...\" is not a time"},
    };
    for (const Unreadable& row : rows) {
        const DbError error = unreadable_value(row.value, "a time");
        EXPECT_EQ(error.kind(), DbErrorKind::unreadable);
        EXPECT_EQ(error.what(), row.message);
    }
}

TEST(UnreadableValue, A_time_that_must_be_there_is_one) {
    EXPECT_EQ(require_sql_time("1970-01-01T00:00:00Z"), at_ms(0));
    EXPECT_THROW((void)require_sql_time("1970-01-01"), DbError);
}

}  // namespace

}  // namespace jobstrand::persistence
