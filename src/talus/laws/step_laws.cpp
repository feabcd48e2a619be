#include <talus/laws/step_laws.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include <talus/laws/drag_share.hpp>
#include <talus/laws/joint_lcp.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/linalg/aitken_relaxation.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::laws {
namespace {

using problem::SolveStatus;

constexpr int kMostRounds = 400;
constexpr int kMostSecants = 100;
constexpr int kSecants = 3;  // rounds in a row

Real sign(Real x) { return static_cast<Real>((x > 0) - (x < 0)); }

/// Λ = value at a rate and normal impulse, and its linear form Λ = offset + slope γ' + share Λ_N.
struct Linear {
  Real value = 0, offset = 0, slope = 0, share = 0;
  bool is_there = true;
};

class StepSolver {
 public:
  explicit StepSolver(const StepProblem& problem);
  [[nodiscard]] StepImpulses run();

 private:
  [[nodiscard]] Index normal_count() const { return static_cast<Index>(p_.normals.size()); }
  [[nodiscard]] bool is_compliant(Index i) const { return !model::is_rigid(*p_.normals[i].law); }
  [[nodiscard]] Real bound(std::size_t f, bool is_held) const;
  [[nodiscard]] std::pair<Real, Real> bounds(std::size_t f) const;
  [[nodiscard]] Real pressing(std::size_t f) const;
  [[nodiscard]] Real value(std::size_t f, Real rate, Real normal) const;
  [[nodiscard]] Linear compliance(Index i) const;
  [[nodiscard]] Linear function(std::size_t f, bool is_secant) const;
  [[nodiscard]] bool press_again();
  /// The LCP of one round.
  struct Round {
    std::vector<Index> rows;   // of the LCP, as positions in the problem
    std::vector<Index> place;  // of every normal among them, −1: it is not there
    std::vector<Index> acts;   // rows that impulses of the LCP act along: their own, or of a drag
    VecX ways;                 // and in which direction
    MatX G;                    // columns of G: the rates of the problem by these impulses
    Index normals = 0;
    VecX soften, shift;  // per row of the problem: added to the diagonal of G, and to b
    ContactLcp lcp;
    std::vector<JointNormalForce> joint_normals;
    std::vector<Index> first_reaction;  // per press
  };
  /// Laws that are functions, Λ_S = c + C Λ_R in the impulses of the LCP.
  struct FunctionForm {
    VecX c;
    MatX C;
  };
  void add_normals(Round& round) const;
  void add_frictions(Round& round) const;
  void find_actions(Round& round) const;
  [[nodiscard]] FunctionForm eliminate_functions(const Round& round, bool is_secant) const;
  void form_rates(Round& round, const FunctionForm& functions) const;
  void form_reactions(Round& round, const FunctionForm& functions) const;
  void report_round(const Round& round, const ContactForces& forces);
  void set_impulses(const Round& round, const FunctionForm& functions, const VecX& impulse);
  [[nodiscard]] bool solve_round(bool is_secant);
  [[nodiscard]] Real miss() const;
  [[nodiscard]] bool drags_otherwise();
  [[nodiscard]] bool steps_back();
  [[nodiscard]] bool release_held();
  [[nodiscard]] bool hold_on_reversal();
  void remember();

  /// Every row of the problem once; a viscous set-valued friction a second time, for c alone.
  struct Function {
    std::size_t friction;
    Index row;
    bool is_viscous;  // the viscous part alone
  };

  /// What the next round is linearised about.
  struct Present {
    VecX impulse, rate;
  };
  [[nodiscard]] Present present() const { return {answer_.impulse, answer_.rate}; }
  void go_back(const Present& to) {
    answer_.impulse = to.impulse;
    answer_.rate = to.rate;
  }

