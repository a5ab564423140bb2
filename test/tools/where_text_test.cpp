#include "tools/parameters/where_text.hpp"

#include "persistence/batches/filter_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

constexpr schema::TimePoint kNow{1'767'225'600'000ms};  // 2026-01-01T00:00:00Z

/// The term with `; ` between the lines by which batches keep it, or what is wrong and where.
std::string read(std::string_view text) {
    const auto term = parse_where(text, [] { return kNow; });
    if (!term) {
        return with_place(std::string(text), term.error()).substr(std::string_view("at ").size());
    }
    std::string lines = persistence::text_of({.where = {term.value()}});
    lines = lines.substr(std::string_view("where\n").size());
    lines.pop_back();
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 2) {
        lines.replace(at, 1, "; ");
    }
    std::ranges::replace(lines, '\x1f', '/');
    return lines;
}

struct Case {
    std::string_view text;
    std::string_view means;
};

void expect(const std::vector<Case>& cases) {
    for (const auto& [text, means] : cases) {
        EXPECT_EQ(read(text), means) << text;
    }
}

TEST(WhereText, A_term_asks_for_a_field) {
    expect({
        {"type:mail", "HANDLER_TYPE_ equal mail"},
        {"type:\"two words\"", "HANDLER_TYPE_ equal two words"},
        {R"(type:"a\"b\\c")", R"(HANDLER_TYPE_ equal a"b\\c)"},
        {"type:mail-*", "HANDLER_TYPE_ start mail-"},
        {"type:\"mail-*\"", "HANDLER_TYPE_ equal mail-*"},
        {"id:a-1", "ID_ equal a-1"},
        {"tenant:a:b", "TENANT_ID_ equal a:b"},
        {"node:n-1", "LOCK_OWNER_ equal n-1"},
        {"message:timeout", "EXCEPTION_MSG_ part timeout"},
        {"error:timeout", "EXCEPTION_MSG_ part timeout"},
        {"retries:0", "RETRIES_ equal 0"},
        {"retries>=3", "RETRIES_ not_below 3"},
        {"priority<-5", "PRIORITY_ before -5"},
        {"priority<=-5", "PRIORITY_ not_above -5"},
        {"priority>7", "PRIORITY_ above 7"},
        {"due<2h", "DUEDATE_ before 2026-01-01T02:00:00.000Z"},
        {"created>2h", "CREATE_TIME_ after 2025-12-31T22:00:00.000Z"},
        {"failed<=\"2 days ago\"", "FAILED_TIME_ before 2025-12-30T00:00:00.000Z"},
        {"is:locked", "locked"},
        {"is:free", "not; locked"},
        {"has:exception", "failed"},
        {"has:tenant", "not; TENANT_ID_ absent "},
    });
}

TEST(WhereText, A_term_asks_for_a_part_of_the_payload) {
    expect({
        {"payload.order:17", "payload equal order//17"},
        {"payload.items.0.sku:A*", "payload start items/0/sku//A"},
        {"payload.sum>=9.5", "payload not_below sum//9.5"},
        {"payload.sum<-1e3", "payload before sum//-1000"},
        {"payload.größe:XL", "payload equal größe//XL"},
        {"has:payload.a", "not; payload absent a//"},
        {"-payload.a.b", "payload absent a/b//"},
        {"payload.a:\"\"", "character 11: a value is missing behind payload.a:"},
        {"payload.:1", "character 1: a path of the payload is such as payload.items.0.name"},
        {"payload.a..b:1", "character 1: a path of the payload is such as payload.items.0.name"},
        {R"(payload.a\:1)", "character 1: a path of the payload is such as payload.items.0.name"},
        {"payload.sum>many", "character 13: behind > stands a number"},
        {"payload.sum>inf", "character 13: behind > stands a number"},
    });
}

TEST(WhereText, Words_without_a_key_stand_in_the_message) {
    expect({
        {"connection refused", "EXCEPTION_MSG_ part connection refused"},
        {"connection AND refused",
         "all 2; EXCEPTION_MSG_ part connection; EXCEPTION_MSG_ part refused"},
        {"\"exit code: 3\"", "EXCEPTION_MSG_ part exit code: 3"},
        {"no \"exit code\"", "all 2; EXCEPTION_MSG_ part no; EXCEPTION_MSG_ part exit code"},
        {"10:30 - late", "EXCEPTION_MSG_ part 10:30 - late"},
        {"-timeout", "not; EXCEPTION_MSG_ part timeout"},
        {"-\"tenant\"", "not; EXCEPTION_MSG_ part tenant"},
        {"\"OR\"", "EXCEPTION_MSG_ part OR"},
        {"\"\"", "character 1: there is nothing between the quotes"},
    });
}

