#include "tools/settings/password_source.hpp"

#include "persistence/url/database_url.hpp"
#include "persistence/url/url_options.hpp"

namespace jobstrand::cli {

std::string url_with_password_source(const Settings& settings) {
    std::string url = settings.database_url;
    if (!url.empty() && !settings.password_file.empty()) {
        url =
            persistence::with_option(url, persistence::kPasswordFileOption, settings.password_file);
    }
    if (!url.empty() && !settings.password_command.empty()) {
        url = persistence::with_option(
            url, persistence::kPasswordCommandOption, settings.password_command
        );
    }
    return url;
}

}  // namespace jobstrand::cli
