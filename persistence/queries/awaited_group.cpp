#include "persistence/rows/sql_operator_store.hpp"
#include "schema/exclusive_group.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

// Which of the two its group is, the nodes' settings say; by both keys the row is found.
constexpr std::string_view kAwaited = R"sql(
    SELECT W.GROUP_, E.LOCK_OWNER_
    FROM JS_WAITING W
    LEFT JOIN JS_EXCLUSIVE E ON E.ID_ = W.GROUP_
    WHERE W.GROUP_ IN (?, ?) AND W.ID_ = ?)sql";

}  // namespace

std::optional<AwaitedGroup> SqlOperatorStore::awaited_group(const schema::Job& job) {
    if (!schema::waits_for_exclusive(job)) {
        return std::nullopt;
    }
    const std::array<Value, 3> parameters{
        schema::exclusive_group(job, schema::ExclusiveOver::instance),
        schema::exclusive_group(job, schema::ExclusiveOver::hierarchy),
        std::string_view(job.id),
    };
    std::optional<AwaitedGroup> found;
    context_.runner.read([&](Connection& connection) {
        found.reset();
        connection.query({.sql = kAwaited, .columns = 2}, parameters, [&](const Row& row) {
            found = {.group = std::string(row.text(0)), .lock_owner = std::string(row.text(1))};
        });
    });
    return found;
}

}  // namespace jobstrand::persistence
