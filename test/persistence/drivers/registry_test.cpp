#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace jobstrand::persistence {
namespace {

TEST(Drivers, Each_is_found_by_the_name_of_its_dialect) {
    std::set<std::string_view> names;
    for (const Driver* const driver : drivers()) {
        EXPECT_EQ(driver->url.scheme, driver->dialect.name);
        EXPECT_EQ(find_driver(driver->dialect.name), driver);
        names.insert(driver->dialect.name);
    }
    EXPECT_EQ(names.size(), drivers().size());
    EXPECT_EQ(find_driver("oracle"), nullptr);
}

TEST(Drivers, Each_is_complete) {
    for (const Driver* const driver : drivers()) {
        EXPECT_NE(driver->connect, nullptr) << driver->dialect.name;
        EXPECT_NE(driver->dialect.text_of_bytes, nullptr) << driver->dialect.name;
        EXPECT_NE(driver->dialect.tables.lock, nullptr) << driver->dialect.name;
        EXPECT_FALSE(driver->diagnostics.product.empty()) << driver->dialect.name;
    }
}

TEST(Drivers, Only_a_database_in_a_file_can_be_made_by_this_program) {
    for (const Driver* const driver : drivers()) {
        EXPECT_EQ(driver->create == nullptr, driver->url.has_server()) << driver->dialect.name;
    }
}

TEST(Drivers, A_url_leads_to_its_driver) {
    EXPECT_EQ(&driver_of(parse_database_url("mysql://h/jobs").value()), find_driver("mysql"));
}

TEST(Drivers, All_are_named_the_default_first) {
    EXPECT_THAT(driver_names(), testing::MatchesRegex("sqlite, .* or [a-z]+"));
    for (const Driver* const driver : drivers()) {
        EXPECT_THAT(driver_names(), testing::HasSubstr(driver->dialect.name));
    }
}

TEST(Drivers, A_url_that_nobody_has_parsed_may_lead_nowhere) {
    DatabaseUrl url;
    url.scheme = "oracle";
    EXPECT_THROW((void)driver_of(url), std::logic_error);
}

}  // namespace
}  // namespace jobstrand::persistence
