#include "tools/jobstrand/commands/doctor/doctor.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

void add_doctor_command(const Command& program, Action& action) {
    (void)add_verb<DoctorOptions>(
        program,
        action,
        {.name = "doctor",
         .summary = "Look whether database, nodes and jobs are healthy, and say what to do (exit "
                    "code 6 if anything is wrong)",
         .examples = "  jobstrand doctor\n"
                     "  jobstrand doctor -o json | jq '.[] | select(.level == \"wrong\")'"},
        diagnose
    );
}

}  // namespace jobstrand::cli
