#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/parallel/detail/helpers.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::parallel::detail {
namespace {

/// Pauses before a thread that waits sleeps: some microseconds, a phase or less. A thread that is
/// off its core is away for a thousand times as long, and comes back sooner where another core is
/// free for it.
constexpr int kSpins = 300;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// A phase under way: which number is next, and how many are done.
struct alignas(64) Phase {
  std::atomic<std::uint32_t> next{0};
  std::uint32_t first = 0, count = 0;
  alignas(64) std::atomic<std::uint32_t> done{0};

  void wait() const {
    for (int spins = 0; spins < kSpins; ++spins) {
      if (done.load(std::memory_order_acquire) == count) return;
      pause();
    }
    for (std::uint32_t seen; (seen = done.load(std::memory_order_acquire)) != count;)
      done.wait(seen, std::memory_order_acquire);
  }
};

/// Phases that threads do together. Each that has come takes what is next. A thread that holds no
/// number is not waited for, at the end neither: it may find out later that all is over. So a
/// thread that is off its core costs the others what it holds, and nothing where it holds nothing.
class Job final : public Shared {
 public:
  /// Of the caller: returns when all is done. @throws what a body threw.
  static void run(std::span<const std::uint32_t> bounds, void (*call)(const void*, Index),
                  const void* body) {
    // Kept for the next call, but for what late helpers still look at.
    thread_local std::unique_ptr<Job, Leave> kept;
    std::unique_ptr<Job, Leave> job = std::move(kept);
    if (!job || job->users_.load(std::memory_order_acquire) > 1) job.reset(new Job);
    job->start(bounds, call, body);
    std::uint32_t most = 0;
    for (std::size_t p = 0; p + 1 < bounds.size(); ++p)
      most = std::max(most, bounds[p + 1] - bounds[p]);
    const int helpers = static_cast<int>(
        std::min<std::int64_t>(thread_count() - 1, static_cast<std::int64_t>(most) - 1));
    if (helpers > 0) {
      job->users_.store(1 + helpers, std::memory_order_relaxed);
      call_helpers(helpers, *job);
    }
    job->work(true);
    job->is_over_.store(true, std::memory_order_relaxed);
    const std::exception_ptr error = std::exchange(job->error_, nullptr);
    kept = std::move(job);
    if (error) std::rethrow_exception(error);
  }

  void help() override {
    if (!is_over_.load(std::memory_order_relaxed)) work(false);
    leave();
  }

 private:
  /// The last that leaves takes the job away.
  void leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  struct Leave {
    void operator()(Job* job) const { job->leave(); }
  };

  void start(std::span<const std::uint32_t> bounds, void (*call)(const void*, Index),
             const void* body) {
    call_ = call;
    body_ = body;
    is_over_.store(false, std::memory_order_relaxed);
    phase_count_ = bounds.size() - 1;
    if (phases_.size() < phase_count_) phases_ = std::vector<Phase>(2 * phase_count_);
    for (std::size_t p = 0; p < phase_count_; ++p) {
      phases_[p].first = bounds[p];
      phases_[p].count = bounds[p + 1] - bounds[p];
      phases_[p].next.store(0, std::memory_order_relaxed);
      phases_[p].done.store(0, std::memory_order_relaxed);
    }
  }

  /// A helper waits for no one at the end: a loop within what others still do can have it.
  void work(bool is_caller) {
    for (std::size_t p = 0; p < phase_count_; ++p) {
      Phase& phase = phases_[p];
      for (std::uint32_t i;
           (i = phase.next.fetch_add(1, std::memory_order_relaxed)) < phase.count;) {
        do_one(Index{phase.first} + i);
        if (phase.done.fetch_add(1, std::memory_order_acq_rel) + 1 == phase.count)
          phase.done.notify_all();
      }
      if (is_caller || p + 1 < phase_count_) phase.wait();
    }
  }

  void do_one(Index number) noexcept {
    try {
      call_(body_, number);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void (*call_)(const void*, Index) = nullptr;
  const void* body_ = nullptr;
  std::vector<Phase> phases_;
  std::size_t phase_count_ = 0;
  std::atomic<int> users_{1};  // the caller, and helpers that may still look at this
  std::atomic<bool> is_over_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace

void for_each(Index count, void (*call)(const void*, Index), const void* body) {
  TALUS_DEMAND(count <= Index{0x7fffffff});
  const std::uint32_t bounds[] = {0, static_cast<std::uint32_t>(count)};
  Job::run(bounds, call, body);
}

void for_phases(std::span<const std::uint32_t> bounds, void (*call)(const void*, Index),
                const void* body) {
  Job::run(bounds, call, body);
}

}  // namespace talus::parallel::detail
