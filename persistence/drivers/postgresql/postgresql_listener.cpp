#include "persistence/drivers/postgresql/postgresql_listener.hpp"

#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/postgresql_backend.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/url/url_options.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include <utility>

namespace jobstrand::persistence {

namespace {

class PostgresqlListener final : public JobListener {
public:
    explicit PostgresqlListener(std::unique_ptr<soci::session> session)
        : session_(std::move(session)),
          connection_(static_cast<soci::postgresql_session_backend*>(session_->get_backend())->conn_
          ) {}

    [[nodiscard]] int socket() const override { return PQsocket(connection_); }

    [[nodiscard]] bool take_announcements() override {
        if (PQconsumeInput(connection_) == 0) {
            throw DbError(
                DbErrorKind::connection_lost,
                postgresql_error_text("LISTEN", PQerrorMessage(connection_), {})
            );
        }
        bool is_any = false;
        while (PGnotify* const announcement = PQnotifies(connection_)) {
            PQfreemem(announcement);
            is_any = true;
        }
        return is_any;
    }

private:
    const std::unique_ptr<soci::session> session_;
    PGconn* const connection_;
};

}  // namespace

bool announces_jobs(const DatabaseUrl& url) {
    return option_text(url, "notify", "on") == "on";
}

std::unique_ptr<JobListener> listen_to_postgresql(const DatabaseUrl& url) {
    // Defended catch: the words of the driver get the place that a person needs.
    try {
        auto session = connect_to_postgresql(url);
        PostgresqlBackend().run_script(*session, "LISTEN jobstrand");
        return std::make_unique<PostgresqlListener>(std::move(session));
    } catch (const DbError& error) {
        throw DbError(
            error.kind(),
            fmt::format("cannot listen to {}: {}", without_password(url), error.what())
        );
    }
}

}  // namespace jobstrand::persistence
