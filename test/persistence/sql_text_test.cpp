#include "persistence/batches/filter_text.hpp"
#include "persistence/drivers/mysql/limits_in_text.hpp"
#include "persistence/drivers/postgresql/postgresql_backend.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"
#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "persistence/sql/statement_text.hpp"
#include "schema/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::limits::kIdsPerStatement;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::ThrowsMessage;
using namespace std::chrono_literals;

Bytes bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(HexText, Has_two_digits_for_each_byte_behind_its_mark) {
    EXPECT_EQ(hex_text_of(bytes_of("")), "\\x");
    EXPECT_EQ(hex_text_of(bytes_of("Az")), "\\x417a");
    EXPECT_EQ(hex_text_of(bytes_of(std::string_view("\0\x0f\xf0\xff", 4))), "\\x000ff0ff");
}

TEST(HexText, Is_read_in_capitals_and_in_small_letters) {
    EXPECT_EQ(bytes_of_hex_text("\\x417a"), "Az");
    EXPECT_EQ(bytes_of_hex_text("\\x417A"), "Az");
    EXPECT_EQ(bytes_of_hex_text("\\x"), "");
    EXPECT_EQ(from_hex("c3A4"), "\xc3\xa4");
}

TEST(HexText, Without_its_mark_a_text_is_taken_as_it_is) {
    EXPECT_EQ(bytes_of_hex_text("417a"), "417a");
    EXPECT_EQ(bytes_of_hex_text(""), "");
    EXPECT_EQ(bytes_of_hex_text("\\"), "\\");
}

TEST(HexText, Every_byte_comes_back_as_it_went) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    EXPECT_EQ(bytes_of_hex_text(hex_text_of(bytes_of(all))), all);
}

std::vector<std::string_view> texts(const std::vector<Value>& values) {
    std::vector<std::string_view> all;
    for (const Value& value : values) {
        all.push_back(std::get<std::string_view>(value));
    }
    return all;
}

TEST(IdLists, A_list_gets_a_placeholder_per_id) {
    EXPECT_EQ(with_list_size("ID_ IN (...) AND A = ?", 1), "ID_ IN (?) AND A = ?");
    EXPECT_EQ(with_list_size("ID_ IN (...)", 3), "ID_ IN (?, ?, ?)");
    EXPECT_TRUE(with_list_size("ID_ IN (...)", 16).starts_with("ID_ IN (/* ids */ ?, ?"));
}

TEST(IdLists, Text_without_a_list_stays_as_it_is) {
    EXPECT_EQ(with_list_size("SELECT COUNT(*) FROM T", 3), "SELECT COUNT(*) FROM T");
}

TEST(IdLists, There_are_few_sizes_and_none_is_too_small) {
    std::set<std::size_t> sizes;
    for (std::size_t count = 1; count <= kIdsPerStatement; ++count) {
        EXPECT_GE(padded_list_size(count), count);
        sizes.insert(padded_list_size(count));
    }
    EXPECT_LE(sizes.size(), 6U);
    EXPECT_EQ(padded_list_size(1), 1U);
    EXPECT_EQ(padded_list_size(kIdsPerStatement), kIdsPerStatement);
    EXPECT_EQ(padded_list_size(kIdsPerStatement + 1), kIdsPerStatement + 1);
}

TEST(IdLists, The_surplus_repeats_the_last_id_between_the_other_parameters) {
    const std::vector<std::string_view> ids{"a", "b", "c"};
    const auto statements = cut_id_list(
        "A = ? AND ID_ IN (...) AND B = ?",
        {.before = {std::string_view("before")}, .ids = ids, .after = {std::string_view("after")}}
    );
    ASSERT_EQ(statements.size(), 1U);
    EXPECT_EQ(statements[0].sql, "A = ? AND ID_ IN (?, ?, ?, ?) AND B = ?");
    EXPECT_THAT(
        texts(statements[0].parameters), ElementsAre("before", "a", "b", "c", "c", "after")
    );
}

