#include "persistence/batches/filter_text.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace jobstrand::test {

namespace {

using persistence::contains;
using persistence::ends_with;
using persistence::equals;
using persistence::is_above;
using persistence::is_absent;
using persistence::is_after;
using persistence::is_before;
using persistence::is_not_above;
using persistence::is_one_of;
using persistence::starts_with;
using testing::ElementsAreArray;

class Listing : public StoreTest {
protected:
    std::vector<std::string>
    list(const JobFilter& filter = {}, std::string_view after = "", std::size_t limit = 100) {
        const std::vector<Job> jobs =
            store_.jobs().list(JobPlace::dead_letter, filter, after, limit);
        if (after.empty() && jobs.size() < limit) {
            EXPECT_EQ(
                store_.jobs().count(JobPlace::dead_letter, filter),
                static_cast<std::int64_t>(jobs.size())
            );
        }
        EXPECT_EQ(
            store_.jobs().list_ids(JobPlace::dead_letter, filter, after, limit), ids_of(jobs)
        );
        return ids_of(jobs);
    }

    std::vector<std::string> list(const persistence::FieldCondition& condition) {
        return list(JobFilter{.fields = {condition}});
    }

    /// Two dead letters that differ in everything.
    void insert_two() {
        Job first = full_job("a");
        first.handler_type = "mail";
        first.exception_message = "Disk FULL: 100 %";
        Job second = a_job("b").due_at(*first.due_date + 2h);
        second.create_time = *first.create_time + 2h;
        insert(JobPlace::dead_letter, {first, second});
    }
};

ON_EVERY_DATABASE(Listing);

TEST_P(Listing, A_page_ends_at_the_limit_and_the_next_begins_behind_it) {
    insert(JobPlace::dead_letter, many_jobs("j", 5));
    EXPECT_THAT(list({}, "", 2), ElementsAre("j000", "j001"));
    EXPECT_THAT(list({}, "j001", 2), ElementsAre("j002", "j003"));
    EXPECT_THAT(list({}, "j003", 2), ElementsAre("j004"));
    EXPECT_THAT(list({}, "j004", 2), IsEmpty());
}

TEST_P(Listing, Each_place_is_listed_apart) {
    insert(a_job("e"));
    insert(JobPlace::dead_letter, a_job("d"));
    EXPECT_THAT(list(), ElementsAre("d"));
    EXPECT_EQ(store_.jobs().count(JobPlace::executable, {}), 1);
    EXPECT_EQ(store_.jobs().count(JobPlace::timer, {}), 0);
}

TEST_P(Listing, Each_field_of_the_filter_narrows_the_list) {
    insert_two();
    const Job first = job("a");
    EXPECT_THAT(list(equals(&Job::handler_type, "mail")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::process_instance_id, "instance")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::process_definition_id, "definition")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::element_id, "element")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::category, "category")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::tenant_id, "tenant")), ElementsAre("a"));
    EXPECT_THAT(list(equals(&Job::correlation_id, "b")), ElementsAre("b"));
    EXPECT_THAT(list(is_before(&Job::create_time, *first.create_time + 1h)), ElementsAre("a"));
    EXPECT_THAT(list(is_after(&Job::create_time, *first.create_time + 1h)), ElementsAre("b"));
    EXPECT_THAT(list(is_before(&Job::due_date, *first.due_date + 1h)), ElementsAre("a"));
    EXPECT_THAT(list(is_after(&Job::due_date, *first.due_date + 1h)), ElementsAre("b"));
    EXPECT_THAT(list({.ids = {"b", "none", "b"}}), ElementsAre("b"));
}

TEST_P(Listing, All_fields_of_the_filter_must_match) {
    insert_two();
    EXPECT_THAT(
        list({.ids = {"a", "b"}, .fields = {equals(&Job::handler_type, "mail")}}), ElementsAre("a")
    );
    EXPECT_THAT(list({.ids = {"b"}, .fields = {equals(&Job::handler_type, "mail")}}), IsEmpty());
}

TEST_P(Listing, A_part_of_the_error_message_matches_when_its_case_does) {
    insert_two();
    EXPECT_THAT(list(contains(&Job::exception_message, "FULL: 100 %")), ElementsAre("a"));
    EXPECT_THAT(list(contains(&Job::exception_message, "full")), IsEmpty());
    EXPECT_THAT(list(contains(&Job::exception_message, "D_sk")), IsEmpty());
}

