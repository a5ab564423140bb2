#pragma once

#include "schema/clock.hpp"
#include "tools/process/this_process.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// Tells how far a bulk operation has come: `requeued 12000 of 100000 (12 %), 5400/s, 16 s left`.
/// On a terminal one line that is rewritten; elsewhere a line now and then, and none at all when it
/// is over within two seconds.
class Progress final {
public:
    /// `done_word` is what happened to the jobs: "added", "removed". All must outlive it. `before`
    /// were done earlier, and count for no rate.
    Progress(
        Streams& streams,
        const schema::Clock& clock,
        std::string_view done_word,
        std::int64_t before = 0
    );

    /// Ends the line on a terminal.
    ~Progress();

    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::int64_t done, std::int64_t total);

    /// Where nobody knows how many there are.
    void show(std::int64_t done);

private:
    [[nodiscard]] bool is_time_for_a_line(schema::SteadyPoint now) const;
    [[nodiscard]] double rate(schema::SteadyPoint now, std::int64_t done) const;
    [[nodiscard]] std::string line(schema::SteadyPoint now, std::int64_t done, std::int64_t total);
    void write(schema::SteadyPoint now, const std::string& text);

    Streams& streams_;
    const schema::Clock& clock_;
    const std::string_view done_word_;
    const std::int64_t before_;
    const schema::SteadyPoint start_;
    schema::SteadyPoint last_line_;
    bool has_written_ = false;
};

}  // namespace jobstrand::cli
