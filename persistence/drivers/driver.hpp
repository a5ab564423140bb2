#pragma once

#include "persistence/drivers/diagnostics.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/job_listener.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/url/database_url.hpp"
#include "persistence/url/url_rules.hpp"

#include <memory>
#include <string>

namespace jobstrand::persistence {

/// All that is one database's own. Its folder defines the one value of this type, and the registry
/// lists it. Nobody else tells databases apart: whoever opens one finds its driver by the URL, and
/// whoever has a connection asks it for its dialect.
struct Driver {
    const Dialect& dialect;

    /// Their scheme is the dialect's name.
    UrlRules url;

    /// One connection writes and the others only read.
    bool has_one_writer = false;

    /// Makes an empty database if there is none. nullptr: its administrator has to.
    void (*create)(const DatabaseUrl& url) = nullptr;

    /// The password that the database's own clients would find, in the environment or in a file of
    /// theirs; empty: there is none. nullptr: there are no passwords.
    std::string (*find_password)(const DatabaseUrl& url) = nullptr;

    /// `url` has its password, and one host.
    std::unique_ptr<Connection> (*connect)(const DatabaseUrl& url, SessionPool::Access access);

    /// Which database the URL means now, where that may become another one; empty: none. nullptr:
    /// it means the same all the time.
    std::string (*identity)(const DatabaseUrl& url) = nullptr;

    /// How to hear of jobs that other processes have enqueued, from the one host of the URL; it may
    /// answer that this URL does not want it, with an empty function. nullptr: this database cannot
    /// tell.
    OpenListener (*listener)(const DatabaseUrl& url) = nullptr;

    Diagnostics diagnostics;
};

}  // namespace jobstrand::persistence
