#include "persistence/drivers/registry.hpp"

#include "persistence/url/listed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace jobstrand::persistence {

// Declares the driver that the folder of a database defines, and gives its address. Not for an
// unnamed namespace, where it would declare another one.
#define JOBSTRAND_DRIVER(name)    \
    [] {                          \
        extern const Driver name; \
        return &name;             \
    }()

constexpr std::array kDrivers{
    JOBSTRAND_DRIVER(kSqliteDriver),
    JOBSTRAND_DRIVER(kMysqlDriver),
    JOBSTRAND_DRIVER(kPostgresqlDriver),
};

std::span<const Driver* const> drivers() {
    return kDrivers;
}

const Driver* find_driver(std::string_view name) {
    const auto found = std::ranges::find_if(kDrivers, [name](const Driver* driver) {
        return driver->url.scheme == name;
    });
    return found == kDrivers.end() ? nullptr : *found;
}

const Driver& driver_of(const DatabaseUrl& url) {
    const Driver* const driver = find_driver(url.scheme);
    if (driver == nullptr) {
        throw std::logic_error(fmt::format("no driver for the scheme \"{}\"", url.scheme));
    }
    return *driver;
}

std::string driver_names() {
    std::vector<std::string> names;
    for (const Driver* const driver : kDrivers) {
        names.emplace_back(driver->url.scheme);
    }
    return listed(names, "or");
}

}  // namespace jobstrand::persistence
