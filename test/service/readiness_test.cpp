#include "test/fixtures/faulty_connection.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/http_service.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using testing::HasSubstr;

/// Of a service whose database does as the test says.
class ReadinessTest : public ApiTest {
protected:
    ReadinessTest() {
        const auto file = "sqlite:" + (directory.path() / "jobs.db").string();
        faulty_engine_ = std::make_unique<engine::Wiring>(
            engine::WiringOptions{
                .database_url = file,
                .decorate_connection =
                    [this](std::unique_ptr<persistence::Connection> connection) {
                        return std::make_unique<FaultyConnection>(std::move(connection), faults_);
                    }},
            clock,
            log
        );
    }

    FaultPlan faults_;
    std::unique_ptr<engine::Wiring> faulty_engine_;
};

// A standby after a failover, or a full disk, answers whoever reads.
TEST_F(ReadinessTest, A_database_that_takes_no_writes_is_told) {
    const service::ApiParts faulty{.engine = *faulty_engine_, .settings = settings, .log = log};
    service::Readiness readiness(faulty, true);
    faults_.add({.point = FaultPoint::begin, .kind = persistence::DbErrorKind::read_only});
    EXPECT_THROW((void)faulty_engine_->enqueue({.handler_type = "noop"}), persistence::DbError);
    const service::Response answer = readiness.answer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("the database takes no writes"));
}

}  // namespace
}  // namespace jobstrand::test
