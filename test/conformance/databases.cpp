#include "test/conformance/databases.hpp"

namespace jobstrand::test {

std::vector<DatabaseUnderTest> databases_under_test() {
    return {sqlite_under_test()};
}

}  // namespace jobstrand::test
