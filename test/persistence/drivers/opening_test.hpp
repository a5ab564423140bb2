#pragma once

#include "test/persistence/adapter_test.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {

/// The error of opening `url`; its text must never have the password in it.
[[nodiscard]] inline persistence::DbError opening_error(const persistence::DatabaseUrl& url) {
    persistence::DbError error = error_of([&] { static_cast<void>(open_connection(url)); });
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr(url.password)));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
    return error;
}

}  // namespace jobstrand::test
