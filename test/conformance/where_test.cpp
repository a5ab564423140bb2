#include "persistence/batches/filter_text.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

class Where : public StoreTest {
protected:
    /// The ids in the place of the jobs that the lines of a term mean, by whatever way they are
    /// asked for.
    std::vector<std::string> found(const std::string& term, JobPlace place = JobPlace::executable) {
        const JobFilter filter = persistence::filter_in("where\n" + term);
        const std::vector<std::string> ids = ids_of(store_.jobs().list(place, filter, "", 100));
        EXPECT_EQ(store_.jobs().list_ids(place, filter, "", 100), ids) << term;
        EXPECT_EQ(store_.jobs().count(place, filter), static_cast<std::int64_t>(ids.size()))
            << term;
        EXPECT_EQ(ids_of(store_.jobs().list_in_order(place, filter, {.limit = 100})), ids) << term;
        std::int64_t by_type = 0;
        for (const auto& count : store_.jobs().count_types(place, filter)) {
            by_type += count.jobs;
        }
        EXPECT_EQ(by_type, static_cast<std::int64_t>(ids.size())) << term;
        return ids;
    }

    void insert_payloads(const std::vector<std::pair<std::string, std::string>>& payloads) {
        for (const auto& [id, payload] : payloads) {
            insert(JobPlace::executable, a_job(id).with_payload(payload).build());
        }
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Where,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Where, Alternatives_and_negations_hold_in_every_place_whatever_jobs_do_not_have) {
    for (const JobPlace place : schema::kJobPlaces) {
        const auto name = [&](std::string_view id) {
            return fmt::format("{}-{}", static_cast<int>(place), id);
        };
        std::vector<Job> jobs{
            a_job(name("a")).of_type("mail"), a_job(name("b")).of_type("sms"), a_job(name("c"))};
        jobs[0].tenant_id = "acme";
        jobs[1].exception_message = "no route";
        jobs[2].priority = 7;
        jobs[2].due_date = *jobs[2].create_time + 1h;
        insert(place, jobs);
        const std::string type_is_mail = "HANDLER_TYPE_ equal mail\n";
        const std::string tenant_is_acme = "TENANT_ID_ equal acme\n";
        const auto expect = [&](const std::string& term, std::vector<std::string> ids) {
            std::ranges::transform(ids, ids.begin(), name);
            EXPECT_THAT(found(term, place), ElementsAreArray(ids)) << term;
        };
        expect(type_is_mail, {"a"});
        expect("any 2\n" + type_is_mail + "failed\n", {"a", "b"});
        expect("all 2\n" + type_is_mail + "failed\n", {});
        expect("not\n" + tenant_is_acme, {"b", "c"});
        expect("not\nnot\n" + tenant_is_acme, {"a"});
        expect("not\nEXCEPTION_MSG_ part route\n", {"a", "c"});
        expect("not\nany 2\n" + tenant_is_acme + "EXCEPTION_MSG_ part route\n", {"c"});
        expect("all 2\nnot\n" + tenant_is_acme + "not\nfailed\n", {"c"});
        expect("any 2\nPRIORITY_ equal 7\nHANDLER_TYPE_ start sm\n", {"b", "c"});
        expect("DUEDATE_ after 2026-01-01T00:30:00.000Z\n", {"c"});
        expect("not\nDUEDATE_ after 2026-01-01T00:30:00.000Z\n", {"a", "b"});
        expect("any 2\nlocked\n" + type_is_mail, {"a"});
        expect("not\nlocked\n", {"a", "b", "c"});
        // Only dead letters have such a time, and they have none of a lock.
        expect("FAILED_TIME_ after 2100-01-01T00:00:00.000Z\n", {});
        expect("not\nFAILED_TIME_ after 2100-01-01T00:00:00.000Z\n", {"a", "b", "c"});
        expect("LOCK_OWNER_ absent \n", {"a", "b", "c"});
        expect("not\nLOCK_OWNER_ absent \n", {});
        expect("any 0\n", {});
        expect("all 0\n", {"a", "b", "c"});
    }
}

TEST_P(Where, Terms_narrow_what_the_rest_of_the_filter_means) {
    insert(JobPlace::dead_letter, std::vector<Job>{a_job("a").of_type("mail"), a_job("b")});
    JobFilter filter = persistence::filter_in("where\nany 2\nID_ equal a\nID_ equal b\n");
    filter.fields = {persistence::equals(&Job::handler_type, "mail")};
    EXPECT_THAT(ids_of(store_.jobs().newest_dead_letters(filter, {}, 10)), ElementsAre("a"));
    EXPECT_EQ(store_.jobs().list_failures(filter, "", 10).size(), 1U);
    filter.ids = {"b"};
    EXPECT_THAT(store_.jobs().list_ids(JobPlace::dead_letter, filter, "", 10), IsEmpty());
}

TEST_P(Where, No_text_breaks_a_statement) {
    insert(JobPlace::executable, a_job("a").build());
    for (const std::string text : {"'; --", "\\", "%", "?", ":x", "$1", "😀", "{0}", "\"'`"}) {
        for (const char* const column :
             {"ID_", "HANDLER_TYPE_", "SERIES_", "EXCEPTION_MSG_", "payload"}) {
            const std::string path = std::string(column) == "payload" ? "a\x1f\x1f" : "";
            for (const char* const match : {"equal", "start"}) {
                const std::string term = fmt::format("{} {} {}", column, match, path);
                EXPECT_THAT(found(persistence::text_of({}) + term + text + "\n"), IsEmpty());
            }
        }
    }
    for (const char* const member :
         {"'", "?", "$", "*", "[0]", "{0}", "a b", ":x", "--", "größe"}) {
        EXPECT_THAT(
            found(fmt::format(
                "payload equal {}\x1f\x1f"
                "1\n",
                member
            )),
            IsEmpty()
        );
        EXPECT_THAT(
            found(fmt::format(
                "payload above {}\x1f\x1f"
                "1\n",
                member
            )),
            IsEmpty()
        );
    }
}

const std::vector<std::pair<std::string, std::string>> kPayloads{
    {"big", R"({"order":9007199254740993})"},
    {"list", R"({"order": 18.5, "tags": ["red", {"id": "blue"}], "ok": true})"},
    {"nested", R"({"order":{"id":17}})"},
    {"null", R"({"order":null})"},
    {"number", R"({"order":17})"},
    {"text", R"( { "order" : "17" , "sum" : -0.5e1 } )"},
    {"words", R"({"order":"x \"y\" \u00e9 \ud83d\ude00 :","größe":"XL"})"},
};

