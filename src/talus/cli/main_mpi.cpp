#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include <talus/base/error.hpp>
#include <talus/cli/program.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/distribute/launcher.hpp>
#include <talus/distribute/mpi/mpi_ranks.hpp>

namespace {

/// Standard output and standard error lead nowhere, until it is to speak.
class Silence {
 public:
  Silence() : error_(::dup(STDERR_FILENO)) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    ::close(nowhere);
  }
  void speak() const { ::dup2(error_, STDERR_FILENO); }

 private:
  int error_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace talus;
  std::unique_ptr<distribute::MpiRanks> ranks;
  try {
    ranks = distribute::MpiRanks::join();
  } catch (const InputError& error) {
    if (distribute::launch_of_environment().is_first()) std::fprintf(stderr, "%s\n", error.what());
    return cli::kInputError;
  }
  if (ranks == nullptr || ranks->count() == 1)
    return cli::run_program(argc, argv, [](int) { return true; });
  if (argc > 1 && std::string_view(argv[1]) != "run") {
    if (ranks->is_first()) std::fprintf(stderr, "%s: only run works on several ranks\n", argv[1]);
    return cli::kInputError;
  }
  const distribute::Sharing sharing(*ranks);
  std::optional<Silence> silence;
  if (!ranks->is_first()) silence.emplace();
  return cli::run_program(argc, argv, [&](int exit_code) {
    const bool speaks = ranks->fail(exit_code);
    if (speaks && silence) silence->speak();
    return speaks;
  });
}
