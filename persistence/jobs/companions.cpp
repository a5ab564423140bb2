#include "persistence/jobs/companions.hpp"

#include "persistence/jobs/served_condition.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;
using schema::JobPlace;

// Without ORDER BY, so that no database reads all jobs of an instance to sort them: along the index
// they come in its order.
constexpr std::string_view kCompanions = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_instance}
    WHERE PROCESS_INSTANCE_ID_ IN (...) AND ID_ > ? AND LOCK_EXP_TIME_ IS NULL
        AND COALESCE(EXCLUSIVE_, ?) = ? AND {served}
    LIMIT ?
    {skip_locked})sql";

/// The instances that have one exclusive job in the page, ascending.
std::vector<std::string_view> alone_in(const std::vector<Job>& page) {
    std::map<std::string_view, std::size_t> counts;
    for (const Job& job : page) {
        if (job.exclusive && !job.process_instance_id.empty()) {
            ++counts[job.process_instance_id];
        }
    }
    std::vector<std::string_view> alone;
    for (const auto& [instance, count] : counts) {
        if (count == 1) {
            alone.push_back(instance);
        }
    }
    return alone;
}

/// Those of each group that its holder may claim besides the one in the page.
void drop_surplus(std::vector<Job>& companions, ExclusiveOver over) {
    std::map<std::string, std::int64_t, std::less<>> counts;
    std::erase_if(companions, [&](const Job& job) {
        const std::string_view group = schema::exclusive_group(job, over);
        auto count = counts.find(group);
        if (count == counts.end()) {
            count = counts.emplace(group, 1).first;
        }
        return ++count->second > schema::kMostClaimedOfGroup;
    });
}

}  // namespace

void add_companions(
    Transaction& transaction,
    const ServedJobs& served,
    ExclusiveOver over,
    std::size_t room,
    JobRows& page
) {
    const std::vector<std::string_view> instances = alone_in(page.jobs);
    if (room == 0 || instances.empty()) {
        return;
    }
    const Dialect& dialect = transaction.dialect();
    const BoundStatement condition = condition_of(served);
    const std::string sql = fmt::format(
        kCompanions,
        fmt::arg("columns", columns_of(JobPlace::executable)),
        fmt::arg("by_instance", by_index(dialect, schema::kInstanceIndex.index.name)),
        fmt::arg("served", condition.sql),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    const std::string last = page.jobs.back().id;
    IdListParameters parameters{.ids = instances, .after = {std::string_view(last), true, true}};
    parameters.after.insert(
        parameters.after.end(), condition.parameters.begin(), condition.parameters.end()
    );
    parameters.after.emplace_back(static_cast<std::int64_t>(room));
    JobRows companions;
    for (auto& [text, values] : cut_id_list(sql, parameters)) {
        values.back() = static_cast<std::int64_t>(room - companions.jobs.size());
        transaction.query(
            {.sql = text, .columns = fields_of(JobPlace::executable).size()},
            values,
            append_to(companions, JobPlace::executable)
        );
        if (companions.jobs.size() >= room) {
            break;
        }
    }
    // Rows that cannot be read are found again by the page that comes to them.
    std::ranges::sort(companions.jobs, {}, &Job::id);
    drop_surplus(companions.jobs, over);
    std::ranges::move(companions.jobs, std::back_inserter(page.jobs));
}

}  // namespace jobstrand::persistence
