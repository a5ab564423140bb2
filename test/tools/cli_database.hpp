#pragma once

#include <string>

namespace jobstrand::test {

/// The URL of a database without jobs, for one test of the command line: a SQLite file in `folder`,
/// or, if the environment's JOBSTRAND_TEST_SERVER is `mariadb` or `postgresql`, the database that
/// all tests of this program share on a server of its own, emptied. So the same tests run on each
/// kind of database. Where the server cannot be had, all tests of the program are skipped.
[[nodiscard]] std::string empty_cli_database(const std::string& folder);

}  // namespace jobstrand::test
