#include "persistence/drivers/database.hpp"

#include "persistence/drivers/password.hpp"
#include "persistence/drivers/registry.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::persistence {
namespace {

SessionPool::Connect connect_with(const Driver& driver, const DatabaseUrl& url) {
    return [&driver, url](SessionPool::Access access) {
        return driver.connect(with_password(driver, url), access);
    };
}

SessionPool::Connect decorated(SessionPool::Connect connect, DecorateConnection decorate) {
    if (!decorate) {
        return connect;
    }
    return [connect = std::move(connect), decorate = std::move(decorate)](auto access) {
        return decorate(connect(access));
    };
}

SessionPool::Size pool_size(const Driver& driver, std::size_t connections) {
    if (driver.has_one_writer) {
        return {.writers = 1, .readers = std::max<std::size_t>(connections, 2) - 1};
    }
    return {.writers = std::max<std::size_t>(connections, 1), .readers = 0};
}

}  // namespace

std::unique_ptr<SessionPool> open_database(const DatabaseUrl& url, const OpenOptions& options) {
    const Driver& driver = driver_of(url);
    if (options.create_if_missing && driver.create != nullptr) {
        driver.create(url);
    }
    auto pool = std::make_unique<SessionPool>(
        decorated(connect_with(driver, url), options.decorate),
        pool_size(driver, options.connections),
        options.lease_timeout
    );
    static_cast<void>(pool->lease(SessionPool::Access::write));
    return pool;
}

OpenListener listener_of(const DatabaseUrl& url) {
    const Driver& driver = driver_of(url);
    if (driver.listener == nullptr || !driver.listener(url)) {
        return {};
    }
    return [&driver, url] { return driver.listener(with_password(driver, url))(); };
}

}  // namespace jobstrand::persistence