  const StepProblem& p_;
  const MatX G_;
  StepImpulses answer_;
  std::vector<bool> is_set_valued_, is_held_, is_caught_;  // per friction
  std::vector<DragShare> drag_;                            // per normal
  bool dahl_follows_ = false;  // in a round, Dahl's forces follow what presses
  std::vector<Function> functions_;
  VecX function_impulse_;          // per function
  VecX pressure_, pressure_miss_;  // impulses that press on joints, per friction
  linalg::AitkenRelaxation relaxation_;
  VecX through_;  // rates that secants go through; empty: 0
};

StepSolver::StepSolver(const StepProblem& problem) : p_(problem), G_(problem.G) {
  const auto count = p_.frictions.size();
  is_set_valued_.resize(count);
  is_held_.resize(count);
  is_caught_.resize(count, false);
  drag_.resize(p_.normals.size());
  bool has_joints = false;
  for (std::size_t f = 0; f < count; ++f) {
    const FrictionElement& element = *p_.frictions[f].element;
    is_set_valued_[f] = element.has_stick;
    is_held_[f] = p_.frictions[f].is_held;
    const Index row = normal_count() + static_cast<Index>(f);
    const bool is_rolling = element.kind == FrictionElement::Kind::rolling;
    if (!element.has_stick)
      functions_.push_back({f, row, false});
    else if (!is_rolling && element.law->viscous > 0)
      functions_.push_back({f, row, true});
    has_joints |= p_.frictions[f].normal < 0;
    dahl_follows_ |= p_.frictions[f].normal >= 0 && element.dahl >= 0;
  }
  function_impulse_ = VecX::Zero(static_cast<Index>(functions_.size()));
  pressure_ = pressure_miss_ = VecX::Zero(static_cast<Index>(count));
  go_back({VecX::Zero(p_.b.size()), p_.b});
  answer_.lambda = p_.lambda;
  relaxation_.start(pressure_.size());
  if (has_joints) {
    (void)press_again();
    relaxation_.start(pressure_.size());
  }
}

/// The friction coefficient of a set-valued law in this step.
Real StepSolver::bound(std::size_t f, bool is_held) const {
  const FrictionElement& element = *p_.frictions[f].element;
  if (is_held) return element.static_friction;
  if (element.kind == FrictionElement::Kind::rolling ||
      !std::holds_alternative<model::StribeckFriction>(element.law->kind))
    return element.kinetic_friction;
  const Real v = std::abs(p_.frictions[f].before);
  return v > 0 ? -model::slip_force(*element.law, v, 1) - element.law->viscous * v
               : element.static_friction;
}

/// Between which multiples of the normal impulse a set-valued friction is. One that turns round is
/// held with μ₀ against its new direction; against the old one it has slid.
std::pair<Real, Real> StepSolver::bounds(std::size_t f) const {
  const Real mu = bound(f, is_held_[f]);
  if (!is_held_[f] || !is_caught_[f]) return {-mu, mu};
  const Real slid = std::min(bound(f, false), mu);
  return p_.frictions[f].before > 0 ? std::pair(-slid, mu) : std::pair(-mu, slid);
}

/// The impulse that presses on a friction.
Real StepSolver::pressing(std::size_t f) const {
  const Index normal = p_.frictions[f].normal;
  if (normal >= 0) return answer_.impulse[normal];
  if (p_.frictions[f].first_reaction < 0) return p_.h * p_.frictions[f].element->preload;
  return pressure_[static_cast<Index>(f)];
}

/// Pressures in joints whose friction is a function, from the present reactions; whether they have
/// come to rest. Those of set-valued ones are unknowns of the LCP.
bool StepSolver::press_again() {
  Real size = 0, change = 0;
  pressure_miss_.setZero();
  for (std::size_t f = 0; f < p_.frictions.size(); ++f) {
    const StepFriction& friction = p_.frictions[f];
    if (friction.first_reaction < 0 || is_set_valued_[f]) continue;
    const auto at = static_cast<Index>(f);
    const Real now =
        p_.h * joint_normal_force(*friction.element, answer_.lambda[friction.first_reaction] / p_.h,
                                  answer_.lambda[friction.first_reaction + 1] / p_.h);
    pressure_miss_[at] = now - pressure_[at];
    size = std::max(size, now);
    change = std::max(change, std::abs(pressure_miss_[at]));
  }
  if (change <= tolerance::kLawMet * size) return true;
  relaxation_.step(pressure_miss_, pressure_);
  pressure_ = pressure_.cwiseMax(0);
  return false;
}

/// Λ_T of a law that is a function, its viscous part included.
Real StepSolver::value(std::size_t f, Real rate, Real normal) const {
  const StepFriction& friction = p_.frictions[f];
  const model::FrictionModel& law = *friction.element->law;
  if (friction.element->dahl < 0) return p_.h * model::slip_force(law, rate, normal / p_.h);
  return -p_.h *
         (model::dahl_force(law, friction.dahl, p_.h * rate, normal / p_.h) + law.viscous * rate);
}

/// The force of a compliant normal at a rate γ'.
model::NormalForce force_of(const StepNormal& normal, Real rate, Real h, Real theta) {
  return model::normal_force_slopes(
      *normal.law, normal.penetration - theta * theta * h * (rate - normal.before),
      -(theta * rate + (1 - theta) * normal.before), normal.impact_rate);
}

/// That from which on there is none.
Real opening_rate(const StepNormal& normal, Real h, Real theta) {
  return model::opening_rate(normal.before + normal.penetration / (theta * theta * h),
                             [&](Real rate) { return force_of(normal, rate, h, theta).value; });
}

Linear StepSolver::compliance(Index i) const {
  const StepNormal& normal = p_.normals[static_cast<std::size_t>(i)];
  const Real rate = answer_.rate[i];
  const model::NormalForce force = force_of(normal, rate, p_.h, p_.theta);
  Linear linear;
  linear.value = p_.h * force.value;
  linear.slope = -p_.h * p_.theta * (p_.theta * p_.h * force.by_penetration + force.by_rate);
  linear.offset = linear.value - linear.slope * rate;
  linear.is_there = -linear.slope * G_(i, i) > tolerance::kSoftness;
  return linear;
}

Linear StepSolver::function(std::size_t k, bool is_secant) const {
  const Function& at = functions_[k];
  const StepFriction& friction = p_.frictions[at.friction];
  const model::FrictionModel& law = *friction.element->law;
  const Real rate = answer_.rate[at.row];
  const bool is_dragged = friction.normal < 0 || drag_[friction.normal].is_full();
  const Real left = is_dragged ? Real(0) : p_.h * law.viscous;  // which value() has, but it has not
  Linear linear;
  if (at.is_viscous) {
    linear.slope = left - p_.h * law.viscous;
    linear.value = linear.slope * rate;
    return linear;
  }
  const Real normal = pressing(at.friction);
  linear.value = value(at.friction, rate, normal);
  if (friction.element->dahl >= 0) {
    const Real force = model::dahl_force(law, friction.dahl, p_.h * rate, normal / p_.h);
    const Real direction = rate == 0 ? 1 : sign(rate);
    linear.slope =
        -p_.h * p_.h * direction * model::dahl_rate(law, force, direction, normal / p_.h) -
        p_.h * law.viscous;
    if (dahl_follows_ && friction.normal >= 0)
      linear.share = -model::dahl_force_by_normal(law, friction.dahl, p_.h * rate, normal / p_.h);
  } else {
    linear.slope = p_.h * model::slip_force_slope(law, rate, normal / p_.h);
    if (friction.normal >= 0) linear.share = model::slip_force(law, rate, 1) + law.viscous * rate;
  }
  const Real from = through_.size() > 0 ? through_[at.row] : 0;
  if (is_secant && rate != from)
    linear.slope = (linear.value - value(at.friction, from, normal)) / (rate - from);
  linear.value += left * rate;
  linear.slope += left;
  linear.offset = linear.value - linear.slope * rate - linear.share * normal;
  return linear;
}

/// Rigid contacts, and compliant ones as far as they are there: soft, −Λ/slope.
void StepSolver::add_normals(Round& round) const {
  round.place.assign(p_.normals.size(), -1);
  round.soften = round.shift = VecX::Zero(p_.b.size());
  for (Index i = 0; i < normal_count(); ++i) {
    const StepNormal& normal = p_.normals[static_cast<std::size_t>(i)];
    round.shift[i] = normal.shift;
    if (is_compliant(i) && drag_[i].is_part()) {
      round.shift[i] = -opening_rate(normal, p_.h, p_.theta);
    } else if (is_compliant(i)) {
      const Linear linear = compliance(i);
      if (!linear.is_there) continue;
      round.soften[i] = -1 / linear.slope;
      round.shift[i] = linear.offset / linear.slope;
    }
    round.place[static_cast<std::size_t>(i)] = static_cast<Index>(round.rows.size());
    round.rows.push_back(i);
  }
  round.normals = static_cast<Index>(round.rows.size());
}

/// Set-valued frictions, γ' + ε_T γ in the place of γ'.
void StepSolver::add_frictions(Round& round) const {
  for (std::size_t f = 0; f < p_.frictions.size(); ++f) {
    const StepFriction& friction = p_.frictions[f];
    if (!is_set_valued_[f]) continue;
    const bool is_joint = friction.normal < 0;
    const Index at = is_joint ? -1 : round.place[static_cast<std::size_t>(friction.normal)];
    const auto [lower, upper] = bounds(f);
    const Index row = normal_count() + static_cast<Index>(f);
    if (std::max(-lower, upper) == 0 || (!is_joint && (at < 0 || drag_[friction.normal].is_part())))
      continue;
    round.shift[row] = friction.restitution * friction.before;
    round.rows.push_back(row);
    if (is_joint && friction.first_reaction < 0) {
      const Real pressed = p_.h * friction.element->preload;
      round.lcp.frictions.push_back({-1, 0, 0, lower * pressed, upper * pressed});
    } else if (is_joint) {
      JointNormalForce joint_normal;
      joint_normal.friction = static_cast<Index>(round.lcp.frictions.size());
      joint_normal.element = friction.element;
      joint_normal.lower_slope = lower;
      joint_normal.upper_slope = upper;
      joint_normal.preload = p_.h * friction.element->preload;
      round.joint_normals.push_back(joint_normal);
      round.first_reaction.push_back(friction.first_reaction);
      round.lcp.frictions.push_back({at, 0, 0, 0, 0});
    } else {
      round.lcp.frictions.push_back({at, lower, upper, 0, 0});
    }
  }
}

/// A contact that drags in part bears nothing: what keeps it closed is its drag.
void StepSolver::find_actions(Round& round) const {
  round.acts = round.rows;
  round.ways = VecX::Ones(std::ssize(round.rows));
  for (const Function& function : functions_) {
    const Index normal = p_.frictions[function.friction].normal;
    if (normal < 0 || !drag_[normal].is_part()) continue;
    const Index at = round.place[static_cast<std::size_t>(normal)];
    round.acts[static_cast<std::size_t>(at)] = function.row;
    round.ways[at] = -drag_[normal].direction();
  }
  round.G = G_(Eigen::all, round.acts) * round.ways.asDiagonal();
}

/// Functions as Λ_S = c + C Λ_R, from A Λ_S = c₀ + C₀ Λ_R: each depends on the impulses of all.
StepSolver::FunctionForm StepSolver::eliminate_functions(const Round& round, bool is_secant) const {
  const auto n = static_cast<Index>(round.rows.size()), s = static_cast<Index>(functions_.size());
  MatX C = MatX::Zero(s, n), A = MatX::Identity(s, s);
  VecX c(s);
  for (Index i = 0; i < s; ++i) {
    const Function& at = functions_[static_cast<std::size_t>(i)];
    const Linear linear = function(static_cast<std::size_t>(i), is_secant);
    c[i] = linear.offset + linear.slope * p_.b[at.row];
    for (Index j = 0; j < s; ++j)
      A(i, j) -= linear.slope * G_(at.row, functions_[static_cast<std::size_t>(j)].row);
    for (Index j = 0; j < n; ++j) C(i, j) = linear.slope * round.G(at.row, j);
    const Index normal = p_.frictions[at.friction].normal;
    if (normal >= 0 && round.place[static_cast<std::size_t>(normal)] >= 0 &&
        !drag_[normal].is_part())
      C(i, round.place[static_cast<std::size_t>(normal)]) += linear.share;
  }
  if (s > 0) {
    const linalg::PartialPivLu lu(A);
    c = lu.solve(c);
    C = lu.solve(C);
  }
  return {c, C};
}

/// γ' of the LCP's rows, functions eliminated: (G_RR + G_RS C) Λ_R + b + shift + G_RS c.
void StepSolver::form_rates(Round& round, const FunctionForm& functions) const {
  const std::vector<Index>& rows = round.rows;
  const auto n = static_cast<Index>(rows.size()), s = static_cast<Index>(functions_.size());
  ContactLcp& lcp = round.lcp;
  lcp.is_impact = true;  // impulses and velocities
  lcp.G.resize(n, n);
  lcp.b.resize(n);
  for (Index i = 0; i < n; ++i) {
    lcp.b[i] = p_.b[rows[i]] + round.shift[rows[i]];
    for (Index j = 0; j < n; ++j) lcp.G(i, j) = round.G(rows[i], j);
    for (Index j = 0; j < s; ++j) {
      const Real share = G_(rows[i], functions_[static_cast<std::size_t>(j)].row);
      lcp.b[i] += share * functions.c[j];
      lcp.G.row(i) += share * functions.C.row(j);
    }
    lcp.G(i, i) += round.soften[rows[i]];
  }
}

/// Reactions of joints with friction, functions eliminated: λ + L_R Λ_R + L_S (c + C Λ_R).
void StepSolver::form_reactions(Round& round, const FunctionForm& functions) const {
  const auto s = static_cast<Index>(functions_.size());
  for (std::size_t i = 0; i < round.joint_normals.size(); ++i) {
    JointNormalForce& joint_normal = round.joint_normals[i];
    const MatX L = p_.L.middleRows(round.first_reaction[i], 2);
    joint_normal.free = p_.lambda.segment<2>(round.first_reaction[i]);
    joint_normal.X = L(Eigen::all, round.acts) * round.ways.asDiagonal();
    for (Index j = 0; j < s; ++j) {
      const Vec2 by = L.col(functions_[static_cast<std::size_t>(j)].row);
      joint_normal.free += by * functions.c[j];
      joint_normal.X += by * functions.C.row(j);
    }
  }
}

/// Status, certificate and counts of a round's LCP.
void StepSolver::report_round(const Round& round, const ContactForces& forces) {
  const auto n = static_cast<Index>(round.rows.size());
  ++answer_.solves;
  answer_.pivots += forces.pivots;
  answer_.largest = std::max(answer_.largest, 2 * n - round.normals);
  answer_.status = forces.status;
  answer_.detail = forces.detail;
  answer_.unsolved = forces.unsolved;
  answer_.certificate = forces.certificate;
  const std::vector<FrictionRow>& frictions = round.lcp.frictions;
  Index& worst = answer_.certificate.worst_contact;  // of the LCP's unknowns
  if (worst >= round.normals && !frictions.empty())
    worst = frictions[static_cast<std::size_t>(worst - round.normals) % frictions.size()].normal;
  if (worst >= 0) worst = round.rows[worst];
}

/// All impulses, rates and reactions from the LCP's impulses.
void StepSolver::set_impulses(const Round& round, const FunctionForm& functions,
                              const VecX& impulse) {
  answer_.impulse.setZero();
  for (std::size_t i = 0; i < round.rows.size(); ++i)
    answer_.impulse[round.acts[i]] =
        round.ways[static_cast<Index>(i)] * impulse[static_cast<Index>(i)];
  function_impulse_ = functions.c + functions.C * impulse;
  for (std::size_t i = 0; i < functions_.size(); ++i)
    answer_.impulse[functions_[i].row] += function_impulse_[static_cast<Index>(i)];
  answer_.rate = G_ * answer_.impulse + p_.b;
  answer_.lambda = p_.lambda + p_.L * answer_.impulse;
}

/// One LCP in which functions are straight lines; the impulses and rates that follow.
bool StepSolver::solve_round(bool is_secant) {
  Round round;
  add_normals(round);
  add_frictions(round);
  find_actions(round);
  const FunctionForm functions = eliminate_functions(round, is_secant);
  form_rates(round, functions);
  form_reactions(round, functions);
  const ContactForces forces = solve(round.lcp, round.joint_normals);
  report_round(round, forces);
  if (forces.status != SolveStatus::converged) return false;
  set_impulses(round, functions, forces.force);
  return true;
}

/// How far functions are from their values, over what can be asked of them; met at 1 and below.
Real StepSolver::miss() const {
  Real worst = 0;
  const Real largest = answer_.impulse.lpNorm<Eigen::Infinity>();
  const auto judge = [&](Index row, Real impulse, const Linear& linear) {
    const Real sum = std::abs(p_.b[row]) + G_.row(row).cwiseAbs().dot(answer_.impulse.cwiseAbs());
    const Real allowed = tolerance::kLawMet * std::max(std::abs(impulse), std::abs(linear.value)) +
                         tolerance::kRateRounding * (std::abs(linear.slope) * sum + largest);
    const Real off = std::abs(impulse - linear.value);
    if (off > 0) worst = std::max(worst, off / allowed);
  };
  for (Index i = 0; i < normal_count(); ++i) {
    if (!is_compliant(i)) continue;
    const Linear linear = compliance(i);
    if (linear.is_there || answer_.impulse[i] > 0) judge(i, answer_.impulse[i], linear);
  }
  for (std::size_t k = 0; k < functions_.size(); ++k)
    judge(functions_[k].row, function_impulse_[static_cast<Index>(k)], function(k, false));
  return worst;
}

/// Whether a contact bears something that bore nothing, or the reverse: surfaces that are apart
/// slide at no velocity. One that all of its drag opens and none of it closes drags in part.
bool StepSolver::drags_otherwise() {
  bool any = false;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const Function& function = functions_[k];
    const StepFriction& friction = p_.frictions[function.friction];
    const Real viscous = p_.h * friction.element->law->viscous;
    if (friction.normal < 0 || viscous == 0) continue;
    const Real drag = answer_.impulse[function.row] - function_impulse_[static_cast<Index>(k)];
    any |= drag_[friction.normal].follow(answer_.impulse[friction.normal] > 0,
                                         answer_.rate[function.row], drag, viscous);
  }
  return any;
}

