#pragma once

#include "schema/time.hpp"
#include "tools/handlers/child_process.hpp"

#include <string>
#include <vector>

namespace jobstrand::test {

/// A `jobstrand` that runs as a process of its own. Killed at the end of the scope if it still
/// runs.
class ServiceProcess final {
public:
    ServiceProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& env);
    ~ServiceProcess();

    ServiceProcess(const ServiceProcess&) = delete;
    ServiceProcess& operator=(const ServiceProcess&) = delete;

    /// Waits until its output has this text behind everything that was waited for before. false: it
    /// did not come in time, or the process has closed its output.
    [[nodiscard]] bool says(const std::string& text);

    void send(int signal) const;

    /// Closes the reading end of its output.
    void stop_listening() { process_.output.reset(); }

    /// Waits for its end; -1: it did not end in time, or of a signal.
    [[nodiscard]] int exit_code();

    [[nodiscard]] const std::string& output() const { return output_; }

private:
    /// false: nothing came in time, or the end of the output.
    bool read_more();
    [[nodiscard]] static bool is_readable(int fd);

    cli::Guardian guardian_;
    cli::SpawnedProcess process_;
    std::string output_;
    std::size_t heard_ = 0;  ///< Of the output, what earlier calls have waited for.
    bool has_ended_ = false;
};

}  // namespace jobstrand::test
