#include "persistence/drivers/database.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/password.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

namespace jobstrand::persistence {

Hosts::Hosts(const DatabaseUrl& url) : urls_{url} {
    if (url.further_hosts.empty()) {
        return;
    }
    urls_.front().further_hosts.clear();
    urls_.front().options.try_emplace(std::string(kTargetOption), kReadWrite);
    for (const ServerPlace& place : url.further_hosts) {
        urls_.push_back(urls_.front());
        urls_.back().host = place.host;
        urls_.back().port = place.port;
    }
}

DbError Hosts::joined(const std::vector<DbError>& problems) {
    const DbError& first = problems.front();
    if (problems.size() == 1) {
        return first;
    }
    std::string words;
    for (const DbError& problem : problems) {
        words += (words.empty() ? "" : "; ");
        words += problem.what();
    }
    const bool is_one_kind = std::ranges::all_of(problems, [&first](const DbError& problem) {
        return problem.kind() == first.kind();
    });
    return {is_one_kind ? first.kind() : DbErrorKind::unreachable, words};
}

namespace {

/// The database that the first connection of a pool has found is the one of all others.
class OneDatabase final {
public:
    OneDatabase(const Driver& driver, const DatabaseUrl& url) : driver_(driver), url_(url) {}

    /// Called when a connection has been made. Throws DbError unreachable for one to another.
    void require_same() {
        const std::string found = driver_.identity == nullptr ? "" : driver_.identity(url_);
        const std::lock_guard lock(mutex_);
        if (first_.empty()) {
            first_ = found;
        } else if (found != first_) {
            throw DbError(
                DbErrorKind::unreachable,
                fmt::format(
                    "{} is another database than the one that was opened: put that one back, or "
                    "restart what uses it",
                    without_password(url_)
                )
            );
        }
    }

private:
    const Driver& driver_;
    const DatabaseUrl url_;
    std::mutex mutex_;
    std::string first_;  ///< Guarded by mutex_. Empty: there was none yet.
};

SessionPool::Connect connect_with(const Driver& driver, const DatabaseUrl& url) {
    const auto hosts = std::make_shared<Hosts>(url);
    const auto one = std::make_shared<OneDatabase>(driver, url);
    return [&driver, hosts, one](SessionPool::Access access) {
        auto connection = hosts->connect([&driver, access](const DatabaseUrl& host) {
            return driver.connect(with_password(driver, host), access);
        });
        one->require_same();
        return connection;
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

/// For a file that this user may only read. Nobody is kept waiting for it to change, as in an
/// outage.
SessionPool::Connect without_writer(SessionPool::Connect connect, const std::string& why) {
    return [connect = std::move(connect), why](SessionPool::Access access) {
        if (access == SessionPool::Access::write) {
            throw DbError(DbErrorKind::access_denied, why);
        }
        return connect(access);
    };
}

/// How long a process that only reads may look at a server that is the right one no more.
constexpr schema::Duration kOneOfSeveralHosts{std::chrono::minutes(1)};

SessionPool::Size pool_size(const Driver& driver, const DatabaseUrl& url, std::size_t connections) {
    if (driver.has_one_writer) {
        return {.writers = 1, .readers = std::max<std::size_t>(connections, 2) - 1};
    }
    SessionPool::Size size{.writers = std::max<std::size_t>(connections, 1), .readers = 0};
    if (!url.further_hosts.empty()) {
        size.age_limit = kOneOfSeveralHosts;
    }
    return size;
}

}  // namespace

std::unique_ptr<SessionPool> open_database(const DatabaseUrl& url, const OpenOptions& options) {
    const Driver& driver = driver_of(url);
    if (options.create_if_missing && driver.create != nullptr) {
        driver.create(url);
    }
    const SessionPool::Connect connect = decorated(connect_with(driver, url), options.decorate);
    const auto pool_with = [&](SessionPool::Connect how) {
        return std::make_unique<SessionPool>(
            std::move(how), pool_size(driver, url, options.connections), options.lease_timeout
        );
    };
    auto pool = pool_with(connect);
    // Defended catch: what may only be read is of use to who reads.
    try {
        static_cast<void>(pool->lease(SessionPool::Access::write));
    } catch (const DbError& error) {
        if (!driver.has_one_writer || error.kind() == DbErrorKind::busy) {
            throw;
        }
        pool = pool_with(without_writer(connect, error.what()));
        static_cast<void>(pool->lease(SessionPool::Access::read));
    }
    return pool;
}

OpenListener listener_of(const DatabaseUrl& url) {
    const Driver& driver = driver_of(url);
    if (driver.listener == nullptr || !driver.listener(url)) {
        return {};
    }
    return [&driver, hosts = std::make_shared<Hosts>(url)] {
        return hosts->connect([&driver](const DatabaseUrl& host) {
            return driver.listener(with_password(driver, host))();
        });
    };
}

}  // namespace jobstrand::persistence
