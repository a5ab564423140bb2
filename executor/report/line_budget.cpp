#include "executor/report/line_budget.hpp"

#include <chrono>
#include <utility>

namespace jobstrand::executor {

namespace {

constexpr std::chrono::seconds kSecond{1};

}  // namespace

bool LineBudget::allows(schema::SteadyPoint now) {
    if (!second_ || now >= *second_ + kSecond) {
        second_ = now;
        written_ = 0;
    }
    if (written_ < most_) {
        ++written_;
        return true;
    }
    ++left_out_;
    return false;
}

std::int64_t LineBudget::take_left_out(schema::SteadyPoint now) {
    const auto next = next_count();
    return next && now >= *next ? std::exchange(left_out_, 0) : 0;
}

std::optional<schema::SteadyPoint> LineBudget::next_count() const {
    return left_out_ == 0 ? std::nullopt : std::optional(*second_ + kSecond);
}

}  // namespace jobstrand::executor
