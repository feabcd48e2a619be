#include <talus/distribute/launcher.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace talus::distribute {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = variable == nullptr ? nullptr : std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view word = text;
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

struct Names {
  const char *processes, *number, *on_this_machine;
};
constexpr std::array kLaunchers = {
    Names{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Names{"PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"},  // MPICH and its kin
    Names{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", nullptr}};

}  // namespace

Launch launch_of_environment() {
  for (const Names& names : kLaunchers)
    if (const std::optional<int> processes = number_in(names.processes))
      return {names.processes, *processes, number_in(names.number).value_or(0),
              std::max(1, number_in(names.on_this_machine).value_or(1))};
  return {};
}

int cores_per_process(const Launch& launch) {
  const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t bound;  // to which the launcher has bound this process
  CPU_ZERO(&bound);
  const int allowed = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : cores;
  return std::clamp(cores / launch.on_this_machine, 1, std::max(1, allowed));
}

}  // namespace talus::distribute