TEST(WhereText, Or_binds_less_than_and) {
    expect({
        {"type:a tenant:b", "all 2; HANDLER_TYPE_ equal a; TENANT_ID_ equal b"},
        {"type:a AND tenant:b", "all 2; HANDLER_TYPE_ equal a; TENANT_ID_ equal b"},
        {"type:a OR tenant:b is:locked",
         "any 2; HANDLER_TYPE_ equal a; all 2; TENANT_ID_ equal b; locked"},
        {"(type:a OR tenant:b) is:locked",
         "all 2; any 2; HANDLER_TYPE_ equal a; TENANT_ID_ equal b; locked"},
        {"NOT type:a", "not; HANDLER_TYPE_ equal a"},
        {"-type:a", "not; HANDLER_TYPE_ equal a"},
        {"-(type:a OR x)", "not; any 2; HANDLER_TYPE_ equal a; EXCEPTION_MSG_ part x"},
        {"NOT NOT is:locked", "locked"},
        {"-tenant", "TENANT_ID_ absent "},
        {"-locked -exception", "all 2; not; locked; not; failed"},
    });
}

TEST(WhereText, Of_a_key_that_is_named_again_one_value_is_enough) {
    expect({
        {"type:a type:b", "any 2; HANDLER_TYPE_ equal a; HANDLER_TYPE_ equal b"},
        {"type:a is:locked type:b*",
         "all 2; any 2; HANDLER_TYPE_ equal a; HANDLER_TYPE_ start b; locked"},
        {"payload.a:1 payload.a:2", "any 2; payload equal a//1; payload equal a//2"},
        {"payload.a:1 payload.b:2", "all 2; payload equal a//1; payload equal b//2"},
        {"-type:a -type:b", "all 2; not; HANDLER_TYPE_ equal a; not; HANDLER_TYPE_ equal b"},
        {"message:a message:b", "all 2; EXCEPTION_MSG_ part a; EXCEPTION_MSG_ part b"},
        {"priority>1 priority<5", "all 2; PRIORITY_ above 1; PRIORITY_ before 5"},
    });
}

TEST(WhereText, A_mistake_is_told_with_its_place_and_what_would_be_right) {
    const std::string quotes = " A part of a message stands between quotes";
    const std::vector<Case> cases{
        {"", "character 1: a term is missing here, such as type:mail"},
        {"type:a OR", "character 10: a term is missing here, such as type:mail"},
        {"()", "character 2: a term is missing here, such as type:mail"},
        {"AND type:a", "character 1: a term is missing before AND"},
        {"type:a NOT", "character 11: a term is missing behind NOT"},
        {"ü (type:a", "character 3: this ( is not closed; in a message it stands between quotes"},
        {"type:a)", "character 7: this ) closes nothing; in a message it stands between quotes"},
        {"type:\"a", "character 6: this quote is not closed"},
        {"is:locked type:", "character 16: a value is missing behind type:"},
        {"type>a", "character 1: type is a text: type:VALUE"},
        {"due:2h", R"(character 1: due is a time: due<2h, due>"2 days ago")"},
        {"due<soon", "character 5: soon is no time, such as 2026-11-20T10:15:30Z or 2h"},
        {"retries>many", "character 9: retries is a whole number, such as retries>=3"},
        {"is:held", "character 4: is:locked or is:free"},
        {"-type", "character 2: every job has a value of type"},
        {"has:tenat",
         "character 5: there is no key tenat; did you mean tenant? Such are has:exception, "
         "has:tenant or has:payload.sum"},
        {"has:everything",
         "character 5: there is no key everything. Such are has:exception, has:tenant or "
         "has:payload.sum"},
        {"a\xff", "character 1: this is not UTF-8, or has a NUL"},
    };
    expect(cases);
    EXPECT_EQ(read("tpye:mail"), "character 1: there is no key tpye; did you mean type?" + quotes);
    EXPECT_EQ(read("-tenat"), "character 2: there is no key tenat; did you mean tenant?" + quotes);
    EXPECT_EQ(
        read("NullPointerException: x"),
        "character 1: there is no key NullPointerException." + quotes
    );
}

TEST(WhereText, Bounds_what_a_database_has_to_read) {
    std::string terms = "x";
    for (std::size_t i = 1; i < kTermsMost; ++i) {
        terms += " OR x";
    }
    EXPECT_TRUE(parse_where(terms, [] { return kNow; }));
    EXPECT_EQ(read(terms + " OR x"), "character 1001: there are 200 terms at most");
    std::string payloads;
    for (std::size_t i = 0; i < kPayloadTermsMost; ++i) {
        payloads += "payload.a:1 ";
    }
    EXPECT_TRUE(parse_where(payloads, [] { return kNow; }));
    EXPECT_EQ(
        read(payloads + "-payload.a"), "character 242: there are 20 terms about payloads at most"
    );
    const std::string deep(100'000, '(');
    EXPECT_EQ(read(deep), "character 31: parentheses and NOT nest 30 deep at most");
    const std::string minus(100'000, '-');
    EXPECT_EQ(read(minus), "character 31: parentheses and NOT nest 30 deep at most");
}

}  // namespace

}  // namespace jobstrand::cli
