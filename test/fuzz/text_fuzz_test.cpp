#include "persistence/batches/filter_text.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/expression.hpp"
#include "schema/job_validation.hpp"
#include "schema/log.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/fuzz/grammar.hpp"
#include "test/timers/times.hpp"
#include "timers/series/series_planner.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/operations/job/job_adding.hpp"
#include "tools/output/record.hpp"
#include "tools/parameters/where_text.hpp"
#include "tools/process/this_process.hpp"
#include "tools/records/job_json.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/settings/settings_text.hpp"
#include "tools/text/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

namespace {

using persistence::DatabaseUrl;
using testing::ElementsAre;

TEST(Grammar, It_draws_every_text_of_its_language_and_no_other) {
    const Grammar grammar(R"(
        greeting ::= <word>, <name>! | <word>.
        word     ::= hello
                   | good day
        name     ::= Ann | Bo
    )");
    Dice dice(1);
    std::set<std::string> drawn;
    for (int i = 0; i < 1000; ++i) {
        drawn.insert(grammar.draw("greeting", dice));
    }
    EXPECT_THAT(
        drawn,
        ElementsAre(
            "good day, Ann!", "good day, Bo!", "good day.", "hello, Ann!", "hello, Bo!", "hello."
        )
    );
}

TEST(Grammar, A_rule_that_calls_itself_comes_to_an_end) {
    const Grammar grammar("list ::= x | (<list><list>) | (<list><list>) | (<list><list>)");
    Dice dice(1);
    for (int i = 0; i < 100; ++i) {
        EXPECT_LT(grammar.draw("list", dice).size(), 2000U);
    }
}

TEST(Grammar, What_cannot_be_seen_has_a_name) {
    const Grammar grammar("text ::= a<blank><tab><cr><nl><nothing>b");
    Dice dice(1);
    EXPECT_EQ(grammar.draw("text", dice), "a \t\r\nb");
}

TEST(Grammar, Pipes_within_a_word_and_signs_of_all_kinds_stand_for_themselves) {
    const Grammar grammar(R"(text ::= a|b="\u0000";x:=y | a|b="\u0000";x:=y)");
    Dice dice(1);
    EXPECT_EQ(grammar.draw("text", dice), R"(a|b="\u0000";x:=y)");
}

TEST(Grammar, Rules_that_cannot_be_meant_are_mistakes) {
    EXPECT_THROW(Grammar("a ::= <b>"), std::invalid_argument);
    EXPECT_THROW(Grammar("| a"), std::invalid_argument);
    EXPECT_THROW(Grammar("a ::= b\nc"), std::invalid_argument);
    Dice dice(1);
    EXPECT_THROW((void)Grammar("a ::= b").draw("b", dice), std::out_of_range);
}

TEST(Grammar, The_same_seed_draws_the_same_texts) {
    const Grammar grammar("text ::= <digit> | <digit><text>\n digit ::= 0 | 1 | 2");
    Dice one(7);
    Dice other(7);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(nearly_valid(grammar, "text", one), nearly_valid(grammar, "text", other));
    }
}

TEST(Grammar, Damage_changes_a_little) {
    const std::string text = "the quick brown fox jumps over the lazy dog";
    Dice dice(1);
    int changed = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string broken = damaged(text, dice);
        changed += broken == text ? 0 : 1;
        EXPECT_LE(broken.size(), text.size() + 3 * 6);
    }
    EXPECT_GT(changed, 900);
    EXPECT_NO_THROW((void)damaged("", dice));
}

const Grammar& expression_grammar() {
    static const Grammar grammar(R"grammar(
    text    ::= <open><value>} | <open><value>}<text> | R<open><value>}/PT5M | plain
    open    ::= ${
    value   ::= 1 | <path> | <literal> | (<value>) | <value> <sign> <value> | <value> ? <value> : <value>
              | !<value> | not <value> | empty <value> | -<value> | <path>(<value>)
    literal ::= 0 | 17 | 0.5 | 1e300 | 9223372036854775807 | 99999999999999999999 | true | false | null | 'VIP' | "a\"b" | 'open
    path    ::= order.priority | order | customer | order['a b'] | items[0].price | items[<value>] | execution.id
              | execution | nothing | ä.ö | order.nothing.at.all | a.
    sign    ::= + | - | * | / | % | div | mod | == | != | < | <= | > | >= | eq | ne | lt | le | gt | ge | && | and | or
              | = | & | ,
    json    ::= {"order":<any>,"customer":<any>,"items":[<any>,<any>]} | {} | [<any>] | <nothing> | <any>
    any     ::= 1 | {"priority":<any>,"a b":<any>} | "VIP" | "\u00e4\ud83d\ude00" | "\ud83d" | -12.5e3 | true | null
              | [<any>] | [] | {} | {"a":} | "open
)grammar");
    return grammar;
}

