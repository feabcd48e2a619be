#include <talus/stepping/stewart_trinkle.hpp>

#include <algorithm>
#include <set>
#include <tuple>

#include <talus/base/contract.hpp>
#include <talus/driver/solve.hpp>
#include <talus/problem/convert.hpp>
#include <talus/stepping/detail/contact_scheme.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr int kMaxAdditions = 50;  // rounds of active-set additions in one step

class StewartTrinkle final : public detail::ContactScheme {
 public:
  StewartTrinkle(const model::Model& model, const SchemeOptions& options)
      : ContactScheme(model, options) {
    TALUS_DEMAND(options.directions >= 4 && options.directions % 2 == 0);
  }

  StepReport step(model::State& state, Real h) override;

 private:
  using Name = std::tuple<std::uint32_t, std::uint32_t, geometry::FeatureId>;
  static Name name(const collision::Contact& contact) {
    return {contact.a, contact.b, contact.feature};
  }

  void solve_active(const model::State& state, const model::State& predictor, Real h,
                    StepReport& report);
  void solve_polyhedral(StepReport& report);
  bool add_violated(const model::State& next, Real h);

  std::set<Name> active_;                       // names of the contacts in the LCP: contacts_
  std::vector<collision::Contact> candidates_;  // within the margins at the predictor
  std::vector<collision::Contact> reached_;     // within the margins at q'
};

/// Forms and solves the problem of the active contacts; leaves v' in velocity_, angular_velocity_.
void StewartTrinkle::solve_active(const model::State& state, const model::State& predictor, Real h,
                                  StepReport& report) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  contacts_.clear();
  terms_.clear();
  for (const collision::Contact& contact : candidates_) {
    if (!active_.contains(name(contact))) continue;
    const Real un =
        bodies.normal_velocity(contact, predictor.position, state.velocity, state.angular_velocity);
    contacts_.push_back(contact);
    terms_.push_back({contact.gap / h - un, law_of(contact).friction});
  }
  bodies.load(predictor, free_velocity_, free_angular_velocity_, problem_);
  bodies.add(contacts_, terms_, predictor.position, problem_, order_);
  if (options_.solver.solver == "lemke" || options_.solver.solver == "auto") {
    solve_polyhedral(report);
  } else {
    step_contacts_.warm_start(contacts_, order_, h, guess_);
    driver::solve(problem_, options_.solver, guess_, solution_);
    report.status = solution_.report.status;
    report.detail = solution_.report.detail;
    report.certificate = solution_.certificate;
    report.iterations += solution_.report.iterations;
  }
  bodies.store(solution_.velocity, velocity_, angular_velocity_);
}

/// The LCP (29) itself; the impulses of its solution move the bodies.
void StewartTrinkle::solve_polyhedral(StepReport& report) {
  const problem::FrictionContact local = problem::to_local(problem_, stewart_trinkle_frame);
  const problem::PolyhedralLcp polyhedral = problem::to_lcp(local, options_.directions);
  if (!polyhedral.lcp.M.allFinite() || !polyhedral.lcp.q.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the LCP of the step is not finite";
    solution_.impulse.assign(problem_.contact_count(), Vec3::Zero());
    solution_.velocity = problem_.bodies;
    return;
  }
  driver::Options options = options_.solver;
  options.solver = "lemke";
  const auto answer = driver::solve(polyhedral.lcp, options);
  report.status = answer.report.status;
  report.detail = answer.report.detail;
  report.certificate = answer.certificate;
  report.iterations += answer.report.iterations;
  const Index contact_count = local.contact_count();
  if (report.certificate.worst_contact >=
      0) {  // row of the LCP -> contact: all β first, then r_N, then λ
    const Index row = report.certificate.worst_contact,
                beta_count = options_.directions * contact_count;
    report.certificate.worst_contact =
        row < beta_count ? row / options_.directions : (row - beta_count) % contact_count;
  }
  const VecX impulse = polyhedral.impulse * answer.z;
  solution_.impulse = problem::impulses_to_world(problem_, impulse, stewart_trinkle_frame);
  solution_.velocity = problem_.bodies;
  problem::apply_impulses(problem_, solution_.impulse, solution_.velocity);
}

/// Adds the contacts that are violated at q' and were not in the LCP, and widens the margins to the
/// way that the bodies really go, so that the next search at q* has them among its candidates; true
/// if there is anything to add.
bool StewartTrinkle::add_violated(const model::State& next, Real h) {
  step_contacts_.travel(velocity_, angular_velocity_, h, new_travel_);
  for (std::size_t i = 0; i < travel_.size(); ++i)
    travel_[i] = std::max(travel_[i], new_travel_[i]);
  step_contacts_.detect(next, travel_, reached_);
  bool is_changed = false;
  for (const collision::Contact& contact : reached_)
    if (contact.gap < 0) is_changed |= active_.insert(name(contact)).second;
  return is_changed;
}

StepReport StewartTrinkle::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  dynamics::RigidBodies& bodies = step_contacts_.bodies();
  bodies.free_velocities(state, h, free_velocity_, free_angular_velocity_);

  velocity_ = state.velocity;
  angular_velocity_ = state.angular_velocity;
  const model::State predictor = advance(state, velocity_, h);  // q* = q + h v
  step_contacts_.travel(free_velocity_, free_angular_velocity_, h, travel_);

  active_.clear();
  for (const StepContact& contact : step_contacts_.contacts())
    if (!contact.impulse.isZero(0))
      active_.insert({static_cast<std::uint32_t>(contact.body_a),
                      static_cast<std::uint32_t>(contact.body_b), contact.feature});
  StepReport report;
  model::State next;
  bool is_complete = false;
  for (int round = 0; !is_complete && round < kMaxAdditions; ++round) {
    step_contacts_.detect(predictor, travel_, candidates_);
    for (const collision::Contact& contact : candidates_)
      if (contact.gap < 0) active_.insert(name(contact));
    solve_active(state, predictor, h, report);
    next = advance(state, velocity_, h);
    if (!next.is_finite()) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    is_complete = !add_violated(next, h);
  }

  if (!is_complete && report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail = "contacts are still violated after all active-set additions";
  }
  report.contact_count = static_cast<Index>(contacts_.size());
  report.max_penetration = StepContacts::max_penetration(reached_);
  if (report.status != SolveStatus::numerical_error)
    step_contacts_.remember(contacts_, order_, solution_.impulse, h);
  take(std::move(next), state, report);
  return report;
}

}  // namespace

Mat3 stewart_trinkle_frame(const Vec3& normal) {
  const Vec3 across = normal.cross(Vec3::UnitZ());
  const Real size = across.norm();
  Mat3 frame;
  frame.col(0) = normal;
  frame.col(1) = size > 0 ? Vec3(across / size) : Vec3(Vec3::UnitX());
  frame.col(2) = frame.col(1).cross(normal);
  return frame;
}

std::unique_ptr<Scheme> make_stewart_trinkle(const model::Model& model,
                                             const SchemeOptions& options) {
  return std::make_unique<StewartTrinkle>(model, options);
}

}  // namespace talus::stepping