TEST(IdLists, Every_list_of_a_statement_gets_the_same_ids) {
    const std::vector<std::string_view> ids{"a"};
    const auto statements = cut_id_list("IN (...) UNION IN (...)", {.ids = ids});
    ASSERT_EQ(statements.size(), 1U);
    EXPECT_EQ(statements[0].sql, "IN (?) UNION IN (?)");
    EXPECT_THAT(texts(statements[0].parameters), ElementsAre("a", "a"));
}

TEST(IdLists, A_long_list_is_cut_and_no_id_is_lost) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 2 * kIdsPerStatement + 1; ++i) {
        names.push_back(std::to_string(i));
    }
    const std::vector<std::string_view> ids(names.begin(), names.end());
    const auto statements = cut_id_list("ID_ IN (...)", {.ids = ids});
    ASSERT_EQ(statements.size(), 3U);
    std::vector<std::string_view> bound;
    for (const BoundStatement& statement : statements) {
        for (const std::string_view id : texts(statement.parameters)) {
            bound.push_back(id);
        }
    }
    EXPECT_EQ(bound, ids);
}

TEST(IdLists, No_ids_need_no_statement) {
    EXPECT_THAT(cut_id_list("ID_ IN (...)", {}), IsEmpty());
}

struct PlaceholderCase {
    std::string_view sql;
    std::size_t count;
};

TEST(Placeholders, Only_those_outside_of_texts_names_and_comments_count) {
    const std::vector<PlaceholderCase> rows{
        {"", 0},
        {"select 1", 0},
        {"select ? from T where A = ? and B in (?,?)", 4},
        {"select '?', ? from T", 1},
        {"select 'it''s ?', ?", 1},
        {"select \"A?\", `B?`, ?", 1},
        {"select ? -- why?\n, ?", 2},
        {"select ? /* ? \n ? */, ?", 2},
        {"select ? -- to the end ?", 1},
        {"select 'never closed ?", 0},
        {"select 3 - ? / ?", 2},
    };
    for (const PlaceholderCase& row : rows) {
        EXPECT_EQ(count_placeholders(row.sql), row.count) << row.sql;
    }
}

TEST(Placeholders, Get_numbers_where_the_driver_wants_them) {
    EXPECT_EQ(
        number_placeholders("select '?', ? from \"A?\" -- ?\n where B in (?, ?) /* ? */", '$'),
        "select '?', $1 from \"A?\" -- ?\n where B in ($2, $3) /* ? */"
    );
    EXPECT_EQ(number_placeholders("", '$'), "");
}

TEST(SqlSummary, Is_one_short_line) {
    EXPECT_EQ(sql_summary("\n  select ID_\n    from T\n"), "select ID_ from T");
    const std::string longest = sql_summary("insert into T values " + std::string(500, '?'));
    EXPECT_EQ(longest.size(), 123U);
    EXPECT_TRUE(longest.ends_with("???..."));
}

constexpr schema::TimePoint kInstant{1'767'225'600'001ms};

TEST(FilterText, Is_a_line_for_each_thing_that_is_asked) {
    const JobFilter filter{
        .fields =
            {equals(&Job::handler_type, "send-invoice"),
             is_before(&Job::failed_time, kInstant),
             is_above(&Job::retries, 0)},
        .locked = false,
    };
    EXPECT_EQ(
        text_of(filter),
        "HANDLER_TYPE_ equal send-invoice\n"
        "FAILED_TIME_ before 2026-01-01T00:00:00.001Z\n"
        "RETRIES_ above 0\n"
        "locked no\n"
    );
    EXPECT_EQ(text_of({}), "");
}