TEST_P(Listing, Jobs_of_a_place_without_the_column_never_match) {
    insert_two();
    EXPECT_THAT(list(equals(&Job::lock_owner, "node")), IsEmpty());
}

TEST_P(Listing, A_text_may_start_or_end_with_something_be_one_of_several_or_be_missing) {
    insert_two();
    EXPECT_THAT(list(starts_with(&Job::exception_message, "Disk")), ElementsAre("a"));
    EXPECT_THAT(list(starts_with(&Job::exception_message, "FULL")), IsEmpty());
    EXPECT_THAT(list(ends_with(&Job::handler_type, "ail")), ElementsAre("a"));
    EXPECT_THAT(list(ends_with(&Job::handler_type, "mai")), IsEmpty());
    EXPECT_THAT(list(ends_with(&Job::handler_type, "email")), IsEmpty());
    EXPECT_THAT(list(ends_with(&Job::handler_type, "AIL")), IsEmpty());
    EXPECT_THAT(list(is_one_of(&Job::handler_type, {"mail", "other"})), ElementsAre("a"));
    EXPECT_THAT(list(is_one_of(&Job::handler_type, {})), IsEmpty());
    EXPECT_THAT(list(is_absent(&Job::process_instance_id)), ElementsAre("b"));
    EXPECT_THAT(list(is_absent(&Job::tenant_id)), ElementsAre("b"));
    Job third = a_job("c");
    third.due_date.reset();
    insert(JobPlace::dead_letter, third);
    EXPECT_THAT(list(is_absent(&Job::due_date)), ElementsAre("c"));
}

TEST_P(Listing, Numbers_and_failures_are_asked_for) {
    const Job without = a_job("a").with_retries(0);
    Job with_message = a_job("b").with_retries(2);
    with_message.exception_message = "no disk";
    insert({without, with_message});
    const auto listed = [this](const JobFilter& filter) {
        return ids_of(store_.jobs().list(JobPlace::executable, filter, "", 10));
    };
    EXPECT_THAT(listed({.fields = {is_above(&Job::retries, 0)}}), ElementsAre("b"));
    EXPECT_THAT(listed({.fields = {is_not_above(&Job::retries, 0)}}), ElementsAre("a"));
    EXPECT_THAT(listed({.failed = true}), ElementsAre("b"));
    EXPECT_THAT(listed({.failed = false}), ElementsAre("a"));
}

TEST_P(Listing, A_list_may_be_in_another_order_where_no_value_comes_last) {
    const schema::TimePoint noon = clock_.now();
    std::vector<Job> jobs{
        a_job("a").due_at(noon + 2h),
        a_job("b").due_at(noon + 1h),
        a_job("c"),
        a_job("d").due_at(noon + 1h)};
    insert(JobPlace::dead_letter, jobs);
    const auto in_order = [&](const persistence::SortedPart& part) {
        return ids_of(store_.jobs().list_in_order(JobPlace::dead_letter, {}, part));
    };
    EXPECT_THAT(in_order({.by = &Job::due_date}), ElementsAre("b", "d", "a", "c"));
    EXPECT_THAT(
        in_order({.by = &Job::due_date, .is_descending = true}), ElementsAre("a", "d", "b", "c")
    );
    EXPECT_THAT(in_order({.by = &Job::due_date, .skipped = 1, .limit = 2}), ElementsAre("d", "a"));
    EXPECT_THAT(in_order({.is_descending = true, .limit = 1}), ElementsAre("d"));
    EXPECT_THAT(in_order({.by = &Job::retries, .limit = 2}), ElementsAre("a", "b"))
        << "dead letters have no retries";
    EXPECT_THAT(
        ids_of(store_.jobs().list_in_order(
            JobPlace::dead_letter, {.fields = {is_after(&Job::due_date, noon + 90min)}}, {}
        )),
        ElementsAre("a")
    );
}

