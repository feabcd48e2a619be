#pragma once

#include <atomic>

namespace talus::test {

/// Calls of malloc by this program: operator new and Eigen's own allocations both end there.
extern std::atomic<long> malloc_count;

/// Whether they are counted: not under sanitizers, nor without glibc.
[[nodiscard]] bool malloc_is_counted();

}  // namespace talus::test
