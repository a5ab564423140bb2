#include "schema/job.hpp"

namespace jobstrand::schema {

JobPlace place_of_new(const Job& job, TimePoint now) {
    if (job.due_date && *job.due_date > now) {
        return JobPlace::timer;
    }
    return job.type == kExternalWorkerType ? JobPlace::external_worker : JobPlace::executable;
}

}  // namespace jobstrand::schema
