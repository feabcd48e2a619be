#include <talus/sim/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <talus/base/contract.hpp>

namespace talus::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using record::RunStatus;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Everything that was asked for, as JSON for the provenance.
std::string options_as_json(const scene::Scene& scene) {
  const stepping::SchemeOptions& scheme = scene.scheme;
  const bool stops = scene.on_uncertified == scene::OnUncertified::stop;
  const nlohmann::ordered_json json{{"step_size", scene.step_size},
                                    {"end_time", scene.end_time},
                                    {"record_every", scene.record_every},
                                    {"on_uncertified", stops ? "stop" : "accept"},
                                    {"scheme", scheme.scheme},
                                    {"theta", scheme.theta},
                                    {"directions", scheme.directions},
                                    {"error_reduction", scheme.error_reduction},
                                    {"slop", scheme.slop},
                                    {"solver",
                                     {{"name", scheme.solver.solver},
                                      {"tolerance", scheme.solver.tolerance},
                                      {"max_iterations", scheme.solver.max_iterations},
                                      {"relaxation", scheme.solver.relaxation},
                                      {"directions", scheme.solver.directions}}}};
  return json.dump();
}

record::Provenance provenance_of(const scene::Scene& scene, const std::string& command_line) {
  record::Provenance from;
  from.title = scene.title;
  from.command_line = command_line;
  from.options = options_as_json(scene);
  for (const scene::SourceFile& source : scene.sources)
    from.sources.push_back({source.path.string(), source.text});
  return record::describe_run(std::move(from));
}

}  // namespace

Index steps_between(Real from, Real to, Real step_size) {
  TALUS_DEMAND(step_size > 0);
  return std::max<Index>(0, static_cast<Index>(std::ceil((to - from) / step_size - 1e-9)));
}

std::string default_name(const fs::path& scene) {
  const fs::path path = fs::absolute(scene).lexically_normal();
  const bool is_generic = path.stem() == "scene" || !path.has_filename();
  const fs::path folder = path.parent_path();
  return is_generic && folder.has_filename() ? folder.filename().string() : path.stem().string();
}

Simulation::Simulation(scene::Scene scene, const MakeScheme& make_scheme)
    : scene_(std::move(scene)),
      scheme_(make_scheme(scene_.model, scene_.scheme)),
      state_(scene_.initial),
      before_(scene_.initial),
      step_count_(steps_between(state_.time, scene_.end_time, scene_.step_size)),
      stem_(default_name(scene_.path)) {
  prescribe(0);
  energy_ = dynamics::energy(scene_.model, state_).total();
  summary_.title = scene_.title;
  summary_.scheme = scene_.scheme.scheme;
  summary_.solver = scene_.scheme.solver.solver;
  summary_.tolerance = scene_.scheme.solver.tolerance;
  summary_.bodies = scene_.model.body_count();
  summary_.time = state_.time;
  summary_.energy.initial = summary_.energy.final = energy_;
  summary_.state_hash = state_.hash();
}

Simulation::~Simulation() = default;

/// Poses after so many steps and velocities for the next one, where they are prescribed.
void Simulation::prescribe(Index step) {
  const Real h = scene_.step_size;
  const auto time_after = [&](Index steps) {
    return scene_.initial.time + static_cast<Real>(steps) * h;
  };
  for (const model::Motion& motion : scene_.model.motions) {
    const Pose now = model::pose_at(motion, time_after(step));
    const Twist twist = model::twist_between(now, model::pose_at(motion, time_after(step + 1)), h);
    state_.position[motion.body] = now.p;
    state_.orientation[motion.body] = now.q;
    state_.velocity[motion.body] = twist.v;
    state_.angular_velocity[motion.body] = twist.w;
  }
}

void Simulation::record_to(const fs::path& path, const std::string& command_line,
                           record::RecorderOptions options) {
  TALUS_DEMAND(summary_.steps == 0 && recorder_ == nullptr);
  recorder_ =
      std::make_unique<record::Recorder>(path, scene_.model, dynamics::energy(scene_.model, state_),
                                         provenance_of(scene_, command_line), options);
  recorder_->record_frame(0, state_, {});
  summary_.output = path.string();
  stem_ = path;
  stem_.replace_extension();
}

