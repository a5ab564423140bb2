#include "persistence/batches/filter_text.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/log.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/fuzz/fuzz_run.hpp"
#include "timers/series/series_planner.hpp"
#include "tools/parameters/where_text.hpp"

#include <algorithm>
#include <chrono>

namespace jobstrand::test {
namespace {

/// A tilde stands for `<`.
const Grammar& where_grammar() {
    static const Grammar grammar(R"grammar(
    search  ::= <term> | <search> <search> | <search> OR <search> | <search> AND <search> | (<search>)
              | NOT <search> | -<term> | -(<search>)
    term    ::= <text key>:<value> | <time key><sign><time> | <number key><sign><number> | <flag> | <word>
              | payload.<path>:<value> | payload.<path><sign><number> | -payload.<path> | has:payload.<path>
    text key ::= type | tenant | message | series | id | unique-key | node | element-name | tpye
    time key ::= due | created | failed
    number key ::= priority | retries
    sign    ::= > | ~ | >= | ~= | :
    time    ::= 2h | "2 days ago" | 2026-11-20T10:15:30Z | yesterday | soon | 99999999999999999999d
    number  ::= 3 | -5 | 9.5 | 1e3 | 9223372036854775807 | 9223372036854775808 | 1e999 | nan | 0x10
    flag    ::= is:locked | is:free | has:exception | has:tenant | -tenant | -locked | is:held
    value   ::= mail | mail* | "two words" | "a\"b" | 'x' | ? | :x | $1 | %_ | * | "" | ü | ');-- | {0}
    word    ::= timeout | "exit code: 3" | "OR" | -"no" | * | OR | a<tab>b
    path    ::= order | order.id | items.0.sku | größe | $ | * | a'b | a..b | 0 | 99999999999999999999 | [0]
)grammar");
    return grammar;
}

TEST(WhereFuzz, What_is_taken_is_kept_by_batches_and_answered_by_a_database) {
    const SqliteFile file;
    const auto pool = file.open_pool();
    schema::SilentLog log;
    const timers::SeriesPlanner planner;
    persistence::SqlStore store(*pool, log, planner);
    store.enqueuer().insert(
        {{.place = schema::JobPlace::executable,
          .job = a_job("a").with_payload(R"({"order":{"id":17},"items":[{"sku":"x"}]})").build()}}
    );
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text = nearly_valid(where_grammar(), "search", dice);
            std::ranges::replace(text, '~', '<');
            return text;
        },
        [&](const std::string& text, Dice&) {
            const auto term = cli::parse_where(text, [] {
                return schema::TimePoint{std::chrono::hours{24 * 365 * 50}};
            });
            if (!term) {
                EXPECT_LE(term.error().position, text.size());
                EXPECT_FALSE(term.error().message.empty());
                return false;
            }
            const persistence::JobFilter filter{.where = {term.value()}};
            EXPECT_EQ(persistence::filter_in(persistence::text_of(filter)), filter);
            const persistence::JobFilter others{
                .where = {{.kind = persistence::JobTerm::Kind::negated, .parts = {term.value()}}}};
            for (const schema::JobPlace place :
                 {schema::JobPlace::executable, schema::JobPlace::dead_letter}) {
                const std::int64_t all = place == schema::JobPlace::executable ? 1 : 0;
                EXPECT_EQ(
                    store.jobs().count(place, filter) + store.jobs().count(place, others), all
                );
            }
            return true;
        }
    );
    EXPECT_GT(count.taken, count.texts / 20);
}

}  // namespace
}  // namespace jobstrand::test
