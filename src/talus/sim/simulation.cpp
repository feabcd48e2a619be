#include <talus/sim/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/record/reader.hpp>
#include <talus/scene/warnings.hpp>
#include <talus/sim/resume.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using record::RunStatus;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

/// The same state, on all threads. Members are bound by number: one that is added does not compile.
void copy(const model::State& from, model::State& to) {
  const auto& [time, position, orientation, velocity, angular_velocity, presence, internal, deal] =
      from;
  to.time = time;
  parallel::assign(std::span(position), to.position);
  parallel::assign(std::span(orientation), to.orientation);
  parallel::assign(std::span(velocity), to.velocity);
  parallel::assign(std::span(angular_velocity), to.angular_velocity);
  to.presence = presence;
  to.internal = internal;
  to.deal = deal;
}

/// A checkpoint is of this model if it has its bodies by name.
void check_bodies(const model::Model& model, const std::vector<std::string>& names) {
  const auto refuse = [](const std::string& what) {
    throw InputError(
        Diagnostic{{"checkpoint"}, "", what, "", "give the scene that it was made from"});
  };
  if (static_cast<Index>(names.size()) != model.body_count())
    refuse(fmt::format("it has {} bodies, the scene has {}", names.size(), model.body_count()));
  for (Index i = 0; i < model.body_count(); ++i)
    if (names[i] != model.body_name(i))
      refuse(fmt::format("its body {} is \"{}\", the scene's is \"{}\"", i, names[i],
                         model.body_name(i)));
}