TEST(FilterText, Finds_the_same_jobs_again_whatever_was_asked) {
    const std::vector<FieldCondition> asked{
        equals(&Job::handler_type, "a b"),
        equals(&Job::handler_type, ""),
        contains(&Job::exception_message, "line\nanother\\n \\ \x1f end\\"),
        starts_with(&Job::process_instance_id, " order-"),
        ends_with(&Job::process_instance_id, "-1 "),
        is_one_of(&Job::tenant_id, {"a", "", "b\x1f", "c\n"}),
        is_one_of(&Job::tenant_id, {""}),
        is_one_of(&Job::tenant_id, {}),
        is_like_one_of(&Job::handler_type, {"mail", "invoice.*"}),
        is_absent(&Job::tenant_id),
        is_absent(&Job::due_date),
        is_before(&Job::due_date, kInstant),
        is_after(&Job::create_time, kInstant),
        is_above(&Job::retries, -1),
        is_not_above(&Job::attempts, 7),
        {&Job::priority, FieldCondition::Match::not_below, std::int64_t{-5}},
    };
    for (const FieldCondition& condition : asked) {
        const JobFilter filter{.fields = {condition}, .locked = true, .failed = false};
        EXPECT_EQ(filter_in(text_of(filter)), filter) << text_of(filter);
    }
    const JobFilter all{.fields = asked, .only_ours = true};
    EXPECT_EQ(filter_in(text_of(all)), all);
    EXPECT_EQ(filter_in(""), JobFilter{});
}

TEST(FilterText, Terms_come_back_with_all_their_parts) {
    using Kind = JobTerm::Kind;
    const auto payload = [](FieldCondition::Match match, std::variant<std::string, double> value) {
        return JobTerm{
            .kind = Kind::payload,
            .parts = {},
            .leaf = PayloadCondition{{"a b", "\x1f", "0"}, match, std::move(value)}};
    };
    const JobTerm field{
        .kind = Kind::field, .parts = {}, .leaf = is_before(&Job::failed_time, kInstant)};
    const JobFilter filter{
        .fields = {equals(&Job::handler_type, "mail")},
        .locked = true,
        .where =
            {field,
             {.kind = Kind::any,
              .parts =
                  {{.kind = Kind::negated, .parts = {field}},
                   {.kind = Kind::all},
                   {.kind = Kind::locked},
                   {.kind = Kind::failed},
                   payload(FieldCondition::Match::equal, "x\n\x1f\x1f y"),
                   payload(FieldCondition::Match::start, ""),
                   payload(FieldCondition::Match::absent, ""),
                   payload(FieldCondition::Match::not_above, 0.1),
                   payload(FieldCondition::Match::above, -1e99)}}},
    };
    EXPECT_EQ(filter_in(text_of(filter)), filter) << text_of(filter);
}

TEST(FilterText, What_it_does_not_write_is_refused_and_never_means_every_job) {
    for (const char* const text :
         {"COLOUR_ equal red",
          "HANDLER_TYPE_ like x",
          "HANDLER_TYPE_",
          "RETRIES_ above many",
          "RETRIES_ above 1 OR 1=1",
          "DUEDATE_ before tomorrow",
          "locked maybe",
          "where",
          "where\nany 2\nlocked",
          "where\nany 99999999999999999999\nlocked",
          "where\nnot",
          "where\npayload equal order 17",
          "where\npayload above order\x1f\x1fmany",
          "where\nCOLOUR_ equal red",
          "nonsense"}) {
        EXPECT_THROW((void)filter_in(text), DbError) << text;
    }
}

Condition of_dead(const JobFilter& filter) {
    return condition_of(filter, schema::JobPlace::dead_letter, kSqliteDialect);
}

// I8: each database has bounds of its own, and other words for them.
TEST(JobFilterSql, A_filter_of_too_many_conditions_is_refused_with_the_bound) {
    JobFilter filter;
    filter.fields.assign(500, equals(&Job::handler_type, "mail"));
    EXPECT_EQ(of_dead(filter).parameters.size(), 500U);
    filter.fields.push_back(equals(&Job::handler_type, "mail"));
    EXPECT_THAT(
        [&] { (void)of_dead(filter); },
        ThrowsMessage<std::invalid_argument>("a filter has at most 500 conditions, not 501")
    );
}

