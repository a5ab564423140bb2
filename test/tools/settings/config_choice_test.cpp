#include "test/fixtures/temporary_directory.hpp"
#include "tools/settings/settings_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace jobstrand {
namespace {

using cli::chosen_config_file;
using cli::ConfigChoice;
using cli::is_package_config_kept;

class ConfigChoiceTest : public testing::Test {
protected:
    ConfigChoiceTest() { std::ofstream(package) << "db = \"sqlite:jobs.db\"\n"; }

    const test::TemporaryDirectory directory;
    const std::string package = (directory.path() / "jobstrand.toml").string();
};

TEST_F(ConfigChoiceTest, That_of_the_package_counts_where_nobody_names_a_file_or_a_database) {
    EXPECT_EQ(chosen_config_file({.of_package = package}), package);
    EXPECT_EQ(chosen_config_file({.option = "a", .variable = "b", .of_package = package}), "a");
    EXPECT_EQ(chosen_config_file({.variable = "b", .of_package = package}), "b");
    const ConfigChoice of_database{.is_database_named = true, .of_package = package};
    EXPECT_EQ(chosen_config_file(of_database), std::nullopt);
    EXPECT_EQ(chosen_config_file({.of_package = package + "2"}), std::nullopt);
    EXPECT_FALSE(is_package_config_kept({.of_package = package}));
    EXPECT_FALSE(is_package_config_kept({.of_package = package + "2"}));
}

TEST_F(ConfigChoiceTest, One_that_may_not_be_read_is_no_mistake_but_known) {
    std::filesystem::permissions(package, std::filesystem::perms::none);
    const bool is_root = ::geteuid() == 0;
    constexpr uid_t somebody = 65534;  // Root reads everything.
    ASSERT_TRUE(!is_root || ::seteuid(somebody) == 0);
    EXPECT_EQ(chosen_config_file({.of_package = package}), std::nullopt);
    EXPECT_TRUE(is_package_config_kept({.of_package = package}));
    EXPECT_FALSE(is_package_config_kept({.is_database_named = true, .of_package = package}));
    ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
}

}  // namespace
}  // namespace jobstrand
