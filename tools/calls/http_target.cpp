#include "tools/calls/http_target.hpp"

#include "persistence/drivers/password_file.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/calls/webhook_signature.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::string secret_in(const std::string& file) {
    const auto secret = parse_webhook_secret(persistence::password_in_file(file));
    if (!secret) {
        throw std::runtime_error(
            fmt::format("the first line of {} {}", file, secret.error().message)
        );
    }
    return secret.value();
}

}  // namespace

HttpTarget open_target(const std::string& name, const TargetSettings& settings) {
    HttpTarget target{
        .name = name,
        .settings = settings,
        .url = parse_http_url(settings.url).value(),
        .secret = {},
    };
    // Defended catch: the reader of a password knows nothing of targets.
    try {
        if (!settings.secret_file.empty()) {
            target.secret = secret_in(settings.secret_file);
        }
    } catch (const persistence::DbError& error) {
        throw std::runtime_error(fmt::format("[targets.{}] secretFile: {}", name, error.what()));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("[targets.{}] secretFile: {}", name, error.what()));
    }
    return target;
}

}  // namespace jobstrand::cli