/// A state that says nothing about presence is one with everybody there.
void take_up_presence(const model::Model& model, model::State& state) {
  const bool is_complete =
      std::all_of(state.presence.begin(), state.presence.end(),
                  [](model::Presence presence) { return presence == model::Presence::present; });
  if (!model.has_changing_population() && !is_complete)
    throw InputError(Diagnostic{{"checkpoint"},
                                "",
                                "some of its bodies are not there, and the scene has neither "
                                "sources nor sinks",
                                "",
                                "give the scene that it was made from"});
  if (!model.has_changing_population()) state.presence.clear();
  if (model.has_changing_population() && state.presence.empty())
    state.presence.assign(state.position.size(), model::Presence::present);
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

namespace {

/// A scene whose scheme asks within steps whether to stop.
scene::Scene poll(scene::Scene scene, std::shared_ptr<const std::function<bool()>> should_stop) {
  scene.scheme.machine.should_stop = [stop = std::move(should_stop)] { return *stop && (*stop)(); };
  return scene;
}

}  // namespace

Simulation::Simulation(scene::Scene scene) : Simulation(std::move(scene), stepping::make_scheme) {}

Simulation::Simulation(scene::Scene scene, const MakeScheme& make_scheme)
    : scene_(poll(std::move(scene), should_stop_)),
      commands_(commands_of(scene_.model)),
      make_scheme_(make_scheme),
      scheme_(make_scheme_(scene_.model, scene_.scheme)),
      state_(scene_.initial),
      keeps_memory_(scene_.on_uncertified == scene::OnUncertified::stop ||
                    scene_.model.dimension == 2 || scene_.model.spatial_machine),
      step_count_(steps_between(state_.time, scene_.end_time, scene_.step_size)),
      base_time_(scene_.initial.time),
      population_(scene_.model),
      sensors_(scene_.model),
      stem_(default_name(scene_.path)) {
  prescribe(0);
  start_summary();
  for (const model::Probe& probe : scene_.probes)
    probes_.push_back({make_meter(probe, scene_.model, state_), {}, -1});
}

Simulation::~Simulation() = default;

/// Of a run that starts in the present state: nothing is counted yet.
void Simulation::start_summary() {
  summary_ = {};
  energy_ = dynamics::energy(scene_.model, state_).total();
  summary_.title = scene_.title;
  summary_.scheme = scene_.scheme.scheme;
  summary_.solver = scene_.scheme.solver.solver;
  summary_.tolerance = scene_.scheme.solver.tolerance;
  summary_.bodies = scene_.model.body_count();
  summary_.warnings = std::ssize(scene::warnings(scene_));
  summary_.population.start(scene_.model, state_);
  summary_.sleep.start(scene_.model, scene_.scheme.sleeping);
  summary_.time = state_.time;
  summary_.energy.initial = summary_.energy.final = energy_;
  summary_.state_hash = state_.hash();
}

/// From the count: a sum of steps drifts from the times of the scene.
Real Simulation::time_after(Index steps) const {
  return base_time_ + static_cast<Real>(steps - base_step_) * scene_.step_size;
}

Index Simulation::step_at(Real time) const {
  return base_step_ + steps_between(base_time_, time, scene_.step_size);
}

/// Poses after so many steps and velocities for the next one, where they are prescribed.
void Simulation::prescribe(Index step) {
  dynamics::prescribe(scene_.model, time_after(step), time_after(step + 1), scene_.step_size,
                      state_);
}

void Simulation::record_to(const fs::path& path, const std::string& command_line,
                           record::RecorderOptions options) {
  TALUS_DEMAND(summary_.steps == summary_.resumed_from_step && recorder_ == nullptr);
  const distribute::Alone alone;  // the rank that records, here and below: others do not
  options.tolerance = scene_.scheme.solver.tolerance;
  options.precision = scene_.is_recorded_in_single ? record::Precision::single_precision
                                                   : record::Precision::double_precision;
  options.contacts_every = scene_.record_every * scene_.record_contacts_every;
  options.can_sleep = scene_.scheme.sleeping;
  recorder_ =
      std::make_unique<record::Recorder>(path, scene_.model, dynamics::energy(scene_.model, state_),
                                         provenance_of(scene_, command_line), options, tables());
  recorder_->note_pushed_steps(summary_.pushed_steps);
  for (std::size_t i = 0; i < probes_.size(); ++i) take_sample(i);
  record_frame();
  summary_.output = path.string();
  stem_ = path;
  stem_.replace_extension();
}

void Simulation::resume(const record::Checkpoint& checkpoint) {
  TALUS_DEMAND(summary_.steps == 0 && recorder_ == nullptr);
  take_up(checkpoint);
}

void Simulation::take_up(const record::Checkpoint& checkpoint) {
  check_bodies(scene_.model, checkpoint.body_names);
  checkpoint.state.internal.demand_owner(scene_.scheme.scheme);
  state_ = checkpoint.state;
  take_up_presence(scene_.model, state_);
  population_.start();
  if (time_after(checkpoint.step) != state_.time) {  // there were other step sizes before
    base_time_ = state_.time;
    base_step_ = checkpoint.step;
  }
  step_count_ = step_at(scene_.end_time);
  if (checkpoint.has_memory) scheme_->recall(checkpoint.memory);
  if (checkpoint.step < step_count_) prescribe(checkpoint.step);
  start_summary();
  start_.reset();
  summary_.steps = summary_.resumed_from_step = last_frame_ = checkpoint.step;
  summary_.pushed_steps = checkpoint.pushed_steps;
  for (std::size_t i = 0; i < probes_.size(); ++i)  // what was before is not of this run
    probes_[i].meter = make_meter(scene_.probes[i], scene_.model, state_);
}

void Simulation::record_on(const fs::path& path, record::RecorderOptions options) {
  TALUS_DEMAND(recorder_ == nullptr);
  options.tolerance = scene_.scheme.solver.tolerance;
  const Index frame = record::RecordReader(path).frame_count() - 1;
  recorder_ = std::make_unique<record::Recorder>(path, frame, scene_.model, options, tables());
  recorder_->note_pushed_steps(summary_.pushed_steps);
  const record::RecordReader reader(path);
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const std::string group = "probes/" + scene_.probes[i].name + '/';
    const std::vector<Real> times = reader.array(group + "time").values;
    if (times.empty() || !probes_[i].meter->is_cumulative()) continue;
    std::vector<Real> last;
    for (const record::ProbeColumn& column : probes_[i].meter->columns()) {
      const Index row = static_cast<Index>(times.size()) - 1;
      const std::vector<Real> numbers = reader.rows(group + column.name, row, 1).values;
      last.insert(last.end(), numbers.begin(), numbers.end());
    }
    probes_[i].meter->resume(state_, times.back(), last);
  }
  summary_.output = path.string();
  stem_ = path;
  stem_.replace_extension();
}