TEST_P(Listing, A_sorted_list_goes_on_behind_a_job_that_may_have_gone) {
    const schema::TimePoint noon = clock_.now();
    std::vector<Job> jobs;
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
        jobs.push_back(a_job(id));
    }
    jobs[0].due_date = noon + 2h;
    jobs[1].due_date = noon + 1h;
    jobs[2].due_date.reset();
    jobs[3].due_date = noon + 1h;
    jobs[4].due_date.reset();
    jobs[5].due_date = noon + 3h;
    insert(JobPlace::dead_letter, jobs);
    for (const bool is_descending : {false, true}) {
        const auto whole = store_.jobs().list_in_order(
            JobPlace::dead_letter, {}, {.by = &Job::due_date, .is_descending = is_descending}
        );
        ASSERT_EQ(whole.size(), 6U);
        for (std::size_t seen = 1; seen <= 6; ++seen) {
            const auto rest = store_.jobs().list_in_order(
                JobPlace::dead_letter,
                {},
                {.by = &Job::due_date, .is_descending = is_descending, .behind = whole[seen - 1]}
            );
            EXPECT_THAT(
                ids_of(rest),
                testing::ElementsAreArray(
                    ids_of({whole.begin() + static_cast<std::ptrdiff_t>(seen), whole.end()})
                )
            ) << seen;
            const auto skipped = store_.jobs().list_in_order(
                JobPlace::dead_letter,
                {},
                {.by = &Job::due_date, .is_descending = is_descending, .skipped = seen}
            );
            EXPECT_EQ(ids_of(skipped), ids_of(rest)) << seen;
        }
    }
    const auto behind_none = [&](const schema::JobMember& by) {
        return ids_of(store_.jobs().list_in_order(
            JobPlace::dead_letter, {}, {.by = by, .limit = 1, .behind = Job{.id = "bb"}}
        ));
    };
    EXPECT_THAT(behind_none(&Job::due_date), ElementsAre("c"));
    EXPECT_THAT(behind_none(&Job::retries), ElementsAre("c")) << "dead letters have no retries";
    EXPECT_THAT(behind_none(&Job::id), ElementsAre("c"));
    EXPECT_THAT(behind_none(&Job::tenant_id), ElementsAre("c")) << "an empty text is none";
}

TEST_P(Listing, A_filter_may_end_at_an_id) {
    insert(JobPlace::dead_letter, many_jobs("j", 5));
    EXPECT_THAT(list({.up_to = "j001"}), ElementsAre("j000", "j001"));
    EXPECT_THAT(list({.up_to = "j0015"}, "j000"), ElementsAre("j001"));
    EXPECT_THAT(list({.fields = {equals(&Job::handler_type, "none")}, .up_to = "j003"}), IsEmpty());
    const auto types = store_.jobs().count_types(JobPlace::dead_letter, {.up_to = "j002"});
    ASSERT_EQ(types.size(), 1U);
    EXPECT_EQ(types.front().jobs, 3);
}

TEST_P(Listing, Lock_owners_are_counted_up_to_an_id) {
    for (const char* const id : {"a", "b", "c"}) {
        (void)insert_and_acquire(a_job(id));
    }
    ASSERT_EQ(store_.jobs().count_lock_owners("").size(), 1U);
    EXPECT_EQ(store_.jobs().count_lock_owners("").front().jobs, 3);
    EXPECT_EQ(store_.jobs().count_lock_owners("b").front().jobs, 2);
    EXPECT_THAT(store_.jobs().count_lock_owners("0"), IsEmpty());
}

TEST_P(Listing, A_mark_ahead_is_where_a_list_stands_behind_so_many_rows_if_there_are_more) {
    insert(JobPlace::dead_letter, many_jobs("j", 3));
    const schema::TimePoint noon = clock_.now();
    std::vector<Job> timers{
        a_job("a").due_at(noon + 2h),
        a_job("b").due_at(noon + 1h),
        a_job("c").due_at(noon + 1h),
        a_job("d")};
    insert(JobPlace::timer, timers);
    const auto mark = [&](JobPlace place, const persistence::SortedPart& part) {
        const auto found = store_.jobs().mark_ahead(place, part);
        return found ? found->id : "none";
    };
    EXPECT_EQ(mark(JobPlace::dead_letter, {.limit = 2}), "j001");
    EXPECT_EQ(mark(JobPlace::dead_letter, {.limit = 3}), "none") << "there are no more";
    EXPECT_EQ(mark(JobPlace::dead_letter, {.limit = 1, .behind = Job{.id = "j000"}}), "j001");
    EXPECT_EQ(mark(JobPlace::dead_letter, {.limit = 2, .behind = Job{.id = "j000"}}), "none");
    EXPECT_EQ(mark(JobPlace::suspended, {.limit = 1}), "none");
    EXPECT_EQ(mark(JobPlace::timer, {.by = &Job::due_date, .limit = 2}), "c");
    EXPECT_EQ(mark(JobPlace::timer, {.by = &Job::due_date, .skipped = 1, .limit = 1}), "c");
    EXPECT_EQ(mark(JobPlace::timer, {.by = &Job::due_date, .limit = 1, .behind = timers[1]}), "c");
    EXPECT_EQ(mark(JobPlace::timer, {.by = &Job::due_date, .limit = 3}), "none")
        << "one without a date does not count";
    const persistence::SortedPart latest{.by = &Job::due_date, .is_descending = true, .limit = 1};
    EXPECT_EQ(mark(JobPlace::timer, latest), "a");
    EXPECT_EQ(store_.jobs().mark_ahead(JobPlace::timer, latest)->due_date, noon + 2h);
}

