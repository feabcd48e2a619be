#include <talus/parallel/executor.hpp>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>

#include <talus/base/contract.hpp>
#include <talus/parallel/detail/helpers.hpp>

#ifdef TALUS_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
extern "C" void AnnotateIgnoreWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char* file, int line);

/// What oneTBB's library itself takes, frees and compares is not looked at; what bodies do is.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so.12\n"; }
#endif

namespace talus::parallel {
namespace {

namespace tbb = oneapi::tbb;

/// The threads of the program: an arena of so many slots, and leave to have so many workers.
struct Threads {
  explicit Threads(int count)
      : allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)),
        arena(count),
        number(count) {}
  tbb::global_control allowed;
  tbb::task_arena arena;
  int number;
};

std::unique_ptr<Threads>& threads() {
  static auto instance = std::make_unique<Threads>(tbb::info::default_concurrency());
  return instance;
}

/// What is written before the release is seen after the acquire. Tells the thread sanitizer what
/// oneTBB sees to when it hands work over: Debian's library is not built for the sanitizer.
#ifdef TALUS_THREAD_SANITIZER
void release(const void* work) { __tsan_release(const_cast<void*>(work)); }
void acquire(const void* work) { __tsan_acquire(const_cast<void*>(work)); }
#else
void release(const void*) {}
void acquire(const void*) {}
#endif

/// While it lives, the sanitizer looks at no writes of this thread: those into memory that oneTBB
/// keeps for tasks and hands from thread to thread.
struct Unseen {
#ifdef TALUS_THREAD_SANITIZER
  Unseen() { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
  ~Unseen() { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
#endif
};

}  // namespace

void set_thread_count(int count) {
  TALUS_DEMAND(count >= 0);
  if (count == 0) count = tbb::info::default_concurrency();
  if (count == threads()->number) return;
  threads().reset();
  threads() = std::make_unique<Threads>(count);
}

int thread_count() { return threads()->number; }

namespace detail {

void call_helpers(int count, Shared& work) noexcept {
  release(&work);
  [[maybe_unused]] const Unseen unseen;
  for (int i = 0; i < count; ++i)
    threads()->arena.enqueue([&work] {
      acquire(&work);
      work.help();
    });
}

}  // namespace detail
}  // namespace talus::parallel