TEST(ExpressionFuzz, No_expression_crashes_or_reads_beyond_its_job) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(expression_grammar(), "text", dice); },
        [](const std::string& text, Dice& dice) {
            schema::Job job;
            job.payload = nearly_valid(expression_grammar(), "json", dice);
            const auto mistake = schema::mistake_in_expressions(text);
            const auto value = schema::evaluate_text(text, job);
            const auto number = schema::evaluate_number(text, job);
            for (const schema::ParseError* error :
                 {value ? nullptr : &value.error(), number ? nullptr : &number.error()}) {
                if (error != nullptr) {
                    EXPECT_LE(error->position, text.size());
                    EXPECT_FALSE(error->message.empty());
                }
            }
            EXPECT_FALSE(mistake && value) << "what means nothing came to " << value.value();
            return !mistake;
        }
    );
    EXPECT_GT(count.taken, count.texts / 8);
}

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

/// Stands for every password, so that it is seen wherever one is shown.
constexpr std::string_view kSecret = "s3cr3t";

const Grammar& url_grammar() {
    static const Grammar grammar(R"grammar(
    url      ::= sqlite:<path><options> | <server>://<who>@<host>/<name><options> | <server>://<host>/<name>
               | <good> | <good>
    good     ::= sqlite:jobs.db?synchronous=full&busy_timeout=<duration>
               | mysql://<good who>@<good host>/jobs?connect_timeout=<duration>
               | postgresql://<good who>@<good host>/jobs%20x
               | mariadb:///jobs?socket=<path> | postgres://<good who>@/jobs?host=/run<path>
               | mysql://<user>@<good host>/jobs?password_file=<path>
               | mysql://<user>@<good host>/jobs?password_command=/bin/<path>%20s3cr3t
    good who ::= jobs | j%40b | jobs:s3cr3t%40x | jobs:s3cr3t
    good host ::= localhost | 127.0.0.1:3306 | [::1]:5432 | db.example
    server   ::= mysql | postgresql | mysql | postgresql | MySQL | postgres | oracle
    who      ::= jobs | <user> | <user>:<password> | <user>:<password> | <user>:
    user     ::= jobs | j%40b | a%3Ab | <nothing> | %zz | Ünal
    password ::= s3cr3t | s3cr3t%40x | s3cr3t@x | s3cr3t/x | s3cr3t:x | s3cr3t?x=y | %00s3cr3t | s3cr3t#
    host     ::= localhost | localhost:<port> | 127.0.0.1:<port> | [::1] | [::1]:<port> | db.example | db%20x
               | <nothing>
    port     ::= 3306 | 5432 | 0 | 65535 | 65536 | -1 | x | <nothing>
    name     ::= jobs | jobs%20x | a/b | <nothing> | %2F | jobs%00
    path     ::= jobs.db | /var/lib/jobs.db | a b | %2e%2e/x | :memory: | <nothing> | //x | jobs.db%00.txt | %
    options  ::= <nothing> | ?<option> | ?<option>&<option> | ?<option>&<option>&<option> | ?
    option   ::= synchronous=full | synchronous=normal | busy_timeout=PT10S | busy_timeout=<duration>
               | connect_timeout=<duration> | statement_timeout=<duration> | ssl=<ssl> | ssl_ca=/etc/ca.pem
               | sslmode=verify-full | unknown=1 | = | ssl
    duration ::= PT5S | 1000 | PT0S | -1 | PT99999999H | 999999999999999999999 | P1Y | <nothing>
    ssl      ::= off | require | verify | prefer | maybe
)grammar");
    return grammar;
}

bool shows_the_secret(std::string_view text) {
    return text.find(kSecret) != std::string_view::npos;
}

TEST(UrlFuzz, No_database_url_crashes_its_parser_or_shows_its_password) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(url_grammar(), "url", dice); },
        [](const std::string& text, Dice&) {
            const auto read = persistence::parse_database_url(text);
            if (!read) {
                EXPECT_LE(read.error().position, text.size());
                EXPECT_FALSE(read.error().message.empty());
                return false;
            }
            const DatabaseUrl& url = read.value();
            EXPECT_FALSE(url.scheme.empty());
            EXPECT_EQ(persistence::driver_of(url).url.scheme, url.scheme);
            const bool has_server = !url.host.empty() || url.options.contains("socket");
            EXPECT_NE(url.path.empty(), !has_server) << "a file or a server";
            EXPECT_LE(url.port, 65535);
            for (const std::string* part :
                 {&url.path, &url.user, &url.password, &url.host, &url.database}) {
                EXPECT_EQ(part->find('\0'), std::string::npos) << "it would name something else";
            }
            if (!url.password.empty()) {
                DatabaseUrl other = url;
                other.password = "another one";
                EXPECT_EQ(persistence::without_password(url), persistence::without_password(other));
            }
            return true;
        }
    );
    EXPECT_GT(count.taken, count.texts / 8);
}

