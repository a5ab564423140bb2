#include "schema/job.hpp"

#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using test::a_job;

constexpr TimePoint kToday = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

// R002, R007, R035, R150: an empty due date is due.
TEST(Job, A_new_job_goes_where_its_due_date_and_type_say) {
    struct Row {
        std::string_view type;
        std::optional<TimePoint> due;
        JobPlace place;
    };
    const std::vector<Row> rows{
        {kMessageType, std::nullopt, JobPlace::executable},
        {kMessageType, kToday, JobPlace::executable},
        {kMessageType, kToday + 1ms, JobPlace::timer},
        {kTimerType, kToday - 1ms, JobPlace::executable},
        {kTimerType, kToday + 1ms, JobPlace::timer},
        {kExternalWorkerType, std::nullopt, JobPlace::external_worker},
        {kExternalWorkerType, kToday + 1ms, JobPlace::timer},
    };
    for (const Row& row : rows) {
        Job job = a_job("a").of_kind(row.type);
        job.due_date = row.due;
        EXPECT_EQ(place_of_new(job, kToday), row.place) << row.type;
    }
}

TEST(JobPlace, Words_and_places_belong_together) {
    for (const JobPlace place : kJobPlaces) {
        EXPECT_EQ(place_named(name_of(place)), place);
    }
    EXPECT_EQ(name_of(JobPlace::dead_letter), "dead");
    EXPECT_EQ(place_named("history"), std::nullopt);
    EXPECT_EQ(place_named(""), std::nullopt);
}

TEST(JobPlace, Suspended_jobs_and_dead_letters_cannot_be_locked) {
    std::set<JobPlace> with_lock;
    for (const JobPlace place : kJobPlaces) {
        if (has_lock(place)) {
            with_lock.insert(place);
        }
    }
    EXPECT_EQ(
        with_lock, (std::set{JobPlace::executable, JobPlace::timer, JobPlace::external_worker})
    );
}

}  // namespace
}  // namespace jobstrand::schema
