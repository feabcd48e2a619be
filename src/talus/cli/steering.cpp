#include <talus/cli/steering.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <talus/view/run_command.hpp>

namespace talus::cli {
namespace {

constexpr int kPauseLook = 50;  ///< [ms] between two looks at whether the run shall stop

}  // namespace

void Steering::wait(sim::Simulation& simulation, const std::function<bool()>& should_stop) {
  hold(simulation, should_stop);
  if (pull_) sim::pull(simulation, *pull_);
}

/// Returns when the next step may be taken.
void Steering::hold(sim::Simulation& simulation, const std::function<bool()>& should_stop) {
  read(simulation, 0);
  if (!is_paused_) return;
  if (steps_ > 0 && --steps_ > 0) return;
  simulation.show_now();
  while (is_paused_ && steps_ == 0 && !is_closed_ && !should_stop()) read(simulation, kPauseLook);
}

void Steering::read(const sim::Simulation& simulation, int milliseconds) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (is_closed_ || ::poll(&input, 1, milliseconds) <= 0) return;
  char block[256];
  const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
  is_closed_ = count <= 0;  // the steering program has ended: the run continues by itself
  for (ssize_t i = 0; i < count; ++i) {
    if (block[i] != '\n') {
      line_ += block[i];
      continue;
    }
    obey(simulation, line_);
    line_.clear();
  }
}

void Steering::obey(const sim::Simulation& simulation, const std::string& line) {
  const std::optional<view::RunCommand> command = view::parse_run_command(line);
  if (!command) {
    fmt::print(stderr, "talus: a run cannot be told \"{}\"\n", line);
    return;
  }
  switch (command->kind) {
    case view::RunCommand::Kind::pause:
      is_paused_ = true;
      break;
    case view::RunCommand::Kind::step:
      is_paused_ = true;
      ++steps_;
      break;
    case view::RunCommand::Kind::go:
      is_paused_ = false;
      steps_ = 0;
      break;
    case view::RunCommand::Kind::pull:
      if (const std::string reason = sim::why_not_pulled(simulation, command->body);
          !reason.empty()) {
        pull_.reset();
        fmt::print(stderr, "talus: nothing is pulled: {}\n", reason);
        break;
      }
      pull_ = sim::Pull{command->body, Vec3(command->point.data()), Vec3(command->target.data())};
      break;
    case view::RunCommand::Kind::release:
      pull_.reset();
  }
}

}  // namespace talus::cli