record::Checkpoint Simulation::checkpoint() const {
  record::Checkpoint checkpoint;
  checkpoint.state = state_;
  checkpoint.step = summary_.steps;
  checkpoint.pushed_steps = summary_.pushed_steps;
  checkpoint.memory = memory();
  checkpoint.has_memory = !summary_.has_lost_step || before_.has_memory;
  for (Index i = 0; i < scene_.model.body_count(); ++i)
    checkpoint.body_names.push_back(scene_.model.body_name(i));
  return checkpoint;
}

/// What a scheme remembers of a lost step belongs to no state.
stepping::SchemeMemory Simulation::memory() const {
  return summary_.has_lost_step ? before_.memory : scheme_->memory();
}

void Simulation::allow_parts(bool has_frames) {
  const bool is_read = keeps_memory_ || !probes_.empty() || !scene_.model.sensors.empty() ||
                       scene_.model.has_changing_population();
  if (is_read || (has_frames && scene_.record_every == 1)) return;
  complete_every_ = has_frames ? scene_.record_every : 0;
  scheme_->allow_parts(true);
}

/// Makes known on this rank what others have of the state and the last step.
void Simulation::complete() {
  state_.complete();
  scheme_->complete();
}

bool Simulation::step() {
  if (summary_.steps >= step_count_ || failure_ || is_interrupted_) return false;
  if (!start_) start_ = Clock::now();
  const Index number = summary_.steps + 1;
  copy(state_, before_.state);
  before_.step = summary_.steps;
  if (keeps_memory_) before_.memory = scheme_->memory();
  before_.has_memory = keeps_memory_;
  change_population();
  const Clock::time_point start = Clock::now();
  stepping::StepReport report = scheme_->step(state_, scene_.step_size);
  if (report.status == problem::SolveStatus::interrupted) {
    state_ = before_.state;
    is_interrupted_ = true;
    return false;
  }
  report_ = std::move(report);
  const double seconds = seconds_since(start);
  const bool is_read =
      number == step_count_ || (complete_every_ > 0 && number % complete_every_ == 0);
  if (!report_.is_certified()) before_.state.complete();
  if (is_read || !report_.is_certified()) complete();
  if (!report_.is_certified()) scheme_->certify_in_full(report_);
  if (!state_.is_finite()) report_.status = problem::SolveStatus::numerical_error;
  summary_.has_lost_step = report_.status == problem::SolveStatus::numerical_error;
  if (summary_.has_lost_step) {
    state_ = before_.state;
  } else {
    state_.time = time_after(number);
    prescribe(number);
  }
  add_to_summary(number);
  if (!summary_.has_lost_step) take_samples(number);
  read_sensors();
  record_step(number, seconds);
  summary_.wall_seconds = seconds_since(*start_);
  const bool stops = scene_.on_uncertified == scene::OnUncertified::stop;
  if (summary_.has_lost_step || (stops && !report_.is_certified())) stop();
  for (const Observer& observer : observers_) observer(*this);
  return summary_.steps < step_count_ && !failure_;
}

void Simulation::push(Index body, const Vec3& point, const Vec3& impulse) {
  const bool is_planar = scene_.model.dimension == 2;
  const Vec3 arm = point - state_.position[body];
  const Vec3 linear = is_planar ? Vec3(impulse.x(), impulse.y(), 0) : impulse;
  const Push one{body, linear, arm.cross(linear)};
  push(std::span(&one, 1));
}

void Simulation::push(std::span<const Push> pushes) {
  if (pushes.empty()) return;
  const bool is_planar = scene_.model.dimension == 2;
  for (const auto& [body, impulse, moment] : pushes) {
    const model::Body& pushed = scene_.model.bodies.at(static_cast<std::size_t>(body));
    TALUS_DEMAND(pushed.kind == model::BodyKind::dynamic && state_.is_present(body));
    const Quat& q = state_.orientation[body];
    state_.velocity[body].head<2>() += impulse.head<2>() / pushed.mass;
    if (is_planar) {
      state_.angular_velocity[body].z() += moment.z() / pushed.inertia(2, 2);
      continue;
    }
    state_.velocity[body].z() += impulse.z() / pushed.mass;
    state_.angular_velocity[body] += q * Vec3(pushed.inertia.ldlt().solve(q.conjugate() * moment));
  }
  energy_ = dynamics::energy(scene_.model, state_).total();  // what it brings is no rise of a step
  count_push();
}

