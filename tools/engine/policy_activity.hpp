#pragma once

#include "deadletter/policies/automatic_requeue.hpp"
#include "deadletter/policies/dead_letter_cleaning.hpp"
#include "executor/loop/activity.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::engine {

/// What is done with dead letters by itself, as an executor repeats it: deadletter/ knows no loops.
template <typename Policy>
class PolicyActivity final : public executor::Activity {
public:
    /// The name has to stay.
    template <typename... Arguments>
    explicit PolicyActivity(std::string_view name, Arguments&&... arguments)
        : name_(name), policy_(std::forward<Arguments>(arguments)...) {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] schema::Duration run_once() override { return policy_.run_once(); }

private:
    const std::string_view name_;
    Policy policy_;
};

using CleaningActivity = PolicyActivity<deadletter::DeadLetterCleaning>;
using RequeueActivity = PolicyActivity<deadletter::AutomaticRequeue>;

}  // namespace jobstrand::engine
