#include "test/simulation/simulation.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>
#include <utility>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kNodes = 3;
constexpr int kWorkers = 3;
constexpr int kDeepest = 6;
constexpr int kStepsWithFaults = 250;
constexpr int kStepsOfCalm = 20'000;

}  // namespace

Simulation::Simulation(std::uint64_t seed, Broken broken, bool tells)
    : dice_(seed),
      takes_along_(seed % 2 == 1),
      tells_(tells),
      store_(
          broken,
          {.before = [this] { before_operation(); },
           .after = [this] { after_operation(); },
           .on_end =
               [this](const schema::Job& job) {
                   tell("the database takes the end of {} token {}", job.id, job.revision);
                   ledger_.ends.push_back(
                       {.job = job.id, .token = job.revision, .at = next_instant()}
                   );
               }}
      ) {
    for (const char* const type : {"plain", "flaky"}) {
        handlers_.add(type, [this](const executor::JobContext& context) {
            return handle(context);
        });
    }
    add_jobs();
    for (std::size_t i = 0; i < kNodes; ++i) {
        add_node();
    }
}

template <typename... Parts>
void Simulation::tell(const char* format, const Parts&... parts) {
    if (tells_) {
        const auto now = clock_.steady_now().time_since_epoch().count();
        story_.push_back(fmt::format("{} {}", now, fmt::format(fmt::runtime(format), parts...)));
    }
}

void Simulation::add_jobs() {
    const std::size_t count = 4 + draw(8);
    for (std::size_t i = 0; i < count; ++i) {
        schema::Job job{.id = fmt::format("j{:02}", i)};
        job.handler_type = draw(5) == 0 ? "flaky" : "plain";
        if (draw(2) == 0) {
            job.process_instance_id = fmt::format("i{}", draw(2));
        }
        ledger_.jobs.push_back(job.id);
        store_.add(std::move(job));
    }
}

void Simulation::add_node() {
    std::string name = fmt::format("n{}", places_.size());
    ledger_.nodes.emplace_back();
    places_.push_back(
        {.node = std::make_unique<SimulatedNode>(
             std::move(name),
             SimulatedNode::Settings{.instances_together = takes_along_},
             store_,
             handlers_,
             clock_
         )}
    );
}

Findings Simulation::run() {
    for (int i = 0; i < kStepsWithFaults && store_.size() > 0; ++i) {
        step();
    }
    is_calm_ = true;
    tell("calm");
    for (int i = 0; i < kStepsOfCalm && store_.size() > 0; ++i) {
        step();
    }
    return check(ledger_);
}

void Simulation::step() {
    if (is_calm_ || !happens(60)) {
        act();
    } else if (const auto alive = movable(); !alive.empty()) {
        const std::size_t at = alive[draw(alive.size())];
        switch (draw(4)) {
            case 0:
                return kill(at);
            case 1:
            case 2:
                return freeze(at);
            default:
                away_until_ = clock_.steady_now() + std::chrono::milliseconds(draw(4000));
                tell("the database is away");
        }
    }
}

void Simulation::act() {
    const auto alive = movable();
    if (alive.empty()) {
        return pass_time();
    }
    const std::size_t at = alive[draw(alive.size())];
    Place& place = places_[at];
    const bool can_run = place.node->has_queued() && place.runs < kWorkers && depth_ < kDeepest;
    const std::size_t before = std::exchange(acting_, at);
    if (can_run && draw(2) == 0) {
        SimulatedNode& node = *place.node;
        ++place.runs;
        ++depth_;
        node.run_next();
        --depth_;
        --places_[at].runs;
    } else if (!place.node->run_due_activity(draw(1000)) && draw(3) == 0) {
        pass_time();
    }
    acting_ = before;
}

void Simulation::kill(std::size_t at) {
    tell("{} dies", places_[at].node->lock_owner());
    places_[at].node->die();
    ledger_.nodes[at].died = next_instant();
    add_node();
}

void Simulation::freeze(std::size_t at) {
    tell("{} freezes", places_[at].node->lock_owner());
    places_[at].frozen_until = clock_.steady_now() + std::chrono::milliseconds(draw(8000));
    ledger_.nodes[at].frozen.push_back({.from = next_instant(), .until = Instant::max()});
}

bool Simulation::is_frozen(const Place& place) const {
    return clock_.steady_now() < place.frozen_until;
}

std::vector<std::size_t> Simulation::movable() const {
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < places_.size(); ++at) {
        if (!places_[at].node->is_dead() && !is_frozen(places_[at])) {
            all.push_back(at);
        }
    }
    return all;
}

// To where the next thing is to be done: whoever moves is never late.
void Simulation::pass_time() {
    const schema::SteadyPoint now = clock_.steady_now();
    schema::SteadyPoint next = now + 100ms;
    for (const std::size_t at : movable()) {
        next = std::min(next, places_[at].node->next_pass());
    }
    next = std::max(next, now + 1ms);
    clock_.tick(std::chrono::ceil<schema::Duration>(next - now));
    (void)store_.move_due_timers(clock_.now());
    for (std::size_t at = 0; at < places_.size(); ++at) {
        auto& frozen = ledger_.nodes[at].frozen;
        if (!frozen.empty() && frozen.back().until == Instant::max() && !is_frozen(places_[at])) {
            frozen.back().until = next_instant();
        }
    }
}

executor::HandlerResult Simulation::handle(const executor::JobContext& context) {
    const std::size_t at = acting_;
    const bool fails = context.job.handler_type == "flaky" && context.attempt == 1;
    const std::size_t run = ledger_.runs.size();
    ledger_.runs.push_back(
        {.job = context.job.id,
         .token = context.fencing_token,
         .attempt = context.attempt,
         .instance = context.job.process_instance_id,
         .node = at,
         .began = next_instant()}
    );
    tell(
        "{} begins {} token {}",
        places_[at].node->lock_owner(),
        context.job.id,
        context.fencing_token
    );
    const auto end = [&] {
        if (!ledger_.runs[run].ended && !places_[at].node->is_dead()) {
            ledger_.runs[run].ended = next_instant();
            ledger_.runs[run].failed = fails;
            tell("{} token {} ends", context.job.id, context.fencing_token);
        }
    };
    const std::stop_callback stops(context.stop, end);
    for (std::size_t steps = draw(40);
         !places_[at].node->is_dead() && !context.stop.stop_requested() &&
         (steps > 0 || is_frozen(places_[at]));
         steps -= steps > 0 ? 1 : 0) {
        step();
    }
    while (!places_[at].node->is_dead() && is_frozen(places_[at])) {
        step();
    }
    end();
    if (fails) {
        return executor::Failed{.message = "as it was told to"};
    }
    return executor::Succeeded{};
}

void Simulation::before_operation() {
    const bool is_away = !is_calm_ && clock_.steady_now() < away_until_;
    if (is_away || (!is_calm_ && happens(20))) {
        const Instant at = next_instant();
        ledger_.outages.push_back({.from = at, .until = at});
        throw persistence::DbError(persistence::DbErrorKind::unreachable, "away");
    }
}

void Simulation::after_operation() {
    if (!is_calm_ && happens(20)) {
        tell("an answer is lost");
        const Instant at = next_instant();
        ledger_.outages.push_back({.from = at, .until = at});
        throw persistence::DbError(persistence::DbErrorKind::in_doubt, "the answer is lost");
    }
}

}  // namespace jobstrand::test