TEST(UrlFuzz, A_url_in_a_wrong_place_is_shown_without_its_password) {
    Dice dice(timers::test_seed());
    for (int i = 0; i < 5000; ++i) {
        const std::string url =
            url_grammar().draw("server", dice) + "://jobs:" + url_grammar().draw("password", dice) +
            "@" + url_grammar().draw("host", dice) + "/" + url_grammar().draw("name", dice);
        EXPECT_FALSE(shows_the_secret(cli::without_password("--limit must be a number, not " + url))
        ) << url;
        std::string argument = "--db=" + url;
        std::array<char*, 1> arguments{argument.data()};
        cli::hide_passwords(arguments);
        EXPECT_FALSE(shows_the_secret(argument)) << url;
    }
}

const Grammar& settings_grammar() {
    static const Grammar grammar(R"grammar(
    file     ::= <settings> | <settings><nl><commands> | preset = <preset><nl><settings>
               | <settings><nl><commands><nl><commands>
    settings ::= <setting> | <setting><nl><settings> | <setting> # why<nl><settings>
               | <cr><nl><setting><cr><nl><settings>
    setting  ::= DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT
               | DEFAULT | DEFAULT | DEFAULT | <known> = <value> | <known> = <value> | <known>.<key> = <value>
               | "<known>" = <value> | <key> = <value> | db = <url>
    known    ::= SETTING
    value    ::= <number> | <number> | <duration> | <duration> | <flag> | <text> | <list> | <table> | <time>
    number   ::= 8 | 1 | 0 | -1 | 1_000 | 0x10 | 9223372036854775807 | 9223372036854775808 | 1.5 | inf | nan
               | 1e400
    duration ::= "PT30S" | "PT0.5S" | "P1D" | "PT0S" | "P1Y" | "PT" | "30s" | "PT99999999999H"
    flag     ::= true | false | True
    text     ::= "info" | 'warn' | "" | """<nl>long<nl>""" | '''a'b''' | "\u0000" | "\U0001F600" | "R5/PT5M"
               | "PT5M,PT20M, PT3M" | "flowable-6"
    list     ::= [] | ["a", "b"] | [<value>] | [<value>, <value>,] | [[<list>]]
    table    ::= {} | { <key> = <value> } | { <key> = <value>, <key> = <value> } | { <dotted> = 1 }
    time     ::= 1979-05-27T07:32:00Z | 1979-05-27 | 07:32:00 | 25:00:00
    key      ::= x | LANG | "a b" | '' | a-b | ä | 1
    dotted   ::= a | a.<dotted> | "b".<dotted>
    preset   ::= "flowable-6" | "camunda-7" | "quartz" | 6
    url      ::= "sqlite:jobs.db" | "mysql://u:s3cr3t@h/d" | "postgresql://u@h/d?ssl=verify" | "x" | 7
    commands ::= [commands.<name>]<nl><command> | [commands.<name>]<nl><command><nl><command>
               | [commands]<nl><name> = <value> | [<dotted>]<nl><setting> | [[commands]]<nl><command>
    name     ::= thumbnail | "a b" | it | a.b | ""
    command  ::= program = "/bin/true" | program = "/bin/true"<nl>timeLimit = "PT1M"<nl>args = ["a", "b"]
               | program = <program> | program = <program><nl>args = <list>
               | program = <program><nl>timeLimit = <duration> | workingDirectory = <program>
               | environment = <table> | environment = { LANG = "C", JOBSTRAND_X = "1" }
               | timeLimit = <number> | <key> = <value>
    program  ::= "/bin/true" | "/bin/true" | "true" | "" | "/bin/\u0000" | 7
)grammar");
    return grammar;
}

/// A line that sets a setting to what it is anyway.
std::string a_default(Dice& dice) {
    static const std::vector<const cli::Setting*> settings = cli::all_settings();
    static const cli::Settings defaults;
    const cli::Setting& setting = *dice.any_of(settings);
    const std::string value = cli::text_of(defaults, setting);
    const bool is_bare = setting.unit == cli::Unit::flag || setting.unit == cli::Unit::count;
    return std::string(setting.name) + " = " + (is_bare ? value : '"' + value + '"');
}

