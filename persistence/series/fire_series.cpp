#include "persistence/history/job_log_page.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series_store.hpp"
#include "schema/series/series_change.hpp"

#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::PlacedJob;

std::optional<std::string> SeriesStore::fire_series(std::string_view key, schema::TimePoint now) {
    const std::string id = context_.ids.next();
    bool is_fired = false;
    const auto fire = [&](Transaction& transaction) {
        std::optional<SeriesAndTurn> locked = with_turn_for_update(transaction, key);
        is_fired = locked && locked->turn;
        if (!is_fired) {
            return;
        }
        Job job = schema::extra_job(std::move(locked->turn->job), locked->series, id, now);
        load_payloads(transaction, std::span(&job, 1));
        store_payloads(transaction, std::span(&job, 1), context_.ids);
        PlacedJob placed{.place = schema::place_of_new(job, now), .job = std::move(job)};
        divert_suspended(transaction, std::span(&placed, 1));
        const PlacedJob* const row = &placed;
        insert_placed(transaction, std::span(&row, 1));
        JobLogPage log(context_.history);
        log.add_created(placed.job, now);
        log.write(transaction);
    };
    context_.runner.run(fire, [&](Transaction& transaction) {
        const std::string_view job = id;
        return find_any(transaction, std::span(&job, 1)).has_value();
    });
    return is_fired ? std::optional(id) : std::nullopt;
}

}  // namespace jobstrand::persistence