TEST_P(Where, A_part_of_a_payload_is_asked_for_as_what_it_is) {
    insert_payloads(kPayloads);
    const auto at = [this](std::string_view what, std::string_view path, std::string_view value) {
        return found(fmt::format("payload {} {}\x1f\x1f{}\n", what, path, value));
    };
    EXPECT_THAT(at("equal", "order", "17"), ElementsAre("number", "text"));
    EXPECT_THAT(at("equal", "order", "9007199254740993"), ElementsAre("big"));
    EXPECT_THAT(at("equal", "order", "9007199254740992"), IsEmpty());
    EXPECT_THAT(at("equal", "order", "x \"y\" é 😀 :"), ElementsAre("words"));
    EXPECT_THAT(at("start", "order", "x \""), ElementsAre("words"));
    EXPECT_THAT(at("equal", "order", "X \"Y\" é 😀 :"), IsEmpty()) << "case counts";
    EXPECT_THAT(at("equal", "größe", "XL"), ElementsAre("words"));
    EXPECT_THAT(at("equal", "order\x1fid", "17"), ElementsAre("nested"));
    EXPECT_THAT(
        at("equal",
           "tags\x1f"
           "0",
           "red"),
        ElementsAre("list")
    );
    EXPECT_THAT(
        at("equal",
           "tags\x1f"
           "1\x1fid",
           "blue"),
        ElementsAre("list")
    );
    EXPECT_THAT(at("equal", "ok", "true"), ElementsAre("list"));
    EXPECT_THAT(at("equal", "order", "null"), IsEmpty());
    EXPECT_THAT(at("not_below", "order", "17"), ElementsAre("big", "list", "number"));
    EXPECT_THAT(at("above", "order", "17"), ElementsAre("big", "list"));
    EXPECT_THAT(at("before", "order", "18"), ElementsAre("number"));
    EXPECT_THAT(at("not_above", "sum", "-5"), ElementsAre("text"));
    EXPECT_THAT(at("absent", "order", ""), ElementsAre("null"));
    EXPECT_THAT(at("absent", "tags", "").size(), kPayloads.size() - 1);
    EXPECT_THAT(
        found("not\npayload equal order\x1f\x1f"
              "17\n"),
        ElementsAre("big", "list", "nested", "null", "words")
    );
}

