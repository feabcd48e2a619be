#pragma once

#include <memory>

namespace talus::parallel::detail {

/// Work that other threads may come and share.
class Shared {
 public:
  virtual ~Shared() = default;
  /// Called by each thread that comes, at whatever time, also when nothing is left to do.
  virtual void help() = 0;
};

/// Asks so many other threads to come. Returns at once: they come when they are free, and are
/// not waited for.
void call_helpers(int count, const std::shared_ptr<Shared>& work);

}  // namespace talus::parallel::detail