TEST(JobFilterSql, A_filter_of_too_many_values_is_refused_with_the_bound) {
    std::vector<std::string> types(10'000, "mail");
    const JobFilter full{.fields = {is_one_of(&Job::handler_type, types)}};
    EXPECT_EQ(of_dead(full).parameters.size(), 10'000U);
    types.emplace_back("fax");
    const JobFilter more{.fields = {is_one_of(&Job::handler_type, types)}};
    EXPECT_THAT(
        [&] { (void)of_dead(more); },
        ThrowsMessage<std::invalid_argument>("a filter has at most 10000 values, not 10001")
    );
}

TEST(JobFilterSql, A_filter_looks_into_payloads_so_often_at_most) {
    const JobTerm term{
        .kind = JobTerm::Kind::payload,
        .parts = {},
        .leaf = PayloadCondition{{"order"}, FieldCondition::Match::equal, "17"}};
    JobFilter filter{.where = std::vector<JobTerm>(20, term)};
    EXPECT_EQ(of_dead(filter).sql.find("17"), std::string::npos) << "values are parameters";
    filter.where.push_back(term);
    EXPECT_THAT(
        [&] { (void)of_dead(filter); },
        ThrowsMessage<std::invalid_argument>(
            "a filter has at most 20 conditions on payloads, not 21"
        )
    );
}

ClaimedJobs read(std::string_view text) {
    ClaimedJobs jobs;
    read_claim_text(text, jobs);
    return jobs;
}

TEST(ClaimText, Names_jobs_with_their_revisions) {
    const std::vector<Job> jobs{
        {.id = "a", .revision = 1},
        {.id = "ab", .revision = 12},
        {.id = "abc#;0", .revision = 12},
        {.id = "b", .revision = 1},
        {.id = std::string(64, 'x'), .revision = 1},
        {.id = std::string(63, 'x') + "y", .revision = 1},
    };
    EXPECT_THAT(
        read(claim_text_of(jobs)),
        ElementsAre(
            Pair("a", 1),
            Pair("ab", 12),
            Pair("abc#;0", 12),
            Pair("b", 1),
            Pair(std::string(64, 'x'), 1),
            Pair(std::string(63, 'x') + "y", 1)
        )
    );
}

TEST(ClaimText, Tells_once_what_ids_have_in_common) {
    const std::vector<Job> jobs{
        {.id = "019a0000-0000-7000-8000-000000000001"},
        {.id = "019a0000-0000-7000-8000-000000000002"},
    };
    EXPECT_EQ(claim_text_of(jobs), "0T019a0000-0000-7000-8000-000000000001S12");
}

TEST(ClaimText, May_name_none) {
    EXPECT_EQ(claim_text_of({}), "");
    EXPECT_THAT(read(""), IsEmpty());
}

TEST(ClaimText, Is_refused_when_it_is_none) {
    for (const std::string_view text : {"0", "05", "05abc", "11a", "#1", "#x;01a", " 1a"}) {
        EXPECT_THROW(read(text), DbError) << text;
    }
}

constexpr std::array<Value, 3> kParameters{
    Value{std::string_view("a")},
    Value{std::int64_t{7}},
    Value{std::int64_t{8}}};

TEST(LimitsInText, Numbers_behind_LIMIT_and_OFFSET_stand_in_the_text_and_the_others_stay) {
    const auto plain =
        with_limits_in_text("select '?' from T where A = ? limit\n LIMIT ?  OFFSET ?", kParameters);
    EXPECT_EQ(plain.sql, "select '?' from T where A = ? limit\n LIMIT 7  OFFSET 8");
    ASSERT_EQ(plain.parameters.size(), 1U);
    EXPECT_EQ(std::get<std::string_view>(plain.parameters.front()), "a");
}

TEST(LimitsInText, A_statement_without_any_stays_as_it_is) {
    const std::string_view sql = "UPDATE T SET A = ?, B = ? WHERE C = ? -- LIMIT ?";
    const auto plain = with_limits_in_text(sql, kParameters);
    EXPECT_EQ(plain.sql, sql);
    EXPECT_EQ(plain.parameters.size(), kParameters.size());
}

TEST(LimitsInText, Apps_write_it_in_their_own_way) {
    for (const std::string_view limit :
         {"limit ?, ?", "Limit\n? offset ?", "LIMIT ? , ?", "limit ? OFFSET\t?"}) {
        const auto plain = with_limits_in_text(
            std::string("select 1 from T where LIMITED_ = ? ") + std::string(limit), kParameters
        );
        EXPECT_EQ(plain.parameters.size(), 1U) << plain.sql;
    }
    const auto plain = with_limits_in_text("VALUES (?, ?), (NO_LIMIT ?)", kParameters);
    EXPECT_EQ(plain.parameters.size(), kParameters.size()) << plain.sql;
}

TEST(LimitsInText, What_is_not_understood_stays_as_it_is) {
    const std::string_view sql = R"(SELECT 'it\'s' FROM T WHERE A = ? LIMIT ?)";
    const auto plain = with_limits_in_text(sql, std::span(kParameters).first(2));
    EXPECT_EQ(plain.sql, sql);
    EXPECT_EQ(plain.parameters.size(), 2U);
}

TEST(ManyValues, A_long_list_of_placeholders_is_one_array) {
    const std::string list = with_list_size("(...)", 16);
    const auto [sql, sizes] =
        name_parameters("update T set A_ = ? where B_ IN " + list + " and C_ = ?");
    EXPECT_EQ(sql, "update T set A_ = :1 where B_ = ANY (:2) and C_ = :3");
    EXPECT_THAT(sizes, ElementsAre(1, 16, 1));
}

struct KeptCase {
    std::string before;
    std::size_t list;
    std::string behind;
};

TEST(ManyValues, Other_lists_stay) {
    const std::vector<KeptCase> rows{
        {"A_ IN ", 15, ""},
        {"A_ NOT IN ", 16, ""},
        {"values ", 16, ""},
        {"'A_ IN ", 16, "'"},
    };
    for (const KeptCase& row : rows) {
        const auto [sql, sizes] =
            name_parameters(row.before + with_list_size("(...)", row.list) + row.behind);
        EXPECT_EQ(sql.find("ANY"), std::string::npos) << sql;
        EXPECT_EQ(sizes.size(), row.before.starts_with('\'') ? 0U : row.list) << sql;
    }
    std::string of_app = "A_ IN (?";
    for (int i = 1; i < 20; ++i) {
        of_app += ", ?";
    }
    EXPECT_EQ(name_parameters(of_app + ")").sizes.size(), 20U) << "it may be of any type";
}

TEST(ManyValues, Elements_of_an_array_stand_in_quotes) {
    const std::array<Value, 5> values{
        Value{"a"}, Value{"b\"c\\d"}, Value{}, Value{std::int64_t{-7}}, Value{""}};
    EXPECT_EQ(array_of(values), R"({"a","b\"c\\d",NULL,"-7",""})");
}

TEST(ManyValues, Rows_of_a_copy_leave_out_columns_that_none_uses) {
    constexpr std::array<std::string_view, 4> kColumns{"ID_", "NONE_", "BYTES_", "FLAG_"};
    NewRows rows{.table = "T", .columns = kColumns};
    rows.values = {
        Value{"a\tb"}, Value{}, Value{"x\n"}, Value{true}, Value{"c\\"}, Value{}, Value{}, Value{}};
    const std::vector<std::size_t> named = named_columns(rows, rows.values);
    EXPECT_EQ(copy_statement(rows, named), "COPY T (ID_, BYTES_, FLAG_) FROM STDIN");
    std::string text;
    append_copied_row(text, rows, 0, named);
    append_copied_row(text, rows, 1, named);
    EXPECT_EQ(text, "a\\\tb\t\\\\x780a\t1\nc\\\\\t\\N\t\\N\n");
    EXPECT_FALSE(are_worth_a_copy(rows));
}

}  // namespace

}  // namespace jobstrand::persistence
