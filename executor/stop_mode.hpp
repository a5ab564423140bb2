#pragma once

namespace jobstrand::executor {

/// How an executor ends.
enum class StopMode {
    drain,    ///< Running jobs may finish within shutdown_wait; queued ones are freed for other
              ///< nodes.
    at_once,  ///< Running handlers are told to stop as well.
};

}  // namespace jobstrand::executor
