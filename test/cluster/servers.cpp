#include "test/cluster/servers.hpp"

namespace jobstrand::test {

std::vector<ServerUnderTest> servers_under_test() {
    return {mariadb_server_under_test(), postgresql_server_under_test()};
}

}  // namespace jobstrand::test
