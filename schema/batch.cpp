#include "schema/batch.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::schema {
namespace {

constexpr std::array kOperations{
    std::pair{BatchOperation::requeue, std::string_view("requeue")},
    std::pair{BatchOperation::remove, std::string_view("remove")},
    std::pair{BatchOperation::change, std::string_view("change")},
};

constexpr std::array kBatchStates{
    std::pair{BatchState::running, std::string_view("running")},
    std::pair{BatchState::paused, std::string_view("paused")},
    std::pair{BatchState::cancelled, std::string_view("cancelled")},
    std::pair{BatchState::done, std::string_view("done")},
};

template <typename Words, typename Meaning>
std::string_view batch_word_of(const Words& words, Meaning meaning) {
    return std::ranges::find(words, meaning, &Words::value_type::first)->second;
}

template <typename Words>
auto meaning_of(const Words& words, std::string_view word) {
    using Meaning = decltype(words.front().first);
    const auto found = std::ranges::find(words, word, &Words::value_type::second);
    return found == words.end() ? std::nullopt
                                : std::optional<std::remove_const_t<Meaning>>(found->first);
}

}  // namespace

std::string_view name_of(BatchOperation operation) {
    return batch_word_of(kOperations, operation);
}

std::string_view name_of(BatchState state) {
    return batch_word_of(kBatchStates, state);
}

std::optional<BatchOperation> batch_operation_named(std::string_view name) {
    return meaning_of(kOperations, name);
}

std::optional<BatchState> batch_state_named(std::string_view name) {
    return meaning_of(kBatchStates, name);
}

}  // namespace jobstrand::schema
