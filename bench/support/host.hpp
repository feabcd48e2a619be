#pragma once

#include <fmt/format.h>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

namespace talus::bench {

/// "2026-11-21 12:00 UTC, AMD EPYC 9V74, 2 cores, load 1.95": what a table of times must carry.
[[nodiscard]] inline std::string describe_host() {
  std::string model = "unknown processor";
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = -1;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  return fmt::format("{}, {}, {} cores, load {:.2f}", date, model,
                     std::thread::hardware_concurrency(), load);
}

}  // namespace talus::bench
