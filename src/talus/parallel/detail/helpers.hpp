#pragma once

namespace talus::parallel::detail {

/// Work that other threads may come and share.
class Shared {
 public:
  Shared() = default;
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  virtual ~Shared() = default;
  /// Called by each thread that comes, at whatever time, also when nothing is left to do. The last
  /// use of the work by that thread: it may be gone when this returns.
  virtual void help() = 0;
};

/// Asks so many other threads to come. Returns at once: they come when they are free, and are
/// not waited for. The work lives until as many calls of help() have returned.
void call_helpers(int count, Shared& work) noexcept;

}  // namespace talus::parallel::detail
