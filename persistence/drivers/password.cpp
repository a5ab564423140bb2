#include "persistence/drivers/password.hpp"

#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/password_command.hpp"
#include "persistence/drivers/password_file.hpp"
#include "persistence/url/url_options.hpp"

namespace jobstrand::persistence {

DatabaseUrl with_password(const Driver& driver, DatabaseUrl url) {
    if (!url.password.empty()) {
        return url;
    }
    if (const auto file = option_text(url, kPasswordFileOption, {}); !file.empty()) {
        url.password = password_in_file(std::string(file));
    } else if (const auto command = option_text(url, kPasswordCommandOption, {});
               !command.empty()) {
        url.password = password_printed_by(command);
    } else if (driver.find_password != nullptr) {
        url.password = driver.find_password(url);
    }
    return url;
}

}  // namespace jobstrand::persistence