/// Where a round has no answer all begins again without drags in part, which are none then, or else
/// with Dahl's forces as they are, whatever presses. @return whether there were any of these.
bool StepSolver::steps_back() {
  go_back({VecX::Zero(p_.b.size()), p_.b});
  bool any = false;
  for (DragShare& drag : drag_) any |= drag.give_up();
  return any || std::exchange(dahl_follows_, false);
}

/// Whether a friction slips that was held; it bears μ from now on.
bool StepSolver::release_held() {
  bool any = false;
  for (std::size_t f = 0; f < p_.frictions.size(); ++f) {
    const StepFriction& friction = p_.frictions[f];
    if (!is_set_valued_[f] || !is_held_[f] || bound(f, true) == friction.element->kinetic_friction)
      continue;
    const Index row = normal_count() + static_cast<Index>(f);
    const Real sum = std::abs(p_.b[row]) + G_.row(row).cwiseAbs().dot(answer_.impulse.cwiseAbs());
    if (std::abs(answer_.rate[row] + friction.restitution * friction.before) <=
        100 * tolerance::kLawMet * sum)
      continue;
    is_held_[f] = false;
    any = true;
  }
  return any;
}

/// Whether a friction turns round that slid: at rest in between it bears μ₀, and from then on in
/// this step, unless it slips under that too.
bool StepSolver::hold_on_reversal() {
  bool any = false;
  for (std::size_t f = 0; f < p_.frictions.size(); ++f) {
    const StepFriction& friction = p_.frictions[f];
    const FrictionElement& element = *friction.element;
    const Real after = answer_.rate[normal_count() + static_cast<Index>(f)];
    if (!is_set_valued_[f] || is_caught_[f] || friction.is_held || friction.restitution > 0 ||
        !(element.static_friction > element.kinetic_friction) || !(friction.before * after < 0))
      continue;
    is_held_[f] = is_caught_[f] = true;
    any = true;
  }
  return any;
}

