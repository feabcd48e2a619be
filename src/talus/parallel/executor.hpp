#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include <talus/base/types.hpp>

namespace talus::parallel {

/// Threads that loops may use from now on, in all of the program.
///
/// Results never depend on this number: the caller of for_each() ensures it. More threads than
/// the machine has are allowed (for tests).
/// @param count ≥ 1; 0: as many as the machine has, which is what holds before the first call.
void set_thread_count(int count);
[[nodiscard]] int thread_count();

namespace detail {
void for_each(Index count, void (*call)(const void*, Index), const void* body);
void for_phases(std::span<const std::uint32_t> bounds, void (*call)(const void*, Index),
                const void* body);
}  // namespace detail

/// Calls body(i) once for every i in [0, count), on any thread and in any order; returns when all
/// are done. An exception from a body is rethrown here. With one thread, in order and without any
/// overhead. The body must not depend on the order: every i writes its own data.
template <class Body>
void for_each(Index count, const Body& body) {
  if (count <= 1 || thread_count() == 1) {
    for (Index i = 0; i < count; ++i) body(i);
    return;
  }
  detail::for_each(
      count, [](const void* self, Index i) { (*static_cast<const Body*>(self))(i); }, &body);
}

/// Calls body(begin, end) for pieces of [0, count) of `grain` items each (the last may be shorter).
/// The pieces do not depend on the number of threads.
template <class Body>
void for_ranges(Index count, Index grain, const Body& body) {
  const Index pieces = (count + grain - 1) / grain;
  for_each(pieces, [&](Index piece) {
    const Index begin = piece * grain, end = begin + grain < count ? begin + grain : count;
    body(begin, end);
  });
}

/// Whether something is so for all i in [0, count), on all threads; not all are looked at where it
/// is not.
template <class Is>
[[nodiscard]] bool all_of(Index count, Index grain, const Is& is_so) {
  std::atomic<bool> is_all = true;
  for_ranges(count, grain, [&](Index begin, Index end) {
    if (!is_all.load(std::memory_order_relaxed)) return;
    for (Index i = begin; i < end; ++i)
      if (!is_so(i)) return is_all.store(false, std::memory_order_relaxed);
  });
  return is_all;
}

/// Calls body(i) for all i: those from bounds[p] up to bounds[p + 1] on all threads, one phase p
/// after the other. Numbers of one phase may share nothing that they write; a body must not throw.
///
/// The threads come together once for all phases; between two they wait for each other without
/// leaving, which costs a tenth of what a loop of its own does.
template <class Body>
void for_phases(std::span<const std::uint32_t> bounds, const Body& body) {
  if (bounds.size() < 2) return;
  if (thread_count() == 1 || bounds.back() - bounds.front() <= 1) {
    for (Index i = bounds.front(); i < bounds.back(); ++i) body(i);
    return;
  }
  detail::for_phases(
      bounds, [](const void* self, Index i) { (*static_cast<const Body*>(self))(i); }, &body);
}

}  // namespace talus::parallel
