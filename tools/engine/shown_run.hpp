#pragma once

#include "executor/job_handler.hpp"
#include "tools/engine/faces.hpp"

#include <memory>
#include <utility>

namespace jobstrand::engine {

/// A run of ours as the app sees it.
class ShownRun final : public AsyncRun {
public:
    explicit ShownRun(std::shared_ptr<executor::AsyncRun> run)
        : run_(std::move(run)), context_(context_of(run_->context())) {}

    [[nodiscard]] const JobContext& context() const override { return context_; }
    void end(HandlerResult result) override { run_->end(result_of(std::move(result))); }

private:
    const std::shared_ptr<executor::AsyncRun> run_;
    const JobContext context_;
};

}  // namespace jobstrand::engine