/// Who sticks, and Dahl's forces.
void StepSolver::remember() {
  answer_.memory = VecX::Zero(static_cast<Index>(p_.frictions.size()));
  for (std::size_t f = 0; f < p_.frictions.size(); ++f) {
    const StepFriction& friction = p_.frictions[f];
    const auto at = static_cast<Index>(f);
    const Index row = normal_count() + at;
    if (friction.element->dahl >= 0) {
      answer_.memory[at] = model::dahl_force(*friction.element->law, friction.dahl,
                                             p_.h * answer_.rate[row], pressing(f) / p_.h);
    } else if (is_set_valued_[f] && (friction.normal < 0 || pressing(f) > 0)) {
      const Real sum = std::abs(p_.b[row]) + G_.row(row).cwiseAbs().dot(answer_.impulse.cwiseAbs());
      answer_.memory[at] = std::abs(answer_.rate[row]) <= 100 * tolerance::kLawMet * sum ? 1 : 0;
    }
  }
}

StepImpulses StepSolver::run() {
  answer_.status = SolveStatus::converged;
  answer_.certificate.is_finite = true;
  int burst = kSecants, secants = kSecants;
  Real last = 0;
  bool is_chord = false;
  Present before = present();
  for (int round = 0; p_.b.size() > 0; ++round) {
    const bool is_secant = secants-- > 0;
    const VecX last_rate = answer_.rate;
    bool is_solved = solve_round(is_secant);
    while (!is_solved && steps_back()) is_solved = solve_round(true);
    if (!is_solved) break;
    through_ = is_chord ? last_rate : VecX();
    const Real now = miss();
    const bool is_pressed = press_again();
    const bool is_otherwise = drags_otherwise();
    if (now <= 1 && is_pressed && !is_otherwise) {
      if (!release_held() && !hold_on_reversal()) break;
      burst = secants = kSecants;
      continue;
    }
    if (round == kMostRounds) {
      answer_.status = SolveStatus::stalled;
      answer_.detail = is_pressed ? "laws that are functions of the velocity are not met: take a "
                                    "smaller step"
                                  : "friction jams a joint: its normal force does not settle";
      break;
    }
    if (!is_secant && now > 1 && now > last / 2) {
      if (now > last) go_back(before);
      burst = std::min(2 * burst, kMostSecants);
      secants = burst;
      is_chord = !is_chord;
      if (!is_chord) through_ = VecX();
    } else {
      before = present();
    }
    last = now;
  }
  remember();
  if (answer_.status != SolveStatus::converged) answer_.unanswered = rising(p_.b.size());
  return answer_;
}

}  // namespace

std::vector<Index> rising(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

StepImpulses solve(const StepProblem& problem) { return StepSolver(problem).run(); }

LcpStatistics statistics(const StepImpulses& answer) {
  LcpStatistics lcp;
  lcp.count = answer.solves;
  lcp.largest = answer.largest;
  lcp.pivots = lcp.most_pivots = answer.pivots;
  lcp.unsolved = answer.unsolved;
  return lcp;
}

}  // namespace talus::laws