TEST_P(Listing, Sorted_texts_and_numbers_go_on_behind_equal_ones) {
    std::vector<Job> jobs{
        a_job("a").of_tenant("z"),
        a_job("b").of_tenant("y").with_priority(std::numeric_limits<std::int64_t>::min()),
        a_job("c").of_tenant("y"),
        a_job("d")};
    insert(jobs);
    const auto behind = [&](const schema::JobMember& by, const Job& last) {
        return ids_of(
            store_.jobs().list_in_order(JobPlace::executable, {}, {.by = by, .behind = last})
        );
    };
    EXPECT_THAT(behind(&Job::tenant_id, jobs[1]), ElementsAre("c", "a", "d"));
    EXPECT_THAT(behind(&Job::tenant_id, jobs[0]), ElementsAre("d"));
    EXPECT_THAT(behind(&Job::tenant_id, jobs[3]), IsEmpty());
    EXPECT_THAT(behind(&Job::priority, jobs[1]), ElementsAre("a", "c", "d"));
}

TEST_P(Listing, Numbers_are_asked_for_by_their_least_and_their_most) {
    std::vector<Job> jobs{
        a_job("a").with_priority(-5), a_job("b").with_priority(0), a_job("c").with_priority(5)};
    insert(JobPlace::dead_letter, jobs);
    const auto within = [&](std::int64_t least, std::int64_t most) {
        using Match = persistence::FieldCondition::Match;
        return list(
            {.fields =
                 {{&Job::priority, Match::not_below, least},
                  {&Job::priority, Match::not_above, most}}}
        );
    };
    EXPECT_THAT(within(0, 5), ElementsAre("b", "c"));
    EXPECT_THAT(within(-5, -1), ElementsAre("a"));
    EXPECT_THAT(within(6, 9), IsEmpty());
}

TEST_P(Listing, Texts_are_asked_for_by_one_of_several_or_the_beginning_of_one) {
    std::vector<Job> jobs{
        a_job("a").of_type("mail"),
        a_job("b").of_type("mail.sent"),
        a_job("c").of_type("invoice.paid"),
        a_job("d").of_type("invoice")};
    insert(JobPlace::dead_letter, jobs);
    const auto like = [&](std::vector<std::string> texts) {
        return list(persistence::is_like_one_of(&Job::handler_type, std::move(texts)));
    };
    EXPECT_THAT(like({"mail", "invoice.*"}), ElementsAre("a", "c"));
    EXPECT_THAT(like({"invoice*"}), ElementsAre("c", "d"));
    EXPECT_THAT(like({"%*"}), IsEmpty());
    EXPECT_THAT(like({}), IsEmpty());
}

TEST_P(Listing, A_filter_is_never_read_as_SQL) {
    insert_two();
    EXPECT_THAT(list(equals(&Job::handler_type, "mail' OR 'a' = 'a")), IsEmpty());
}

TEST_P(Listing, Locked_jobs_are_found_only_where_there_are_locks) {
    insert_and_acquire(a_job("held"));
    insert(a_job("free"));
    insert(JobPlace::dead_letter, a_job("dead"));
    const auto listed = [this](JobPlace place, bool locked) {
        return ids_of(store_.jobs().list(place, {.locked = locked}, "", 10));
    };
    EXPECT_THAT(listed(JobPlace::executable, true), ElementsAre("held"));
    EXPECT_THAT(listed(JobPlace::executable, false), ElementsAre("free"));
    EXPECT_THAT(listed(JobPlace::dead_letter, true), IsEmpty());
    EXPECT_THAT(listed(JobPlace::dead_letter, false), ElementsAre("dead"));
}

