#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_executor_store.hpp"

#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;

// There is no index: this is for what hardly ever happens. No two claims of an owner have the same
// end (executor/loop/job_intake.hpp), and what was renewed has another one.
constexpr std::string_view kClaimed = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB
    WHERE LOCK_OWNER_ = ? AND LOCK_EXP_TIME_ = ?
    ORDER BY ID_)sql";

// Its jobs are free with the next reset of claims.
constexpr std::string_view kEndPageClaim = R"sql(
    UPDATE JS_CLAIM
    SET LOCK_EXP_TIME_ = ?
    WHERE OWNER_ = ? AND ID_ > 0 AND LOCK_EXP_TIME_ = ?)sql";

}  // namespace

std::vector<Job> SqlExecutorStore::take_up(const LockClaim& claim) {
    std::vector<Job> jobs;
    context_.runner.run(
        [&](Transaction& transaction) {
            std::vector<std::string> ids;
            transaction.query(
                {.sql = kClaimed, .columns = 1},
                {claim.owner, claim.until},
                [&](const Row& row) { ids.emplace_back(row.text(0)); }
            );
            const std::vector<std::string_view> list(ids.begin(), ids.end());
            jobs = rows_for_update(transaction, schema::JobPlace::executable, list);
            load_payloads(transaction, jobs);
            transaction.execute(kEndPageClaim, {claim.now, claim.owner, claim.until});
        },
        run_again  // It only reads, but for a claim that ends once more.
    );
    return jobs;
}

}  // namespace jobstrand::persistence
