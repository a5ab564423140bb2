#include "schema/failure_classes.hpp"

#include "schema/text/error_class.hpp"

namespace jobstrand::schema {

void FailureClasses::add(std::string_view message) {
    std::string name = error_class_of(message);
    if (name.empty()) {
        name = kNone;
    }
    const std::scoped_lock lock(mutex_);
    auto found = counts_.find(name);
    if (found == counts_.end()) {
        const bool has_room = counts_.size() < kMost || name == kNone;
        found = counts_.try_emplace(has_room ? name : std::string(kOther), 0).first;
    }
    ++found->second;
}

FailureClasses::Counts FailureClasses::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace jobstrand::schema
