#include <talus/sim/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/exchange/lcp_file.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/reader.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::sim {
namespace {

namespace fs = std::filesystem;

bool moves(const model::Model& model, const model::State& state, Index body) {
  return model.bodies[body].kind == model::BodyKind::dynamic && state.is_present(body);
}

/// Largest over smallest mass of the dynamic bodies that are there; 1 without any.
Real mass_ratio(const model::Model& model, const model::State& state) {
  Real low = 0, high = 0;
  for (Index i = 0; i < model.body_count(); ++i) {
    if (!moves(model, state, i)) continue;
    const model::Body& body = model.bodies[i];
    low = low == 0 ? body.mass : std::min(low, body.mass);
    high = std::max(high, body.mass);
  }
  return low > 0 ? high / low : 1;
}

Index dynamic_count(const model::Model& model, const model::State& state) {
  Index count = 0;
  for (Index i = 0; i < model.body_count(); ++i) count += moves(model, state, i) ? 1 : 0;
  return count;
}

std::string what_happened(const scene::Scene& scene, const stepping::Scheme& scheme,
                          const stepping::StepReport& report, Index step, Real time) {
  const driver::Options& options = scene.scheme.solver;
  std::string text =
      fmt::format("step {}, t = {:.6g} s: {} ended with {} after {} iterations", step, time,
                  scene.model.dimension == 2 ? scene.scheme.scheme : options.solver,
                  problem::to_string(report.status), report.iterations);
  if (report.certificate.is_finite) {
    const certify::Certificate::Measure worst = report.certificate.worst(options.tolerance);
    text += fmt::format(", {} {:.2e} (asked {:g})", worst.name, worst.value, worst.limit);
  }
  const auto& contacts = scheme.contacts();
  const Index worst = report.certificate.worst_contact;
  if (worst >= 0 && worst < static_cast<Index>(contacts.size())) {
    const stepping::StepContact& contact = contacts[worst];
    const model::Body& a = scene.model.bodies[contact.body_a];
    const model::Body& b = scene.model.bodies[contact.body_b];
    text += fmt::format(
        ", worst contact {}: {}, μ = {:g}", worst, contact_bodies(scene.model, contact),
        std::isnan(contact.friction) ? scene.model.law(a.material, b.material).friction.coefficient
                                     : contact.friction);
  }
  if (!report.detail.empty()) text += "\n  " + report.detail;
  return text;
}

std::string frequent_causes(const scene::Scene& scene, const stepping::StepReport& report,
                            const model::State& state) {
  const Index bodies = std::max<Index>(1, dynamic_count(scene.model, state));
  std::string text =
      fmt::format("causes seen often: too long a step ({:g} s here), ", scene.step_size);
  if (report.contact_count > 0)
    append(text, "over-constrained contacts ({:.1f} per dynamic body here), ",
           static_cast<double>(report.contact_count) / static_cast<double>(bodies));
  append(text, "mass ratio ({:.1e} here), ", mass_ratio(scene.model, state));
  if (report.contact_count > 0 || report.max_penetration > 0)
    append(text, "deep overlap ({:.1e} m here), ", report.max_penetration);
  return text + "tolerance below round-off";
}

std::vector<std::string> names_of(const model::Model& model) {
  std::vector<std::string> names;
  for (Index i = 0; i < model.body_count(); ++i) names.push_back(model.body_name(i));
  return names;
}

/// `run.h5` gives `run.failed_0001042.hdf5`.
fs::path beside(const fs::path& stem, const std::string& tail) {
  fs::path path = stem;
  path += tail;
  return path;
}

}  // namespace

std::string contact_bodies(const model::Model& model, const stepping::StepContact& contact) {
  return model.body_name(contact.body_a) + "–" + model.body_name(contact.body_b);
}

Failure save_failure(const scene::Scene& scene, const stepping::Scheme& scheme,
                     const stepping::StepReport& report, record::Checkpoint last_good,
                     const fs::path& stem) {
  Failure failure;
  const Index step = failure.step = last_good.step + 1;
  const Real time = scene.initial.time + static_cast<Real>(step) * scene.step_size;
  const std::string what = what_happened(scene, scheme, report, step, time);
  failure.message = what;
  if (scene.model.dimension != 2)  // LCPs say themselves what is wrong
    failure.message += '\n' + frequent_causes(scene, report, last_good.state);
  const auto saving = [&](const fs::path& path, fs::path& saved, const auto& write) {
    if (stem.empty()) return;
    try {
      if (write(path)) saved = path;
    } catch (const InputError& error) {
      failure.message += std::string("\nnot saved: ") + error.what();
    }
  };
  saving(beside(stem, fmt::format(".failed_{:07}.hdf5", step)), failure.problem,
         [&](const fs::path& path) {
           if (report.lcp.unsolved) {
             exchange::write_lcp(path.string(), *report.lcp.unsolved, what);
             return true;
           }
           const auto problem = scheme.last_problem();
           if (problem)
             exchange::write_fclib(path.string(), *problem, what);
           else if (scene.model.spatial_machine)
             failure.message +=
                 "\nproblem not saved: joints have no file format; the state repeats it";
           else if (scene.model.dimension != 2)  // planar ones have none but LCPs without answer
             failure.message += "\nproblem not saved: its kind has no file format";
           return problem.has_value();
         });
  saving(beside(stem, fmt::format(".state_{:07}.h5", step)), failure.state,
         [&](const fs::path& path) {
           last_good.body_names = names_of(scene.model);
           record::write_checkpoint(path, last_good);
           return true;
         });
  if (!failure.problem.empty()) {
    const driver::Options& options = scene.scheme.solver;
    failure.again =
        fmt::format("talus solve {} --solver {} --tol {:g}", shell_word(failure.problem.string()),
                    options.solver, options.tolerance);
    failure.message += "\nsaved: " + failure.problem.string() + "    again: " + failure.again;
  }
  if (!failure.state.empty()) failure.message += "\nlast good state: " + failure.state.string();
  return failure;
}

}  // namespace talus::sim
