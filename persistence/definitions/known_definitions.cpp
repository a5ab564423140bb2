#include "persistence/definitions/definition_rows.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

namespace {

using schema::JobDefinition;

// What was only recorded says nothing to new jobs.
constexpr std::string_view kThoseThatSay = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOBDEF
    WHERE PRIORITY_ IS NOT NULL OR RETRY_CYCLE_ IS NOT NULL OR EXCLUSIVE_ IS NOT NULL OR
          JOB_PRIORITY_ IS NOT NULL
    ORDER BY ID_
    LIMIT ?)sql";

}  // namespace

KnownDefinitions
EnqueuerStore::known_definitions(Transaction* transaction, schema::SteadyPoint now) {
    if (KnownDefinitions known = context_.definitions.current(now)) {
        return known;
    }
    const std::uint64_t changes = context_.definitions.changes();
    const std::string sql = fmt::format(kThoseThatSay, fmt::arg("columns", kDefinitionColumns));
    const Query query{.sql = sql, .columns = kDefinitionColumnCount};
    const Value most{std::int64_t{schema::kMostJobDefinitions}};
    std::vector<JobDefinition> list;
    const auto add = [&list](const Row& row) { list.push_back(definition_in(row)); };
    if (transaction != nullptr) {
        transaction->query(query, {&most, 1}, add);
    } else {
        context_.runner.read([&](Connection& connection) {
            list.clear();
            connection.query(query, {&most, 1}, add);
        });
    }
    // Who writes the table by SQL may make mistakes, and they must not keep others from enqueueing.
    const std::size_t wrong = std::erase_if(list, [](const JobDefinition& definition) {
        return !schema::mistake_in(definition).empty();
    });
    if (wrong > 0) {
        context_.log.write(
            schema::LogLevel::warn,
            "job definitions are left out: what they say means nothing",
            {{"definitions", wrong}}
        );
    }
    return context_.definitions.replace(
        schema::JobDefinitions(completed(list, context_.definitions.configured())), now, changes
    );
}

}  // namespace jobstrand::persistence
