#include "deadletter/dead_letters.hpp"
#include "deadletter/failure_cause.hpp"
#include "schema/text/utf8.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

namespace {

using schema::JobPlace;
using namespace std::chrono_literals;

struct PatternRow {
    std::string message;
    std::string pattern;
};

class PatternTable : public testing::TestWithParam<PatternRow> {};

TEST_P(PatternTable, What_differs_between_failures_of_one_cause_is_a_placeholder) {
    EXPECT_EQ(failure_pattern(GetParam().message), GetParam().pattern);
    EXPECT_EQ(failure_pattern(GetParam().pattern), GetParam().pattern);
}

const PatternRow kPatterns[] = {
    {"", ""},
    {" \t\r\n ", ""},
    {"connection refused", "connection refused"},
    {"order 17 was refused", "order <*> was refused"},
    {"order17 was refused", "order<*> was refused"},
    {"order-17-item-4 is gone", "order-<*>-item-<*> is gone"},
    {"after 12.5 s, 1,234,567 rows", "after <*> s, <*> rows"},
    {"connect to 10.0.0.1:8080 failed", "connect to <*> failed"},
    {"since 2026-11-24 02:47:29", "since <*> <*>"},
    {"since 2026-11-24T02:47:29.123Z", "since <*>Z"},
    {"job 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 is gone", "job <*> is gone"},
    {"commit 3f2a91bc is bad", "commit <*> is bad"},
    {"at 0x7ffe12ab", "at <*>"},
    {"a bad cafe facade", "a bad cafe facade"},
    {"user 'anna' and \"bob\" and `eve`", "user <*> and <*> and <*>"},
    {"'customer_id'", "'customer_id'"},
    {"no column 'tax.rate'", "no column 'tax.rate'"},
    {"no order 'A17'", "no order <*>"},
    {"'two words' missing", "<*> missing"},
    {"can't, don't and won't", "can't, don't and won't"},
    {"an 'open quotation", "an 'open quotation"},
    {"name '' is empty", "name '' is empty"},
    {"123'abc'", "<*>"},
    {"'abc'123", "<*>"},
    {"'a''b' 'c", "<*> 'c"},
    {"<*>.<*> and <*>.5", "<*>.<*> and <*>"},
    {"failed with exit code 3", "failed with exit code 3"},
    {"status=503, error: 1045", "status=503, error: 1045"},
    {"code 1234567", "code <*>"},
    {"503 Service Unavailable", "<*> Service Unavailable"},
    {"two\nlines\r\n\tof text", "two lines of text"},
    {"nul \\", "nul \\"},
    {"bad \xff\xfe\xc3 bytes", "bad ? bytes"},
    {"größe 7 für Zoë", "größe <*> für Zoë"},
    {"token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "token <*>"},
    {std::string(70, 'x') + " y", "<*> y"},
    {"SQLIntegrityConstraintViolationException", "SQLIntegrityConstraintViolationException"},
};
INSTANTIATE_TEST_SUITE_P(OfMessages, PatternTable, testing::ValuesIn(kPatterns));

// I8: whatever an app writes into its message.
TEST(FailurePattern, Hostile_messages_have_short_patterns_that_are_their_own_patterns) {
    std::mt19937 random(17);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same messages in each run.
    const std::vector<std::string> pieces{
        "'",
        "\"",
        "`",
        "<*>",
        ".",
        ":",
        "-",
        "_",
        "/",
        " ",
        "\n",
        "5",
        "17",
        "abc",
        "n",
        "code ",
        "x1",
        "1x",
        "a1b2",
        "deadbeef",
        "abcdefabcdefabcd",
        "\xff",
        std::string(1, '\0'),
        "ü",
        "\xe2\x82",
        "0x",
        "Z",
        "=",
        "status",
        std::string(40, 'q'),
        "3f2a91bc-"};
    std::uniform_int_distribution<std::size_t> piece(0, pieces.size() - 1);
    std::uniform_int_distribution<int> length(0, 120);
    for (int round = 0; round < 20'000; ++round) {
        std::string message;
        for (int i = length(random); i > 0; --i) {
            message += pieces[piece(random)];
        }
        const std::string pattern = failure_pattern(message);
        ASSERT_LE(pattern.size(), kPatternBytes) << message;
        ASSERT_TRUE(schema::count_characters(pattern)) << message;
        ASSERT_EQ(pattern.find('\n'), std::string::npos) << message;
        ASSERT_EQ(failure_pattern(pattern), pattern) << message;
    }
}

TEST(FailurePattern, A_message_of_a_megabyte_has_a_short_pattern) {
    for (const char c : {'x', '7', ' ', '\'', '\xff', '\n', '-', '('}) {
        const std::string pattern = failure_pattern(std::string(1'000'000, c));
        EXPECT_LE(pattern.size(), kPatternBytes) << c;
        EXPECT_EQ(failure_pattern(pattern), pattern) << c;
    }
}

struct ClassRow {
    std::string message;
    std::string error_class;
    std::string rest;
};

class ClassTable : public testing::TestWithParam<ClassRow> {};

TEST_P(ClassTable, A_message_may_begin_with_the_class_of_its_error) {
    const FailureCause cause = cause_of("mail", GetParam().message);
    EXPECT_EQ(cause, (FailureCause{"mail", GetParam().error_class, GetParam().rest}));
}

const ClassRow kClasses[] = {
    {"java.io.IOException: disk 7 is full", "java.io.IOException", "disk <*> is full"},
    {"java.lang.NullPointerException", "java.lang.NullPointerException", ""},
    {"std::bad_alloc", "std::bad_alloc", ""},
    {"my_app::Http2Error: reset", "my_app::Http2Error", "reset"},
    {"App\\Error: no", "", "App\\Error: no"},
    {"timeout: after 30 s", "timeout", "after <*> s"},
    {"ORA-00942: table is gone", "ORA-00942", "table is gone"},
    {"HTTP 503: try later", "HTTP 503", "try later"},
    {"KeyError: 'customer'", "KeyError", "'customer'"},
    {"command mail failed with exit code 3: no",
     "exit 3",
     "command mail failed with exit code 3: no"},
    {"command mail was ended by signal 9 (Killed)",
     "signal 9",
     "command mail was ended by signal 9 (Killed)"},
    {"command mail was ended at its time limit of PT5S",
     "timeout",
     "command mail was ended at its time limit of PT<*>S"},
    {"target shop answered 500 No: try", "HTTP 500", "target shop answered <*> No: try"},
    {"target shop gave no answer within PT5S",
     "timeout",
     "target shop gave no answer within PT<*>S"},
    {"target shop: Connection refused", "no answer", "target shop: Connection refused"},
    {"target practice is over", "", "target practice is over"},
    {"E1234: no", "E1234", "no"},
    {"503: no", "503", "no"},
    {"17: no", "", "<*>: no"},
    {"host7.example: refused", "", "host<*>.example: refused"},
    {"job17: refused", "", "job<*>: refused"},
    {"the order 17: refused", "", "the order <*>: refused"},
    {"IOError:\n  disk", "IOError", "disk"},
    {"", "", ""},
    {std::string(121, 'x') + ": no", "", "<*>: no"},
};
INSTANTIATE_TEST_SUITE_P(OfMessages, ClassTable, testing::ValuesIn(kClasses));

TEST(FailureCause, Its_id_is_the_same_for_ever_and_another_for_each_part_of_it) {
    const FailureCause cause = cause_of("mail", "IOError: disk 7 is full");
    EXPECT_EQ(id_of(cause), id_of(cause_of("mail", "IOError: disk 8 is full")));
    EXPECT_EQ(id_of(cause), "365d5653fd0c");
    EXPECT_TRUE(is_cause_id(id_of(cause)));
    EXPECT_NE(id_of(cause), id_of(cause_of("fax", "IOError: disk 7 is full")));
    EXPECT_NE(id_of(cause), id_of(cause_of("mail", "OSError: disk 7 is full")));
    EXPECT_NE(id_of(cause), id_of(cause_of("mail", "IOError: disk 7 is slow")));
    EXPECT_NE(id_of({.handler_type = "a", .error_class = "b"}), id_of({.handler_type = "ab"}));
    EXPECT_FALSE(is_cause_id("019c5e2a-8d11-7000-8000-3c8f0a6d1b52"));
    EXPECT_FALSE(is_cause_id("0123456789aG"));
}

/// Dead letters of several causes.
class CauseTest : public AdminTest {
protected:
    void add_dead(
        const std::string& id,
        const std::string& type,
        const std::string& message,
        std::optional<schema::TimePoint> failed = {}
    ) {
        schema::Job job = test::a_job(id).of_type(type);
        job.exception_message = message;
        job.failed_time = failed;
        insert(JobPlace::dead_letter, std::move(job));
    }

    DeadLetters dead_{store_, clock_};
};

TEST_F(CauseTest, Groups_have_their_number_their_times_and_an_example_the_largest_first) {
    const auto now = clock_.now();
    add_dead("a", "mail", "host 7 is away", now - 2h);
    add_dead("b", "mail", "host 8 is away", now - 1h);
    add_dead("c", "mail", "host 9 is away");
    add_dead("d", "fax", "host 9 is away", now);
    insert_all(JobPlace::executable, {"runs"});
    const CauseSummary summary = dead_.causes({});
    ASSERT_EQ(summary.groups.size(), 2U);
    EXPECT_EQ(summary.others, 0);
    const CauseGroup& mail = summary.groups.front();
    EXPECT_EQ(mail.jobs, 3);
    EXPECT_EQ(mail.cause, (FailureCause{"mail", "", "host <*> is away"}));
    EXPECT_EQ(mail.id, id_of(mail.cause));
    EXPECT_EQ(mail.first_failed, now - 2h);
    EXPECT_EQ(mail.last_failed, now - 1h);
    EXPECT_EQ(mail.example, "b");
    EXPECT_EQ(summary.groups.back().example, "d");
}

TEST_F(CauseTest, A_filter_leaves_others_out) {
    add_dead("a", "mail", "x");
    add_dead("b", "fax", "x");
    const auto summary =
        dead_.causes({.fields = {persistence::equals(&schema::Job::handler_type, "fax")}});
    ASSERT_EQ(summary.groups.size(), 1U);
    EXPECT_EQ(summary.groups.front().example, "b");
}

TEST_F(CauseTest, The_watch_sees_how_many_were_read_and_may_stop_it) {
    add_dead("a", "mail", "x");
    BulkCounts seen;
    const auto summary = dead_.causes({}, {.on_page = [&](const BulkCounts& counts) {
                                          seen = counts;
                                          return false;
                                      }});
    EXPECT_EQ(seen, (BulkCounts{.total = 1, .done = 1}));
    EXPECT_EQ(summary.groups.size(), 1U);
}

TEST_F(CauseTest, Of_the_latest_only_it_is_said_how_many_were_looked_at) {
    const auto now = clock_.now();
    add_dead("a", "mail", "x", now - 2h);
    add_dead("b", "mail", "x", now - 1h);
    add_dead("c", "fax", "x", now);
    const CauseSummary two = latest_causes(store_, 2);
    EXPECT_EQ(two.looked_at, 2U);
    ASSERT_EQ(two.groups.size(), 2U);
    EXPECT_EQ(two.groups.front().looked_at, 2U);
    EXPECT_EQ(two.groups.front().jobs, 1);
    const CauseSummary all = latest_causes(store_, 3);
    EXPECT_EQ(all.looked_at, std::nullopt);
    EXPECT_EQ(all.groups.front().jobs, 2);
    EXPECT_EQ(all.groups.front().looked_at, std::nullopt);
}

TEST_F(CauseTest, A_filter_sees_no_more_than_the_latest_whether_they_match_or_not) {
    const auto now = clock_.now();
    add_dead("a", "mail", "x", now - 2h);
    add_dead("b", "fax", "x", now - 1h);
    add_dead("c", "fax", "x", now);
    const persistence::JobFilter mail{
        .fields = {persistence::equals(&schema::Job::handler_type, "mail")}};
    const CauseSummary two = latest_causes(store_, 2, mail);
    EXPECT_TRUE(two.groups.empty());
    EXPECT_EQ(two.looked_at, 2U);
    EXPECT_EQ(latest_causes(store_, 3, mail).groups.size(), 1U);
}

// Flowable's rows.
TEST_F(CauseTest, Those_that_do_not_say_when_they_died_are_not_forgotten) {
    add_dead("a", "mail", "x");
    add_dead("b", "mail", "x");
    add_dead("c", "mail", "x");
    EXPECT_EQ(latest_causes(store_, 2).looked_at, 2U);
    EXPECT_EQ(latest_causes(store_, 2).groups.front().jobs, 2);
    EXPECT_EQ(latest_causes(store_, 3).looked_at, std::nullopt);
}

// I8.
TEST(CauseTallyTest, Causes_beyond_the_bound_are_counted_and_not_kept) {
    CauseTally tally;
    std::string letters(3, 'a');
    for (std::size_t i = 0; i < kCausesKept + 5; ++i) {
        tally.add({.id = "x", .handler_type = letters, .message = "no"});
        for (auto letter = letters.rbegin(); letter != letters.rend() && ++*letter > 'z';
             ++letter) {
            *letter = 'a';
        }
    }
    tally.add({.id = "y", .handler_type = "aaa", .message = "no"});
    const CauseSummary summary = tally.take();
    EXPECT_EQ(summary.groups.size(), kCausesKept);
    EXPECT_EQ(summary.others, 5);
    EXPECT_EQ(summary.groups.front().jobs, 2);
}

}  // namespace

}  // namespace jobstrand::deadletter
