#include "executor/pool/shared_threads.hpp"

namespace jobstrand::executor {

SharedThreads::Share::Share(SharedThreads& all) : all_(all) {
    const std::lock_guard lock(all_.mutex_);
    ++all_.idle_;
}

SharedThreads::Share::~Share() {
    const std::lock_guard lock(all_.mutex_);
    --all_.idle_;
    all_.changed_.notify_all();
}

bool SharedThreads::Share::take(const std::stop_token& stop) {
    std::unique_lock lock(all_.mutex_);
    const auto has_place = [this] {
        const std::size_t kept_for_others = running_ == 0 ? 0 : all_.idle_;
        return all_.free_ > kept_for_others;
    };
    if (!all_.changed_.wait(lock, stop, has_place)) {
        return false;
    }
    --all_.free_;
    all_.idle_ -= running_ == 0 ? 1 : 0;
    ++running_;
    return true;
}

void SharedThreads::Share::give_back() {
    const std::lock_guard lock(all_.mutex_);
    --running_;
    all_.idle_ += running_ == 0 ? 1 : 0;
    ++all_.free_;
    all_.changed_.notify_all();
}

}  // namespace jobstrand::executor
