#include "test/conformance/databases.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::test {

std::vector<DatabaseUnderTest> databases_under_test() {
    // Once, because the cases of one server share what it takes long to make.
    static const std::vector<DatabaseUnderTest> all = [] {
        std::vector<DatabaseUnderTest> databases{sqlite_under_test()};
        std::ranges::move(server_databases(), std::back_inserter(databases));
        return databases;
    }();
    return all;
}

}  // namespace jobstrand::test
