#pragma once

#include "persistence/outcome.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// Outcomes that the database refuses for a reason that does not pass by itself: a trigger, a lost
/// right. They are kept, and tried again after 1 s, 2 s, 4 s, up to a minute. Pure.
///
/// Outcomes of one exclusive group are written in the order of its runs: so those that come behind
/// a refused one are kept with it, and tried after it.
class RefusedOutcomes final {
public:
    /// Adds an outcome that the database refused at `now`, of that exclusive group; empty: of none.
    /// Returns whether that is the first time.
    bool add(persistence::Outcome outcome, std::string_view group, schema::SteadyPoint now);

    /// Takes the outcome if a refused one of its group waits here. Returns whether it did.
    [[nodiscard]] bool add_behind(persistence::Outcome& outcome, std::string_view group);

    /// All are to be tried again now: there may be no other time.
    void make_all_due();

    /// Takes out those that are to be tried again, each with those behind it.
    [[nodiscard]] std::vector<persistence::Outcome> take_due(schema::SteadyPoint now);

    /// When the next one is to be tried again; nullopt: there is none.
    [[nodiscard]] std::optional<schema::SteadyPoint> next() const;

    /// What was taken out was written, or its lock is lost. Does nothing while one of the job waits
    /// here: that is of another run.
    void forget(const std::string& job);

    /// The handler types of all that add() has brought and forget() has not ended.
    [[nodiscard]] std::set<std::string> types() const;

    [[nodiscard]] bool is_empty() const { return refused_.empty(); }
    [[nodiscard]] std::size_t size() const { return refused_.size(); }

private:
    struct Refused {
        std::string handler_type;
        std::string group;
        schema::Duration wait{};
        schema::SteadyPoint next{};
        std::optional<persistence::Outcome> outcome = {};  ///< nullopt: it is being tried again.
        std::vector<persistence::Outcome> behind = {};
    };

    std::map<std::string, Refused, std::less<>> refused_;  ///< By the id of the job.
};

}  // namespace jobstrand::executor
