#include "persistence/drivers/postgresql/found_password.hpp"

#include "persistence/url/url_options.hpp"

#include <libpq-fe.h>

#include <array>
#include <memory>

namespace jobstrand::persistence {

std::string find_postgresql_password(const DatabaseUrl& url) {
    const std::string host(option_text(url, kSocketOption, url.host));
    const std::string port = std::to_string(url.port);
    // An address that is none: the library looks for the password, and then has nowhere to go.
    const std::array<const char*, 6> keys{"host", "hostaddr", "port", "user", "dbname", nullptr};
    const std::array<const char*, 6> values{
        host.c_str(), "-", port.c_str(), url.user.c_str(), url.database.c_str(), nullptr};
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
        PQconnectStartParams(keys.data(), values.data(), 0), &PQfinish
    );
    return connection == nullptr ? "" : PQpass(connection.get());
}

}  // namespace jobstrand::persistence