bool Simulation::step() {
  if (summary_.steps >= step_count_ || failure_) return false;
  if (!start_) start_ = Clock::now();
  const Index number = summary_.steps + 1;
  before_ = state_;
  const Clock::time_point start = Clock::now();
  report_ = scheme_->step(state_, scene_.step_size);
  const double seconds = seconds_since(start);
  if (!state_.is_finite()) {
    report_.status = problem::SolveStatus::numerical_error;
    state_ = before_;
  }
  // From the count: a sum of steps drifts from the times that the scene asks for.
  if (report_.status != problem::SolveStatus::numerical_error) {
    state_.time = scene_.initial.time + static_cast<Real>(number) * scene_.step_size;
    prescribe(number);
  }
  add_to_summary(number);
  record_step(number, seconds);
  summary_.wall_seconds = seconds_since(*start_);
  const bool is_lost = report_.status == problem::SolveStatus::numerical_error;
  const bool stops = scene_.on_uncertified == scene::OnUncertified::stop;
  if (is_lost || (stops && !report_.is_certified())) stop(number);
  for (const Observer& observer : observers_) observer(*this);
  return summary_.steps < step_count_ && !failure_;
}

void Simulation::add_to_summary(Index number) {
  const certify::Certificate& certificate = report_.certificate;
  const bool is_taken = report_.status != problem::SolveStatus::numerical_error;
  summary_.steps += is_taken ? 1 : 0;
  summary_.time = state_.time;
  summary_.max_contacts = std::max(summary_.max_contacts, report_.contact_count);
  summary_.max_penetration = std::max(summary_.max_penetration, report_.max_penetration);
  summary_.iterations.total += report_.iterations;
  summary_.iterations.max = std::max(summary_.iterations.max, report_.iterations);
  if (!report_.is_certified() && summary_.uncertified_steps++ == 0)
    summary_.first_uncertified_step = number;
  auto& worst = summary_.worst_certificate;
  // A residual that is not a number is worse than any number.
  if (!(certificate.natural_map <= worst.value) && !std::isnan(worst.value)) {
    worst.value = certificate.natural_map;
    worst.step = number;
    worst.contact = certificate.worst_contact;
    const auto& contacts = scheme_->contacts();
    const bool is_known = worst.contact >= 0 && worst.contact < Index(contacts.size());
    worst.bodies = is_known ? contact_bodies(scene_.model, contacts[worst.contact]) : "";
  }
  if (!is_taken) return;
  const Real energy = report_.energy.total();
  summary_.energy.max_rise_in_a_step =
      std::max(summary_.energy.max_rise_in_a_step, energy - energy_);
  summary_.energy.final = energy_ = energy;
}

void Simulation::record_step(Index number, double seconds) {
  if (recorder_ == nullptr) return;
  const bool is_taken = report_.status != problem::SolveStatus::numerical_error;
  if (is_taken && number % scene_.record_every == 0) {
    recorder_->record_frame(number, state_, scheme_->contacts());
    last_frame_ = number;
  }
  recorder_->record_step(number, state_.time, report_, scheme_->contacts(), seconds);
}

void Simulation::stop(Index number) {
  failure_ = save_failure(scene_, *scheme_, report_, number, before_, stem_);
}

const Summary& Simulation::run(const std::function<bool()>& should_stop) {
  RunStatus status = RunStatus::finished;
  for (bool goes_on = true; goes_on;) {
    goes_on = step();
    if (goes_on && should_stop && should_stop()) {
      status = RunStatus::interrupted;
      break;
    }
  }
  finish(failure_ ? RunStatus::stopped : status);
  return summary_;
}

void Simulation::finish(RunStatus status) {
  summary_.status = status;
  summary_.state_hash = state_.hash();
  if (recorder_ != nullptr) {
    if (last_frame_ != summary_.steps)
      recorder_->record_frame(summary_.steps, state_, scheme_->contacts());
    recorder_->finish(status);
    recorder_.reset();
  }
  if (start_) summary_.wall_seconds = seconds_since(*start_);
}

}  // namespace talus::sim