TEST_P(Where, Payloads_that_are_no_JSON_have_no_parts_and_make_nothing_fail) {
    std::string deep =
        R"({"order":17,"deep":)" + std::string(500, '[') + std::string(500, ']') + "}";
    const std::vector<std::pair<std::string, std::string>> odd{
        {"odd-00", ""},
        {"odd-01", "order 17"},
        {"odd-02", R"({"order":17)"},
        {"odd-03", R"({"order":17} x)"},
        {"odd-04", R"({"order":17,})"},
        {"odd-05", R"({order:17})"},
        {"odd-06", R"({"order":17 "a":1})"},
        {"odd-07", R"(["order",17])"},
        {"odd-08", R"("order")"},
        {"odd-09", "{\"order\":17,\"a\":\"\x01\"}"},
        {"odd-10", R"({'order':17})"},
        {"odd-11", R"({"order":"17})"},
        {"odd-12", "17"},
        {"odd-13", "\"\x01\":"},
    };
    insert_payloads(odd);
    insert_payloads({
        {"hard-1", R"({"a":"\ud800"})"},
        {"hard-2", R"({"a":"\u0000"})"},
        {"hard-3", R"({"a":1e999})"},
        {"hard-4", R"({"a":-1e-999})"},
        {"hard-5", R"({"a":)" + std::string(2'000, '9') + "}"},
        {"hard-6", R"({"a":1,"a":2})"},
        {"hard-7", std::move(deep)},
        {"hard-8", std::string(3'000, '{')},
        {"hard-9", R"({"a":"\x","order":17})"},  // MariaDB takes it.
    });
    insert_payloads({{"one", R"({"order":17})"}});
    const auto ids = found(
        "all 2\npayload equal order\x1f\x1f"
        "17\nnot\nID_ start hard\n"
    );
    EXPECT_THAT(ids, ElementsAre("one"));
    EXPECT_THAT(
        found("all 2\npayload not_below order\x1f\x1f"
              "17\nnot\nID_ start hard\n"),
        ElementsAre("one")
    );
    EXPECT_EQ(found("all 2\npayload absent order\x1f\x1f\nID_ start odd\n").size(), odd.size());
    (void)found(
        "any 2\npayload above a\x1f\x1f"
        "5\npayload start a\x1f\x1f"
        "1\n"
    );
}

TEST_P(Where, A_payload_too_long_for_the_table_matches_neither_a_term_nor_its_negation) {
    const std::string pad(schema::limits::kInlinePayloadLength, 'x');
    insert_payloads({{"long", fmt::format(R"({{"order":17,"pad":"{}"}})", pad)}});
    insert_payloads({{"short", R"({"order":17})"}});
    EXPECT_THAT(
        found("payload equal order\x1f\x1f"
              "17\n"),
        ElementsAre("short")
    );
    EXPECT_THAT(
        found("not\npayload equal order\x1f\x1f"
              "18\n"),
        ElementsAre("short")
    );
    EXPECT_THAT(found("HANDLER_TYPE_ equal noop\n"), ElementsAre("long", "short"));
}

}  // namespace

}  // namespace jobstrand::test
