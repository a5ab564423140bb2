#include "test/tools/cli_fixture.hpp"

#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include <string>

namespace jobstrand {
namespace {

using nlohmann::json;

/// Who has changed something; the rest is told by test/transcripts/audit.md.
class CliAudit : public test::CliTest {};

// Timers of systemd and containers have no such variables.
TEST_F(CliAudit, Who_has_no_name_in_the_environment_is_the_owner_of_the_process) {
    environment_.erase("USER");
    environment_.erase("LOGNAME");
    const passwd* const owner = ::getpwuid(::geteuid());
    if (owner == nullptr) {
        GTEST_SKIP() << "the system does not know this user";
    }
    const std::string name = owner->pw_name;
    (void)ok({"limit", "set", "type:a", "--concurrent", "1"});
    EXPECT_EQ(json::parse(ok({"audit", "ls", "-o", "json"})).at(0)["who"], name);
}

}  // namespace
}  // namespace jobstrand
