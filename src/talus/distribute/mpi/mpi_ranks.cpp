#include <talus/distribute/mpi/mpi_ranks.hpp>

// The C++ interface, which MPI 3 has dropped, is left out.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <thread>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/distribute/launcher.hpp>

namespace talus::distribute {
namespace {

/// Adds the time of its life to a sum.
class Clock {
 public:
  explicit Clock(double& seconds) : seconds_(seconds), start_(MPI_Wtime()) {}
  ~Clock() { seconds_ += MPI_Wtime() - start_; }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  double& seconds_;
  double start_;
};

/// Waits for a message: at first without leaving the core, as messages are mostly there or about to
/// come; then asleep, so that others may have it, which may be those that are waited for. (Who only
/// yields goes to the end of the queue, behind all that a busy machine does.)
/// @return whether it has come in so many seconds.
bool wait_for(MPI_Request& request, double patience = std::numeric_limits<double>::infinity()) {
  constexpr double kSpinning = 5e-5;  // seconds
  int has_come = 0;
  MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
  for (const double start = MPI_Wtime(); has_come == 0;) {
    const double waited = MPI_Wtime() - start;
    if (waited > patience) return false;
    if (waited > kSpinning) std::this_thread::sleep_for(std::chrono::microseconds(20));
    MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
  }
  return true;
}

int as_int(std::size_t number) {
  TALUS_DEMAND(number <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(number);
}

class MpiLines : public Lines {
 public:
  explicit MpiLines(Work& work) : work_(work) {}
  ~MpiLines() override {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0)
      for (Line& line : lines_) MPI_Request_free(&line.request);
  }
  MpiLines(const MpiLines&) = delete;
  MpiLines& operator=(const MpiLines&) = delete;

  Index add_outgoing(int to, int tag, std::span<const Real> buffer) override {
    Line line{MPI_REQUEST_NULL, static_cast<double>(buffer.size_bytes())};
    MPI_Send_init(buffer.data(), as_int(buffer.size()), MPI_DOUBLE, to, tag, MPI_COMM_WORLD,
                  &line.request);
    lines_.push_back(line);
    return static_cast<Index>(lines_.size()) - 1;
  }
  Index add_incoming(int from, int tag, std::span<Real> buffer) override {
    Line line{MPI_REQUEST_NULL, 0};
    MPI_Recv_init(buffer.data(), as_int(buffer.size()), MPI_DOUBLE, from, tag, MPI_COMM_WORLD,
                  &line.request);
    lines_.push_back(line);
    return static_cast<Index>(lines_.size()) - 1;
  }
  void start(Index line) override {
    const Clock clock(work_.waiting_seconds);
    Line& one = lines_[static_cast<std::size_t>(line)];
    MPI_Start(&one.request);
    if (one.sent_bytes == 0) return;
    ++work_.sent_messages;
    work_.sent_bytes += one.sent_bytes;
  }
  void wait(Index line) override {
    const Clock clock(work_.waiting_seconds);
    wait_for(lines_[static_cast<std::size_t>(line)].request);
  }

 private:
  struct Line {
    MPI_Request request;
    double sent_bytes;  // 0: comes in
  };
  std::vector<Line> lines_;
  Work& work_;
};

class World : public MpiRanks {
 public:
  World() {
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting_);
  }
  ~World() override {
    if (is_broken_) MPI_Abort(MPI_COMM_WORLD, exit_code_);
    MPI_Comm_free(&meeting_);
    MPI_Finalize();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] int count() const override { return count_; }
  [[nodiscard]] int rank() const override { return rank_; }

  void gather(std::span<std::byte> all, std::span<const std::size_t> begin) override {
    const Clock clock(work().waiting_seconds);
    counts_.clear();
    begins_.clear();
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
      counts_.push_back(as_int(begin[r + 1] - begin[r]));
      begins_.push_back(as_int(begin[r]));
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts_.data(), begins_.data(),
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(request);
  }

  void take_largest(std::span<Real> numbers) override {
    const Clock clock(work().waiting_seconds);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), as_int(numbers.size()), MPI_DOUBLE, MPI_MAX,
                   MPI_COMM_WORLD, &request);
    wait_for(request);
  }

  [[nodiscard]] std::unique_ptr<Lines> lines() override {
    return std::make_unique<MpiLines>(work());
  }

 protected:
  [[nodiscard]] std::vector<std::uint64_t> meet(std::uint64_t own, double seconds) override {
    own_ = own;
    met_.resize(static_cast<std::size_t>(count_));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&own_, sizeof own_, MPI_BYTE, met_.data(), sizeof own_, MPI_BYTE, meeting_,
                   &request);
    if (!wait_for(request, seconds)) return {};
    return met_;
  }
  void break_off(int exit_code) override {
    is_broken_ = true;
    exit_code_ = exit_code;
  }

 private:
  int count_ = 1, rank_ = 0;
  MPI_Comm meeting_ = MPI_COMM_NULL;
  std::uint64_t own_ = 0;
  std::vector<std::uint64_t> met_;
  std::vector<int> counts_, begins_;
  bool is_broken_ = false;
  int exit_code_ = 0;
};

}  // namespace

std::unique_ptr<MpiRanks> MpiRanks::join() {
  const Launch launch = launch_of_environment();
  if (launch.variable.empty()) return nullptr;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  TALUS_DEMAND(level >= MPI_THREAD_FUNNELED);
  auto world = std::make_unique<World>();
  if (world->count() == launch.processes) return world;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  const std::string name(library, static_cast<std::size_t>(length));
  throw InputError(
      Diagnostic{{"mpirun"},
                 "",
                 fmt::format("the launcher has started {} processes ({}), MPI shows {} of them",
                             launch.processes, launch.variable, world->count()),
                 "",
                 "start it with the mpirun of " + name.substr(0, name.find(','))});
}

}  // namespace talus::distribute
