#include "persistence/rows/job_rows.hpp"
#include "schema/limits.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;
using schema::Job;
using schema::JobPlace;
using schema::limits::kInlinePayloadLength;

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

}  // namespace

}  // namespace jobstrand::persistence