/// The grammar leaves open which settings there are; their table says it.
std::string with_settings(std::string text, Dice& dice) {
    static const std::vector<std::string_view> names = cli::known_names();
    constexpr std::string_view name = "SETTING";
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        text.replace(at, name.size(), dice.any_of(names));
    }
    constexpr std::string_view line = "DEFAULT";
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at)) {
        text.replace(at, line.size(), a_default(dice));
    }
    return text;
}

/// What `config show` prints is a file that says the same.
void expect_same_settings_again(const cli::Settings& settings) {
    const std::string shown = cli::settings_as_toml(settings);
    // Without its colon it has become a part of the user's name.
    static const std::regex password(":[^@/]*s3cr3t");
    EXPECT_FALSE(std::regex_search(shown, password)) << shown;
    const cli::SettingsFile again = cli::read_settings(shown, "shown");
    for (const std::string& problem : again.problems) {
        ADD_FAILURE() << problem << "\n" << shown;
    }
    EXPECT_EQ(cli::settings_as_toml(again.settings), shown);
}

TEST(TomlFuzz, No_configuration_crashes_its_reader_and_what_is_taken_can_be_shown) {
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text = with_settings(settings_grammar().draw("file", dice), dice);
            return dice.one_in(3) ? damaged(std::move(text), dice) : text;
        },
        [](const std::string& text, Dice&) {
            const cli::SettingsFile file = cli::read_settings(text, "jobstrand.toml");
            for (const std::string& problem : file.problems) {
                EXPECT_TRUE(problem.starts_with("jobstrand.toml:")) << problem;
                EXPECT_LT(problem.size(), 2000U) << problem;
            }
            if (file.problems.empty()) {
                expect_same_settings_again(file.settings);
            }
            return file.problems.empty();
        }
    );
    EXPECT_GT(count.taken, count.texts / 20);
}

TEST(TomlFuzz, No_number_of_parts_of_a_name_exhausts_the_stack_wherever_it_hides) {
    std::string parts;
    for (int i = 0; i < 40'000; ++i) {
        parts += "a.";
    }
    parts += "a";
    for (const std::string& text :
         {parts + " = 1",
          "[" + parts + "]",
          "x = { " + parts + " = 1 }",
          "x = { a = \"\"\"\n' \"\"\", " + parts + " = 1 }",
          "x = { a = '''\n\" ''', " + parts + " = 1 }",
          "\"'\"." + parts + " = 1",
          "x = \"\\\\\" # '\n" + parts + " = 1"}) {
        EXPECT_FALSE(cli::read_settings(text, "f").problems.empty()) << text.substr(0, 40);
    }
}

TEST(TomlFuzz, No_depth_of_brackets_exhausts_the_stack) {
    for (const auto& [open, close] :
         {std::pair{"[", "]"}, {"{a=", "}"}, {"[{a=", "}]"}, {"\"", ""}, {"[[", ""}}) {
        std::string text = "x = ";
        for (int i = 0; i < 50'000; ++i) {
            text += open;
        }
        text += '1';
        for (int i = 0; i < 50'000; ++i) {
            text += close;
        }
        EXPECT_FALSE(cli::read_settings(text, "f").problems.empty()) << open;
    }
}

