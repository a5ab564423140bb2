#pragma once

#include "tools/service/http/router.hpp"

#include <vector>

namespace jobstrand::service {

/// The same routes for clients of Flowable: a problem also has the `message` and `exception` that
/// its REST services answer, the kind of the error and what is wrong.
[[nodiscard]] std::vector<Route> with_flowable_errors(std::vector<Route> routes);

}  // namespace jobstrand::service
