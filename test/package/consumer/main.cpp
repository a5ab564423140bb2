#include "schema/job.hpp"

int main() {
    const jobstrand::schema::Job job{.handler_type = "greet"};
    const auto place = jobstrand::schema::place_of_new(job, jobstrand::schema::TimePoint{});
    return place == jobstrand::schema::JobPlace::executable ? 0 : 1;
}