const Grammar& job_grammar() {
    static const Grammar grammar(R"grammar(
    line    ::= {<type>} | {<type>,<members>} | {<type>, <members>} | { <members> , <type> }
    type    ::= "handlerType":"noop" | "handlerType":"command" | "handlerType" : "send-invoice"
              | "handlerType":<value>
    members ::= <member> | <member>,<members> | <member> ,<tab><members>
    member  ::= "payload":<json> | "payload":{"command":"it","args":[<strings>]} | "id":<name>
              | "correlationId":<name> | "processInstanceId":<name> | "dueDate":<date> | "retries":<number>
              | "priority":<number> | "retryCycle":<cycle> | "exclusive":<flag> | "place":<place>
              | "tenantId":<value> | "uniqueKey":<value> | "onDuplicate":<rule> | "uniqueFor":<period> | "createTime":<date> | "lockOwner":"node-1"
              | "exceptionMessage":<value> | "repeat":<repeat> | "repeat":<repeat>,"zone":<zone>
              | "repeat":<repeat>,"misfire":"smart","overlap":<flag>,"keepData":<flag> | "series":<name>
              | "group":<name> | "calendar":<name> | "misfireThreshold":"PT5M" | "state":"paused"
              | "unknown":<value> | <name>:<value>
    rule    ::= "reject" | "keep" | "replace" | "Keep" | <value>
    period  ::= "PT1H" | "P3660D" | "PT0S" | "P1M" | <value>
    value   ::= null | <json> | <name> | <number> | <flag> | <date>
    name    ::= "a" | "" | "order-17" | "Größe" | "\u0000" | "\ud83d\ude00" | "\ud83d" | "a\n\tb"
              | "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    number  ::= 1 | 0 | -1 | 3 | 2147483648 | -9223372036854775808 | 9223372036854775808 | 1.0 | 1e3 | 01
              | 1e999
    flag    ::= true | false | "true" | 1
    date    ::= "2026-11-20T10:15:30.123Z" | "2126-01-01T00:00:00+05:30" | "1969-12-31T23:59:59Z"
              | "9999-12-31T23:59:59.999Z" | "2026-02-29" | 1789000000
    cycle   ::= "R3/PT1M" | "PT5M,PT20M, PT3M" | "R0/PT1M" | "R/PT1M" | ""
    repeat  ::= "R/PT10M" | "0 0 12 * * ?" | "R3/2026-01-01T00:00Z/P1D" | "0 0 0 30 2 ?" | "R3/P0D" | ""
    zone    ::= "UTC" | "Europe/Berlin" | "Mars/Olympus"
    place   ::= "executable" | "timer" | "external" | "dead" | null
    strings ::= <nothing> | "a" | "a",<strings> | "a\u0000" | 1
    json    ::= 1 | {} | [] | "\"" | {"a":<json>} | [<json>,<json>] | [[<json>]] | {"a":<json>,"b":<json>}
              | 1.10 | {"a":1,"a":2}
)grammar");
    return grammar;
}

/// A job that was taken is the same when it is written and read again.
void expect_same_again(const executor::NewJob& job) {
    const cli::Record record = cli::record_of(
        {.place = schema::JobPlace::executable, .job = job.job}, timers::Zone::utc()
    );
    const std::string text = cli::json_of(record);
    EXPECT_EQ(cli::problem_of_json(text), "") << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << text;
    if (!job.repeats() && job.job.type != schema::kExternalWorkerType) {
        const cli::JobFromJson again = cli::job_from_json(text);
        EXPECT_TRUE(again.problems.empty()) << text << ": " << again.problems.front();
        EXPECT_EQ(again.content.job, job.job) << text;
    }
}

bool try_lines(const std::string& text) {
    static const cli::Settings settings;
    static const cli::JobCheckContext context{
        settings, {{"a", "weekly SUN"}}, timers::at("2026-01-01T12:00Z")};
    std::istringstream stream(text);
    cli::Input input = cli::Input::open(stream, "--from", "-");
    cli::JobLines lines(input, context);
    bool is_taken = false;
    std::int64_t last = 0;
    while (const auto line = lines.next()) {
        EXPECT_GT(line->number, last);
        last = line->number;
        if (line->problems.empty()) {
            is_taken = true;
            EXPECT_TRUE(schema::problems_of(line->job.job).empty());
            expect_same_again(line->job);
        }
        for (const std::string& problem : line->problems) {
            EXPECT_FALSE(problem.empty());
            EXPECT_LT(problem.size(), 1000U);
        }
    }
    return is_taken;
}

TEST(JsonlFuzz, No_line_of_jobs_crashes_its_reader_and_what_is_taken_can_be_written) {
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text = nearly_valid(job_grammar(), "line", dice);
            for (int more = dice.number(0, 2); more > 0; --more) {
                text += '\n' + nearly_valid(job_grammar(), "line", dice);
            }
            return text;
        },
        [](const std::string& text, Dice&) { return try_lines(text); }
    );
    EXPECT_GT(count.taken, count.texts / 10);
}

TEST(JsonlFuzz, Whatever_a_program_prints_only_a_payload_of_its_own_command_is_handed_on) {
    Dice dice(timers::test_seed());
    int handed = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string printed =
            nearly_valid(job_grammar(), dice.one_in(2) ? "json" : "line", dice);
        const auto payload = cli::handed_on(printed, "mine");
        if (payload) {
            ++handed;
            const auto read = cli::parse_command_payload(*payload);
            ASSERT_TRUE(read) << printed;
            EXPECT_EQ(read.value().command, "mine") << printed;
            EXPECT_EQ(cli::handed_on(*payload, "mine"), payload) << printed;
        }
    }
    EXPECT_GT(handed, 300);
}

}  // namespace

}  // namespace jobstrand::test
