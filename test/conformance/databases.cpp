#include "test/conformance/databases.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::test {

std::vector<DatabaseUnderTest> databases_under_test() {
    // Once, because the cases of one server share what it takes long to make.
    static const std::vector<DatabaseUnderTest> all = [] {
        std::vector<DatabaseUnderTest> databases;
        for (const auto& some : {in_files("sqlite"), on_mariadb(), on_postgresql()}) {
            std::ranges::copy(some, std::back_inserter(databases));
        }
        return databases;
    }();
    return all;
}

}  // namespace jobstrand::test
