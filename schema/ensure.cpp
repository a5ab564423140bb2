#include "schema/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace jobstrand::schema {

void stop_for_broken_condition(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "jobstrand: broken condition: %s at %s:%d\n", condition, file, line);
    std::abort();
}

}  // namespace jobstrand::schema
