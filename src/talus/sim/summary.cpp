#include <talus/sim/summary.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/printable.hpp>
#include <talus/json/json.hpp>

namespace talus::sim {
namespace {

std::string certificate_line(const Summary& s) {
  const auto& worst = s.worst_certificate;
  std::string line = fmt::format("{} {:.2e} at worst (asked {:g})", worst.measure.name,
                                 worst.measure.value, worst.measure.limit);
  if (worst.velocity > 0) line += fmt::format(", {:.2e} m/s", worst.velocity);
  if (worst.step > 0) line += fmt::format(", step {}", worst.step);
  if (worst.contact >= 0) line += fmt::format(", contact {} ({})", worst.contact, worst.bodies);
  return line;
}

std::string joints_line(const JointAccount& joints) {
  const auto at = [](const std::string& name, Index step) {
    return name.empty() ? std::string() : fmt::format(" ({}, step {})", name, step);
  };
  return fmt::format("rate {:.2e} m/s or rad/s at most{}, drift {:.2e}{}", joints.worst.rate,
                     at(joints.rate_of, joints.rate_step), joints.worst.drift,
                     at(joints.drift_of, joints.drift_step));
}

std::string rank_line(const JointAccount& joints) {
  const certify::JointResidual& worst = joints.worst;
  if (worst.rank == worst.constraint_count)
    return fmt::format("all {} constraints are independent", worst.constraint_count);
  return fmt::format("{} of {} constraints are independent, first in step {}", worst.rank,
                     worst.constraint_count, joints.rank_step);
}

Json to_json(const model::Flow& flow) {
  return {{"bodies", flow.bodies}, {"mass", flow.mass}, {"energy", flow.energy}};
}

std::string to_text(const model::Flow& flow) {
  return fmt::format("{} ({:.6g} kg, {:.6g} J)", flow.bodies, flow.mass, flow.energy);
}

std::string late_line(const PopulationAccount& account) {
  if (account.late.steps == 0) return "none";
  return fmt::format(
      "up to {} at once found no place when they were due, in {} steps; {} at the end",
      account.late.most, account.late.steps, account.late.now);
}

std::string asleep_line(const SleepAccount& account) {
  if (!account.since) return fmt::format("none of {} bodies in any step", account.bodies);
  return fmt::format("{} of {} bodies in the last step, {} at most, the first at {:.6g} s",
                     account.now, account.bodies, account.most, *account.since);
}

std::string steps_per_second(const Summary& s) {
  const Index steps = s.steps - s.resumed_from_step;
  if (s.wall_seconds <= 0 || steps == 0) return "";
  return fmt::format(", {:.3g} steps/s", static_cast<double>(steps) / s.wall_seconds);
}

}  // namespace

void PopulationAccount::start(const model::Model& model, const model::State& state) {
  is_changing = model.has_changing_population();
  waiting = std::count(state.presence.begin(), state.presence.end(), model::Presence::waiting);
  present = model.body_count() - waiting -
            std::count(state.presence.begin(), state.presence.end(), model::Presence::removed);
}

void PopulationAccount::add(const model::PopulationChange& change) {
  in.add(change.in);
  out.add(change.out);
  present += change.in.bodies - change.out.bodies;
  waiting -= change.in.bodies;
  late.now = change.late;
  late.most = std::max(late.most, change.late);
  late.steps += change.late > 0 ? 1 : 0;
}

void SleepAccount::start(const model::Model& model, bool can_sleep) {
  is_possible = can_sleep;
  bodies = std::count_if(model.bodies.begin(), model.bodies.end(), [](const model::Body& body) {
    return body.kind == model::BodyKind::dynamic;
  });
}

void SleepAccount::add(Index sleeping, Real time) {
  now = sleeping;
  most = std::max(most, sleeping);
  if (sleeping > 0 && !since) since = time;
}

std::string to_json(const Summary& s) {
  Json json{{"status", record::to_string(s.status)},
            {"title", s.title},
            {"scheme", s.scheme},
            {"solver", s.solver},
            {"tolerance", s.tolerance},
            {"steps", s.steps},
            {"resumed_from_step", s.resumed_from_step},
            {"time", s.time},
            {"bodies", s.bodies},
            {"warnings", s.warnings},
            {"max_contacts", s.max_contacts},
            {"uncertified_steps", s.uncertified_steps},
            {"first_uncertified", {{"step", s.first_uncertified_step}, {"reason", s.first_reason}}},
            {"worst_certificate",
             {{"measure", s.worst_certificate.measure.name},
              {"value", s.worst_certificate.measure.value},
              {"asked", s.worst_certificate.measure.limit},
              {"velocity", s.worst_certificate.velocity},
              {"step", s.worst_certificate.step},
              {"contact", s.worst_certificate.contact},
              {"bodies", s.worst_certificate.bodies}}},
            {"max_penetration", s.max_penetration},
            {"pushed_steps", s.pushed_steps},
            {"second_impacts", s.second_impacts},
            {"energy",
             {{"initial", s.energy.initial},
              {"final", s.energy.final},
              {"max_rise_in_a_step", s.energy.max_rise_in_a_step}}},
            {"population",
             {{"present", s.population.present},
              {"waiting", s.population.waiting},
              {"in", to_json(s.population.in)},
              {"out", to_json(s.population.out)},
              {"late",
               {{"now", s.population.late.now},
                {"most", s.population.late.most},
                {"steps", s.population.late.steps}}}}},
            {"iterations", {{"total", s.iterations.total}, {"max", s.iterations.max}}},
            {"wall_seconds", s.wall_seconds},
            {"output", s.output},
            {"state_hash", record::to_hex(s.state_hash)}};
  if (const JointAccount& joints = s.joints; joints.worst.constraint_count > 0)
    json["joints"] = {
        {"joint_rate",
         {{"value", joints.worst.rate}, {"of", joints.rate_of}, {"step", joints.rate_step}}},
        {"joint_drift",
         {{"value", joints.worst.drift}, {"of", joints.drift_of}, {"step", joints.drift_step}}},
        {"rank",
         {{"value", joints.worst.rank},
          {"constraints", joints.worst.constraint_count},
          {"step", joints.rank_step}}}};
  if (const SleepAccount& sleep = s.sleep; sleep.is_possible)
    json["asleep"] = {{"now", sleep.now},
                      {"most", sleep.most},
                      {"of", sleep.bodies},
                      {"since", sleep.since.value_or(std::numeric_limits<Real>::quiet_NaN())}};
  // Names of files and bodies may hold bytes that are not UTF-8.
  return json_text(json);
}

std::string to_text(const Summary& s) {
  const auto steps = static_cast<double>(s.steps - s.resumed_from_step);
  const double per_step = steps > 0 ? static_cast<double>(s.iterations.total) / steps : 0;
  std::string text = fmt::format("{}: {}, {} steps to t = {:.6g} s in {:.3g} s{}\n",
                                 s.title.empty() ? "run" : s.title, record::to_string(s.status),
                                 s.steps, s.time, s.wall_seconds, steps_per_second(s));
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  if (s.warnings > 0) line("warnings", fmt::format("{} of the scene: talus check", s.warnings));
  if (s.pushed_steps > 0)
    line("pushed",
         fmt::format("{} steps from outside: the scene alone does not lead here", s.pushed_steps));
  if (s.resumed_from_step > 0) line("resumed", fmt::format("from step {}", s.resumed_from_step));
  line("bodies", fmt::format("{}, up to {} contacts", s.bodies, s.max_contacts));
  line("certified",
       s.uncertified_steps == 0
           ? "every step"
           : fmt::format("all but {} of {} steps, the first is step {}{}{}", s.uncertified_steps,
                         s.steps + (s.has_lost_step ? 1 : 0), s.first_uncertified_step,
                         s.first_reason.empty() ? "" : ": ", s.first_reason));
  if (s.has_lost_step)
    line("lost", fmt::format("step {} has no answer and was not taken", s.steps + 1));
  line("certificate", certificate_line(s));
  if (s.joints.worst.constraint_count > 0) {
    line("joints", joints_line(s.joints));
    line("rank", rank_line(s.joints));
  }
  line("solver", fmt::format("{} with {}, {:.3g} iterations per step, {} at most", s.scheme,
                             s.solver, per_step, s.iterations.max));
  line("penetration", fmt::format("{:.2e} m at most", s.max_penetration));
  if (s.second_impacts > 0)
    line("impacts", fmt::format("{} followed from others in their step and gave nothing back: "
                                "scheme max_halvings cuts such steps",
                                s.second_impacts));
  line("energy", fmt::format("{:.6g} J to {:.6g} J, largest rise in a step {:.2e} J",
                             s.energy.initial, s.energy.final, s.energy.max_rise_in_a_step));
  if (s.population.is_changing) {
    line("population", fmt::format("{} there with the fixed ones, {} waiting", s.population.present,
                                   s.population.waiting));
    line("came in", to_text(s.population.in));
    line("went out", to_text(s.population.out));
    line("late", late_line(s.population));
  }
  if (s.sleep.is_possible) line("asleep", asleep_line(s.sleep));
  line("state", record::to_hex(s.state_hash));
  if (!s.output.empty()) line("record", s.output);
  return printable(text);
}

}  // namespace talus::sim
