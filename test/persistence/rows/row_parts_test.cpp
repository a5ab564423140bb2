#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::persistence {
namespace {

using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

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

}  // namespace
}  // namespace jobstrand::persistence
