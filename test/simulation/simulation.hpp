#pragma once

#include "executor/job_handler.hpp"
#include "schema/clock.hpp"
#include "test/ledger/check_ledger.hpp"
#include "test/simulation/simulated_node.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace jobstrand::test {

/// A few jobs, exclusive and failing ones among them, on a few nodes, in one thread: what happens
/// next is drawn from a seed. So are the faults: nodes die and freeze, the database is away, an
/// operation does not happen, or it does and its answer is lost. The same seed gives the same
/// story.
///
/// A handler runs while the others go on: it calls the scheduler until its time is over. Told to
/// stop, it stops at once.
class Simulation final {
public:
    explicit Simulation(std::uint64_t seed, Broken broken = Broken::nothing, bool tells = false);

    /// Runs to the end: faults first, then calm until every job is done, or far too late.
    [[nodiscard]] Findings run();

    /// What happened, a line each, if it was to be told.
    [[nodiscard]] const std::vector<std::string>& story() const { return story_; }

private:
    /// A node with what was done to it.
    struct Place {
        std::unique_ptr<SimulatedNode> node;
        schema::SteadyPoint frozen_until = schema::SteadyPoint::min();
        int runs = 0;  ///< Handlers that have not returned.
    };

    [[nodiscard]] std::size_t draw(std::size_t below) { return dice_() % below; }
    [[nodiscard]] bool happens(std::size_t in_a_thousand) { return draw(1000) < in_a_thousand; }
    [[nodiscard]] Instant next_instant() { return Instant(++instants_ * std::chrono::seconds(1)); }
    template <typename... Parts>
    void tell(const char* format, const Parts&... parts);

    void add_jobs();
    void add_node();
    void step();
    void act();
    void kill(std::size_t at);
    void freeze(std::size_t at);
    [[nodiscard]] bool is_frozen(const Place& place) const;
    [[nodiscard]] std::vector<std::size_t> movable() const;
    void pass_time();
    executor::HandlerResult handle(const executor::JobContext& context);
    void before_operation();
    void after_operation();

    std::mt19937_64 dice_;
    const bool takes_along_;  ///< The nodes take jobs of an instance together.
    const bool tells_;
    std::int64_t instants_ = 0;
    schema::ManualClock clock_;
    MemoryStore store_;
    executor::HandlerRegistry handlers_;
    Ledger ledger_;
    std::vector<Place> places_;  ///< The dead ones too: a worker may still be inside.
    std::size_t acting_ = 0;     ///< The place whose turn it is.
    int depth_ = 0;              ///< Handlers within handlers.
    bool is_calm_ = false;
    schema::SteadyPoint away_until_ = schema::SteadyPoint::min();
    std::vector<std::string> story_;
};

}  // namespace jobstrand::test
