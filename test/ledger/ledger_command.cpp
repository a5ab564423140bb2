// What the command jobs of a ledger run: writes down that it begins and ends.
//
//     ledger_command FILE MILLISECONDS

#include "test/ledger/ledger.hpp"

#include <cstdio>
#include <cstdlib>

using jobstrand::test::Entry;
using jobstrand::test::Mark;
using jobstrand::test::WrittenLedger;

int main(int count, char** words) {
    if (count != 3) {
        std::fputs("usage: ledger_command FILE MILLISECONDS\n", stderr);
        return 2;
    }
    const Entry entry{
        .job = std::getenv("JOBSTRAND_JOB_ID"),
        .token = std::atoll(std::getenv("JOBSTRAND_FENCING_TOKEN")),
        .attempt = std::atoi(std::getenv("JOBSTRAND_ATTEMPT")),
    };
    const std::chrono::milliseconds time(std::atoi(words[2]));
    WrittenLedger(words[1]).write_run(entry, time, {}, Mark::done);
    return 0;
}
