#include "schema/ensure.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace jobstrand::schema {

void stop_for_broken_condition(const char* condition, std::source_location where) {
    std::fprintf(
        stderr,
        "jobstrand: broken condition: %s at %s:%" PRIuLEAST32 "\n",
        condition,
        where.file_name(),
        where.line()
    );
    std::abort();
}

}  // namespace jobstrand::schema
