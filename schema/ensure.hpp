#pragma once

namespace jobstrand::schema {

/// Prints the condition with its file and line to stderr and aborts. Called by JOBSTRAND_ENSURE.
[[noreturn]] void stop_for_broken_condition(const char* condition, const char* file, int line);

}  // namespace jobstrand::schema

/// Stops the program when `condition` does not hold, in release builds too: for mistakes of this
/// program only, never for bad input or a failing database. One condition per line.
#define JOBSTRAND_ENSURE(condition)     \
    ((condition) ? static_cast<void>(0) \
                 : ::jobstrand::schema::stop_for_broken_condition(#condition, __FILE__, __LINE__))