/// A step that does not follow from the scene.
void Simulation::count_push() {
  if (std::exchange(last_push_, summary_.steps) != summary_.steps) ++summary_.pushed_steps;
  if (recorder_ != nullptr) recorder_->note_pushed_steps(summary_.pushed_steps);
}

void Simulation::command(Index command, Real value) {
  TALUS_DEMAND(command >= 0 && command < static_cast<Index>(commands_.size()));
  commands_[static_cast<std::size_t>(command)].hold(value, state_.time);
  count_push();
}

Simulation::Snapshot Simulation::snapshot() const {
  Snapshot snapshot{checkpoint(), {}, {}};
  for (const Command& command : commands_) {
    snapshot.laws.push_back(*command.law);
    if (command.start != nullptr) snapshot.starts.push_back(*command.start);
  }
  return snapshot;
}

void Simulation::restore(const Snapshot& snapshot) {
  TALUS_DEMAND(recorder_ == nullptr && snapshot.laws.size() == commands_.size());
  auto start = snapshot.starts.begin();
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    *commands_[i].law = snapshot.laws[i];
    if (commands_[i].start != nullptr) *commands_[i].start = *start++;
  }
  failure_.reset();
  last_push_ = -1;
  scheme_ = make_scheme_(scene_.model, scene_.scheme);
  report_ = {};
  sensors_.read_nothing();
  take_up(snapshot.checkpoint);
}

/// After a step.
void Simulation::read_sensors() {
  if (scene_.model.sensors.empty()) return;
  if (summary_.has_lost_step) return sensors_.read_nothing();
  const std::span<const stepping::StepContact> contacts =
      sensors_.needs_contacts() ? scheme_->contacts() : std::span<const stepping::StepContact>();
  sensors_.read({before_.state, state_, contacts, scheme_->reactions(), scheme_->axes(),
                 scene_.step_size, scheme_->place_of_reactions(), report_.halvings > 0});
}

/// Before a step.
void Simulation::change_population() {
  change_ = population_.update(state_, summary_.steps);
  if (population_.entered().empty()) return;
  for (const RunningProbe& probe : probes_)
    if (probe.meter->is_cumulative()) probe.meter->enter(state_, population_.entered());
}

void Simulation::add_to_summary(Index number) {
  const certify::Certificate& certificate = report_.certificate;
  const bool is_taken = !summary_.has_lost_step;
  summary_.steps += is_taken ? 1 : 0;
  summary_.time = state_.time;
  summary_.max_contacts = std::max(summary_.max_contacts, report_.contact_count);
  summary_.max_penetration = std::max(summary_.max_penetration, report_.max_penetration);
  summary_.second_impacts += report_.second_impacts;
  summary_.iterations.total += report_.iterations;
  summary_.iterations.max = std::max(summary_.iterations.max, report_.iterations);
  if (!report_.is_certified() && summary_.uncertified_steps++ == 0) {
    summary_.first_uncertified_step = number;
    summary_.first_reason = report_.detail;
  }
  auto& worst = summary_.worst_certificate;
  const certify::Certificate::Measure measure = certificate.worst(scene_.scheme.solver.tolerance);
  // A residual that is not a number is worse than any number.
  if (worst.step == 0 || measure.excess() > worst.measure.excess()) {
    worst.measure = measure;
    worst.velocity = certificate.worst_velocity;
    worst.step = number;
    worst.contact = certificate.worst_contact;
    const auto contact = scheme_->contact(worst.contact);
    worst.bodies = contact ? contact_bodies(scene_.model, *contact) : "";
  }
  summary_.joints.add(report_.joints, number, [&](Index constraint) {
    const model::SpatialMachine& machine = *scene_.model.spatial_machine;
    return dynamics::constraint_name(constraint, machine,
                                     dynamics::MachineTerms(machine, scene_.model.body_count()));
  });
  if (!is_taken) return;
  summary_.population.add(change_);
  summary_.sleep.add(report_.sleeping, state_.time);
  energy_ += change_.in.energy - change_.out.energy;
  const Real energy = report_.energy.total();
  summary_.energy.max_rise_in_a_step =
      std::max(summary_.energy.max_rise_in_a_step, energy - energy_);
  summary_.energy.final = energy_ = energy;
}

