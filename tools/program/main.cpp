#include "tools/process/this_process.hpp"
#include "tools/program/run_cli.hpp"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): jemalloc reads a text of this name when it starts.

/// A thread of its own gives back to the system what was not used for a while: without it, a
/// service that falls idle would keep what its peak needed.
extern "C" const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:2000";

// NOLINTEND(readability-identifier-naming)

int main(int argc, char** argv) {
    namespace cli = jobstrand::cli;
    cli::occupy_standard_descriptors();
    const bool does_sigpipe_end_us = cli::does_sigpipe_end_us();
    // Only so do std::cin and std::cout tell an error from the end.
    std::ios::sync_with_stdio(false);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (cli::is_shells_question(arguments)) {
        cli::end_quietly_after(std::chrono::seconds(1));
    }
    cli::hide_passwords({argv + 1, argv + argc});
    return cli::run_cli(
        arguments,
        {
            .in = std::cin,
            .out = std::cout,
            .err = std::cerr,
            .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
            .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
            .err_descriptor = STDERR_FILENO,
            .out_columns = cli::terminal_columns(STDOUT_FILENO),
            .when_out_fails = does_sigpipe_end_us ? cli::end_if_nobody_reads : nullptr,
        },
        cli::environment_of_process()
    );
}
