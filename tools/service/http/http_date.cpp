#include "tools/service/http/http_date.hpp"

#include <fmt/chrono.h>

#include <chrono>

namespace jobstrand::service {

std::string http_date() {
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)));
}

}  // namespace jobstrand::service
