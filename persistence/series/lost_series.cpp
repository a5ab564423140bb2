#include "persistence/series/lost_series.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

// There is no index: this is for what an operator did by hand.
constexpr std::string_view kSeriesOfTurns = R"sql(
    SELECT TURN_ID_, ID_
    FROM JS_SERIES
    WHERE TURN_ID_ IN (...))sql";

}  // namespace

void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs) {
    if (!transaction.dialect().has_engine) {
        return;
    }
    std::map<std::string_view, schema::Job*> nameless;
    for (schema::Job* const job : jobs) {
        if (!job->repeat.empty() && job->series.empty()) {
            nameless.emplace(job->id, job);
        }
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, job] : nameless) {
        ids.push_back(id);
    }
    for (const auto& [text, parameters] : cut_id_list(kSeriesOfTurns, {.ids = ids})) {
        transaction.query({.sql = text, .columns = 2}, parameters, [&](const Row& row) {
            if (const auto found = nameless.find(row.text(0)); found != nameless.end()) {
                found->second->series = row.text(1);
            }
        });
    }
}

}  // namespace jobstrand::persistence
