#pragma once

#include "persistence/enqueuer_store.hpp"
#include "schema/definition/job_definitions.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// The job definitions that this store goes by, as it has last read them. Thread safety: safe.
class DefinitionBook final {
public:
    /// nullptr: they have to be read. Of those who ask for what has grown old, one reads, and the
    /// others go by the old one meanwhile.
    [[nodiscard]] KnownDefinitions current(schema::SteadyPoint now) {
        const std::lock_guard lock(mutex_);
        if (known_ && now >= read_again_at_) {
            read_again_at_ = now + kDefinitionsAge;
            return nullptr;
        }
        return known_;
    }

    /// To be asked before the reading; see replace.
    [[nodiscard]] std::uint64_t changes() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }

    /// What was read is returned, and kept unless this process has changed something since.
    KnownDefinitions
    replace(schema::JobDefinitions definitions, schema::SteadyPoint now, std::uint64_t changes) {
        auto read = std::make_shared<const schema::JobDefinitions>(std::move(definitions));
        const std::lock_guard lock(mutex_);
        if (changes == changes_) {
            known_ = read;
            read_again_at_ = now + kDefinitionsAge;
        }
        return read;
    }

    /// Something was changed: the next one who asks has to read.
    void forget() {
        const std::lock_guard lock(mutex_);
        ++changes_;
        known_ = nullptr;
    }

    /// What counts where no row says anything about it. Before the first use.
    void configure(std::vector<schema::JobDefinition> definitions) {
        configured_ = std::move(definitions);
    }
    [[nodiscard]] const std::vector<schema::JobDefinition>& configured() const {
        return configured_;
    }

private:
    std::vector<schema::JobDefinition> configured_;  ///< Constant after the first use.

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    KnownDefinitions known_;
    schema::SteadyPoint read_again_at_{};
    std::uint64_t changes_ = 0;
};

}  // namespace jobstrand::persistence
