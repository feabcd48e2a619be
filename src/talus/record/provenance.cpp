#include <talus/record/provenance.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <thread>

#include <talus/base/hash.hpp>
#include <talus/record/detail/build_info.hpp>

namespace talus::record {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string machine() {
  utsname system{};
  if (uname(&system) != 0) return "unknown";
  return fmt::format("{}, {} {} {}, {}, {} cores", system.nodename, system.sysname, system.release,
                     system.machine, processor(), std::thread::hardware_concurrency());
}

}  // namespace

std::string build_version() {
  const std::string commit = TALUS_BUILD_COMMIT;
  return TALUS_BUILD_VERSION + (commit.empty() ? "" : " (" + commit + ')');
}

std::string to_hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

Provenance describe_run(Provenance given) {
  StateHash hash;
  for (const Provenance::Source& source : given.sources) hash.add(source.text);
  given.scene_hash = to_hex(hash.value());
  given.version = TALUS_BUILD_VERSION;
  given.compiler = TALUS_BUILD_COMPILER;
  given.flags = TALUS_BUILD_FLAGS;
  given.git_commit = TALUS_BUILD_COMMIT;
  given.machine = machine();
  given.start_time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return given;
}

}  // namespace talus::record
