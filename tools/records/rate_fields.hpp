#pragma once

#include "persistence/throughput_store.hpp"
#include "schema/throughput/throughput.hpp"
#include "tools/output/fields.hpp"

#include <string>

/// What was run, as `rate ls` and `rate types` write it.
namespace jobstrand::cli {

struct RatePoint {
    persistence::SpanSums span;
    schema::Duration length{};
};

struct TypeRates {
    std::string type;
    schema::RunSums sums;
};

[[nodiscard]] const Fields<RatePoint>& rate_fields();
[[nodiscard]] const Fields<TypeRates>& type_rates_fields();

}  // namespace jobstrand::cli