void Simulation::record_step(Index number, double seconds) {
  if (recorder_ == nullptr) return;
  const distribute::Alone alone;
  const bool has_frame = !summary_.has_lost_step && number % scene_.record_every == 0;
  if (has_frame) record_frame();
  const bool is_last = summary_.steps == step_count_;  // it has one too
  if (has_frame || is_last) scheme_->certify_in_full(report_);
  const auto worst = scheme_->contact(report_.certificate.worst_contact);
  recorder_->record_machine(number, scheme_->reactions(), scheme_->axes(), scheme_->events());
  recorder_->record_sensors(sensors_.values());
  recorder_->record_step(number, state_.time, report_, worst ? &*worst : nullptr, seconds, change_);
}

std::vector<record::ProbeTable> Simulation::tables() const {
  std::vector<record::ProbeTable> tables;
  for (std::size_t i = 0; i < probes_.size(); ++i)
    tables.push_back(table_of(scene_.probes[i], *probes_[i].meter));
  return tables;
}

std::vector<Real> Simulation::measure(const std::string& probe) {
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    if (scene_.probes[i].name != probe) continue;
    measure(i);
    return probes_[i].values;
  }
  throw InputError(Diagnostic{{"probes"}, "", "there is no probe \"" + probe + '"', "", ""});
}

void Simulation::measure(std::size_t probe) {
  RunningProbe& running = probes_[probe];
  const std::span<const stepping::StepContact> contacts =
      running.meter->needs_contacts() ? scheme_->contacts()
                                      : std::span<const stepping::StepContact>();
  running.values.clear();
  running.meter->measure({scene_.model, state_, contacts, scene_.step_size}, running.values);
}

void Simulation::take_sample(std::size_t probe) {
  if (probes_[probe].last_sample == summary_.steps) return;
  const distribute::Alone alone;
  probes_[probe].last_sample = summary_.steps;
  measure(probe);
  recorder_->record_probe(probe, summary_.steps, state_.time, probes_[probe].values);
}

void Simulation::take_samples(Index number) {
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const bool adds_up = probes_[i].meter->is_cumulative();
    if (adds_up) probes_[i].meter->watch(state_);
    const bool is_time = number % scene_.probes[i].every == 0;
    if (recorder_ != nullptr && is_time) take_sample(i);
  }
}

/// What adds up is sampled with every frame too: a run can be resumed from a frame.
void Simulation::record_frame() {
  const distribute::Alone alone;
  for (std::size_t i = 0; i < probes_.size(); ++i)
    if (probes_[i].meter->is_cumulative()) take_sample(i);
  recorder_->record_frame(summary_.steps, state_, memory());
  last_frame_ = summary_.steps;
}

void Simulation::stop() { failure_ = save_failure(scene_, *scheme_, report_, before_, stem_); }

const Summary& Simulation::run(const std::function<bool()>& should_stop) {
  RunStatus status = RunStatus::finished;
  for (bool goes_on = true; goes_on;) {
    goes_on = step();
    if (goes_on && should_stop && should_stop()) {
      status = RunStatus::interrupted;
      break;
    }
  }
  if (is_interrupted_) status = RunStatus::interrupted;
  finish(failure_ ? RunStatus::stopped : status);
  return summary_;
}

void Simulation::show_now() {
  if (recorder_ == nullptr) return;
  if (last_frame_ != summary_.steps) record_frame();
  recorder_->flush();
}

void Simulation::finish(RunStatus status) {
  complete();
  summary_.status = status;
  summary_.state_hash = state_.hash();
  if (recorder_ != nullptr) {
    if (last_frame_ != summary_.steps) record_frame();
    recorder_->finish(status);
    recorder_.reset();
  }
  if (start_) summary_.wall_seconds = seconds_since(*start_);
}

}  // namespace talus::sim