TEST_P(Listing, A_filter_may_name_more_ids_than_a_statement_takes) {
    insert(JobPlace::dead_letter, many_jobs("j", 600));
    JobFilter filter;
    for (const Job& one : many_jobs("j", 900)) {
        filter.ids.push_back(one.id);
    }
    EXPECT_EQ(list(filter, "", 1000).size(), 600U);
    EXPECT_EQ(list(filter, "", 550).size(), 550U);
    EXPECT_EQ(list(filter, "j009", 1000).size(), 590U);
}

TEST_P(Listing, A_job_is_found_in_every_place_with_all_that_the_place_stores) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        const Job stored = insert(place, full_job(id));
        const auto found = store_.jobs().find(id);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->place, place);
        Job expected = stored;
        expected.retries = place == JobPlace::dead_letter ? 0 : stored.retries;
        EXPECT_EQ(found->job, expected);
    }
    EXPECT_EQ(store_.jobs().find("none"), std::nullopt);
}

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

    /// The line of a term about a part of the payload.
    static std::string
    payload(std::string_view match, std::string_view path, std::string_view value) {
        return fmt::format("payload {} {}\x1f\x1f{}\n", match, path, value);
    }

    void insert_payloads(const std::vector<std::pair<std::string, std::string>>& payloads) {
        for (const auto& [id, payload] : payloads) {
            insert(a_job(id).with_payload(payload));
        }
    }
};

ON_EVERY_DATABASE(Where);

TEST_P(Where, Alternatives_and_negations_hold_in_every_place_whatever_jobs_do_not_have) {
    for (const JobPlace place : schema::kJobPlaces) {
        const auto name = [&](std::string_view id) {
            return fmt::format("{}-{}", static_cast<int>(place), id);
        };
        std::vector<Job> jobs{
            a_job(name("a")).of_type("mail").of_tenant("acme"),
            a_job(name("b")).of_type("sms"),
            a_job(name("c")).with_priority(7)};
        jobs[1].exception_message = "no route";
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
    insert(JobPlace::dead_letter, {a_job("a").of_type("mail"), a_job("b")});
    JobFilter filter = persistence::filter_in("where\nany 2\nID_ equal a\nID_ equal b\n");
    filter.fields = {persistence::equals(&Job::handler_type, "mail")};
    EXPECT_THAT(ids_of(store_.jobs().newest_dead_letters(filter, {}, 10)), ElementsAre("a"));
    EXPECT_EQ(store_.jobs().list_failures(filter, "", 10).size(), 1U);
    filter.ids = {"b"};
    EXPECT_THAT(store_.jobs().list_ids(JobPlace::dead_letter, filter, "", 10), IsEmpty());
}

TEST_P(Where, No_text_breaks_a_statement) {
    insert(a_job("a"));
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
        EXPECT_THAT(found(payload("equal", member, "1")), IsEmpty());
        EXPECT_THAT(found(payload("above", member, "1")), IsEmpty());
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
        return found(payload(what, path, value));
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
        found("not\n" + payload("equal", "order", "17")),
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
    for (const std::string_view match : {"equal", "not_below"}) {
        const std::string is_17 = payload(match, "order", "17");
        EXPECT_THAT(found("all 2\n" + is_17 + "not\nID_ start hard\n"), ElementsAre("one"));
    }
    EXPECT_EQ(found("all 2\npayload absent order\x1f\x1f\nID_ start odd\n").size(), odd.size());
    (void)found("any 2\n" + payload("above", "a", "5") + payload("start", "a", "1"));
}

TEST_P(Where, A_payload_too_long_for_the_table_matches_neither_a_term_nor_its_negation) {
    const std::string pad(schema::limits::kInlinePayloadLength, 'x');
    insert_payloads({{"long", fmt::format(R"({{"order":17,"pad":"{}"}})", pad)}});
    insert_payloads({{"short", R"({"order":17})"}});
    EXPECT_THAT(found(payload("equal", "order", "17")), ElementsAre("short"));
    EXPECT_THAT(found("not\n" + payload("equal", "order", "18")), ElementsAre("short"));
    EXPECT_THAT(found("HANDLER_TYPE_ equal noop\n"), ElementsAre("long", "short"));
}

}  // namespace

}  // namespace jobstrand::test
