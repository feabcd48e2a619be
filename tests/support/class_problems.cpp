#include "support/class_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <talus/linalg/dense.hpp>

namespace talus::test {

VecX random_direction(Random& random, Index n) {
  if (n == 1) return VecX::Constant(1, random.uniform() < 0.5 ? -1 : 1);
  const Real angle = random.uniform(0, 2 * M_PI);
  return Vec2(std::cos(angle), std::sin(angle));
}

RandomSet::RandomSet(Random& random) {
  using problem::ConeKind;
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  cone.kind = static_cast<ConeKind>(static_cast<int>(random.uniform() * 5));
  cone.size = cone.kind == ConeKind::rolling    ? 5
              : cone.kind == ConeKind::friction ? (random.uniform() < 0.5 ? 2 : 3)
                                                : 4;
  if (cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling)
    cone.friction = random.uniform() < 0.1 ? 0 : random.uniform(0, 3);
  if (cone.kind == ConeKind::rolling)
    cone.rolling = random.uniform() < 0.1 ? 0 : random.uniform(0, 3);
  if (cone.kind != ConeKind::box) return;
  lower = random_matrix(random, 4, 1);
  upper = lower + random_matrix(random, 4, 1).cwiseAbs();
  lower[0] = -kInfinity;
  upper[1] = kInfinity;
  upper[2] = lower[2];
}

VecX RandomSet::member(Random& random) const {
  using problem::ConeKind;
  VecX s = 2 * random_matrix(random, cone.size, 1);
  const Real share = random.uniform() < 0.5 ? 1 : random.uniform();
  if (cone.kind == ConeKind::nonnegative) s = s.cwiseAbs() * (share < 1 ? 1 : 0);
  if (cone.kind == ConeKind::box)
    for (Index i = 0; i < s.size(); ++i)
      s[i] = std::isinf(lower[i])   ? upper[i] - (1 - share)
             : std::isinf(upper[i]) ? lower[i] + (1 - share)
                                    : lower[i] + share * (upper[i] - lower[i]);
  if (cone.kind != ConeKind::friction && cone.kind != ConeKind::rolling) return s;
  s[0] = std::abs(s[0]);
  const Index tangents = cone.size == 2 ? 1 : 2;
  s.segment(1, tangents) = share * cone.friction * s[0] * random_direction(random, tangents);
  if (cone.kind == ConeKind::rolling)
    s.tail(2) = random.uniform() * cone.rolling * s[0] * random_direction(random, 2);
  return s;
}

Real RandomSet::excess(const VecX& p) const {
  using problem::ConeKind;
  if (cone.kind == ConeKind::free) return 0;
  if (cone.kind == ConeKind::nonnegative) return std::max(Real(0), -p.minCoeff());
  if (cone.kind == ConeKind::box)
    return std::max({Real(0), (lower - p).maxCoeff(), (p - upper).maxCoeff()});
  const Index tangents = cone.size == 2 ? 1 : 2;
  Real worst = std::max(-p[0], p.segment(1, tangents).norm() - cone.friction * p[0]);
  if (cone.kind == ConeKind::rolling)
    worst = std::max(worst, p.tail(2).norm() - cone.rolling * p[0]);
  return std::max(Real(0), worst);
}

MatX random_gram(Random& random, Index n, Index columns, Real shift) {
  const MatX G = random_matrix(random, n, columns);
  MatX gram = linalg::product(G, G.transpose());
  gram.diagonal().array() += shift;
  return gram;
}

void draw_solution(Random& random, const problem::Cone& cone, bool is_exact, VecX& lower,
                   VecX& upper, VecX& r, VecX& u) {
  using problem::ConeKind;
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Index first = cone.first;
  const auto amount = [&] { return random.uniform(0.1, 2); };
  if (cone.kind != ConeKind::friction && cone.kind != ConeKind::rolling) {
    for (Index i = first; i < first + cone.size; ++i) {
      const Real draw = random.uniform();
      r[i] = random.uniform(-2, 2);
      u[i] = 0;
      if (cone.kind == ConeKind::nonnegative) {
        r[i] = draw < 0.5 ? amount() : 0;
        u[i] = draw < 0.5 ? 0 : amount();
      } else if (cone.kind == ConeKind::box) {
        lower[i] = r[i] - amount();
        upper[i] = r[i] + amount();
        if (draw < 0.3) {
          lower[i] = r[i];
          u[i] = amount();
          if (draw < 0.15) upper[i] = kInfinity;
        } else if (draw < 0.6) {
          upper[i] = r[i];
          u[i] = -amount();
          if (draw < 0.45) lower[i] = -kInfinity;
        } else if (draw < 0.7) {
          lower[i] = -kInfinity;
          upper[i] = kInfinity;
        }
      }
    }
    return;
  }
  auto r_block = r.segment(first, cone.size);
  auto u_block = u.segment(first, cone.size);
  r_block.setZero();
  u_block.setZero();
  const Real draw = random.uniform();
  struct Group {
    Index first, size;
    Real coefficient;
  };
  std::vector<Group> groups = {{1, cone.size == 2 ? 1 : 2, cone.friction}};
  if (cone.kind == ConeKind::rolling) groups.push_back({3, 2, cone.rolling});
  if (draw < 0.25) {  // open: r = 0, û inside the dual cone
    for (const Group& g : groups) {
      u_block.segment(g.first, g.size) = amount() * random_direction(random, g.size);
      if (!is_exact) u_block[0] += g.coefficient * u_block.segment(g.first, g.size).norm();
    }
    u_block[0] += amount();
    return;
  }
  r_block[0] = amount();
  for (const Group& g : groups) {  // each group holds or gives way
    const VecX direction = random_direction(random, g.size);
    if (random.uniform() < 0.4) {
      r_block.segment(g.first, g.size) =
          random.uniform(0, 0.95) * g.coefficient * r_block[0] * direction;
    } else {
      const Real speed = amount();
      r_block.segment(g.first, g.size) = g.coefficient * r_block[0] * direction;
      u_block.segment(g.first, g.size) = -speed * direction;
      if (!is_exact) u_block[0] += g.coefficient * speed;
    }
  }
}

SolvedCones random_cones(Random& random, Index blocks, bool is_exact) {
  using problem::ConeKind;
  SolvedCones result;
  Index n = 0;
  bool has_box = false;
  for (Index k = 0; k < blocks; ++k) {
    problem::Cone cone;
    cone.kind = static_cast<ConeKind>(static_cast<int>(random.uniform() * 5));
    cone.first = n;
    cone.size = cone.kind == ConeKind::rolling    ? 5
                : cone.kind == ConeKind::friction ? (random.uniform() < 0.5 ? 2 : 3)
                                                  : 1 + static_cast<Index>(random.uniform() * 3);
    if (cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling)
      cone.friction = random.uniform() < 0.1 ? 0 : random.uniform(0, 1.5);
    if (cone.kind == ConeKind::rolling)
      cone.rolling = random.uniform() < 0.1 ? 0 : random.uniform(0, 0.5);
    has_box = has_box || cone.kind == ConeKind::box;
    n += cone.size;
    result.problem.cones.push_back(cone);
  }
  result.r = result.u = VecX::Zero(n);
  VecX lower = VecX::Zero(n), upper = VecX::Zero(n);
  for (const problem::Cone& cone : result.problem.cones)
    draw_solution(random, cone, is_exact, lower, upper, result.r, result.u);
  if (has_box) {
    result.problem.lower = lower;
    result.problem.upper = upper;
  }
  const MatX W = random_gram(random, n, n + 2, 0.1);
  result.problem.W = to_sparse(W);
  result.problem.b = result.u - result.problem.W * result.r;
  return result;
}

SolvedCones random_contacts(Random& random, problem::ConeKind kind, Index size, Index equalities,
                            Index contacts) {
  SolvedCones result;
  const Index n = equalities + size * contacts;
  for (Index i = 0; i < equalities; ++i)
    result.problem.cones.push_back({problem::ConeKind::free, i, 1, 0, 0});
  for (Index i = 0; i < contacts; ++i)
    result.problem.cones.push_back(
        {kind, equalities + size * i, size, random.uniform(0, 1.2),
         kind == problem::ConeKind::rolling ? random.uniform(0, 0.5) : 0});
  result.r = result.u = VecX::Zero(n);
  VecX none;
  for (const problem::Cone& cone : result.problem.cones)
    draw_solution(random, cone, true, none, none, result.r, result.u);
  result.problem.W = to_sparse(random_gram(random, n, n + 2, 0.1));
  result.problem.b = result.u - result.problem.W * result.r;
  return result;
}

SolvedRolling random_rolling(Random& random, Index contacts) {
  const SolvedCones cones = random_contacts(random, problem::ConeKind::rolling, 5, 0, contacts);
  SolvedRolling result{{cones.problem.W, cones.problem.b, VecX(contacts), VecX(contacts)}, cones.r};
  for (Index i = 0; i < contacts; ++i) {
    result.problem.friction[i] = cones.problem.cones[static_cast<std::size_t>(i)].friction;
    result.problem.rolling[i] = cones.problem.cones[static_cast<std::size_t>(i)].rolling;
  }
  return result;
}

SolvedBilateral random_bilateral(Random& random, Index d, Index equalities, Index contacts) {
  const SolvedCones cones =
      random_contacts(random, problem::ConeKind::friction, d, equalities, contacts);
  SolvedBilateral result{{d, equalities, cones.problem.W, cones.problem.b, VecX(contacts)},
                         cones.r};
  for (Index i = 0; i < contacts; ++i)
    result.problem.friction[i] =
        cones.problem.cones[static_cast<std::size_t>(equalities + i)].friction;
  return result;
}

problem::GlobalRollingFrictionContact random_global_rolling(Random& random, Index bodies,
                                                            Index contacts) {
  const auto like = random_global(random, 3, bodies, 1, 1);  // for M and f
  problem::GlobalRollingFrictionContact problem{
      like.M, {}, like.f, VecX(5 * contacts), VecX(contacts), VecX(contacts)};
  MatX H = MatX::Zero(6 * bodies, 5 * contacts);
  for (Index c = 0; c < contacts; ++c) {
    H.block(6 * (c % bodies), 5 * c, 6, 5) = random_matrix(random, 6, 5);
    if (c > 0) H.block(6 * ((c + 1) % bodies), 5 * c, 6, 5) += random_matrix(random, 6, 5);
    problem.friction[c] = random.uniform(0, 0.5);
    problem.rolling[c] = random.uniform(0, 0.2);
  }
  problem.H = to_sparse(H);
  problem.w = random_matrix(random, 5 * contacts, 1);
  for (Index c = 0; c < contacts; ++c) problem.w[5 * c] -= 1;  // most contacts close
  return problem;
}

problem::GlobalBilateralContact random_global_bilateral(Random& random, Index d, Index bodies,
                                                        Index constraints, Index contacts) {
  const auto like = random_global(random, d, bodies, contacts, 0.4);
  problem::GlobalBilateralContact problem{d,      like.M, like.H, {},
                                          like.f, like.w, VecX(), like.friction};
  MatX G = MatX::Zero(like.f.size(), constraints);
  for (Index k = 0; k < constraints; ++k) {
    G.block(2 * d * (k % bodies), k, 2 * d, 1) = random_matrix(random, 2 * d, 1);
    G.block(2 * d * ((k + 1) % bodies), k, 2 * d, 1) += random_matrix(random, 2 * d, 1);
  }
  problem.G = to_sparse(G);
  problem.b = 0.3 * random_matrix(random, constraints, 1);
  return problem;
}

SolvedBounded random_bounded(Random& random, Index d, Index joints) {
  SolvedBounded result{{d, {}, VecX(d * joints), VecX(joints)}, VecX::Zero(d * joints)};
  VecX u = VecX::Zero(d * joints);
  for (Index i = 0; i < joints; ++i) {
    const Real bound = random.uniform() < 0.1 ? 0 : random.uniform(0, 2);
    const VecX direction = random_direction(random, d);
    result.problem.bound[i] = bound;
    if (random.uniform() < 0.5) {
      result.r.segment(d * i, d) = random.uniform(0, 0.95) * bound * direction;
    } else {
      result.r.segment(d * i, d) = bound * direction;
      u.segment(d * i, d) = -random.uniform(0.1, 2) * direction;
    }
  }
  result.problem.W = to_sparse(random_gram(random, d * joints, d * joints + 2, 0.1));
  result.problem.b = u - result.problem.W * result.r;
  return result;
}

SolvedMlcp random_mlcp(Random& random, Index n, Index m, bool is_monotone) {
  SolvedMlcp result;
  problem::Mlcp& p = result.problem;
  p.A = random_matrix(random, n, n) + 3 * MatX::Identity(n, n);
  p.C = random_matrix(random, n, m);
  p.D = random_matrix(random, m, n);
  p.B = random_matrix(random, m, m);
  if (is_monotone) {
    p.A = random_gram(random, n, n + 2, 0.5);
    p.B = random_gram(random, m, m + 2, 0.5);
    p.D = -p.C.transpose();
  }
  result.x = random_matrix(random, n, 1);
  result.z = VecX::Zero(m);
  VecX w = VecX::Zero(m);
  for (Index i = 0; i < m; ++i) (random.uniform() < 0.5 ? result.z : w)[i] = random.uniform(0.1, 2);
  p.a = -(p.A * result.x + p.C * result.z);
  p.b = w - p.D * result.x - p.B * result.z;
  return result;
}

problem::ConeProblem in_units(const problem::ConeProblem& problem, const VecX& unit, Real energy) {
  const VecX velocity = energy * unit.cwiseInverse();
  problem::ConeProblem other = problem;
  other.W = velocity.asDiagonal() * problem.W * unit.cwiseInverse().asDiagonal();
  other.b = velocity.cwiseProduct(problem.b);
  if (problem.lower.size() > 0) {
    other.lower = problem.lower.cwiseProduct(unit);
    other.upper = problem.upper.cwiseProduct(unit);
  }
  for (problem::Cone& cone : other.cones)
    if (cone.kind == problem::ConeKind::rolling)
      cone.rolling *= unit[cone.first + 3] / unit[cone.first];
  return other;
}

VecX random_units(Random& random, const problem::ConeProblem& problem, Real decades) {
  VecX unit(problem.size());
  const auto draw = [&] { return std::pow(10, random.uniform(-decades, decades)); };
  for (const problem::Cone& cone : problem.cones) {
    if (cone.kind == problem::ConeKind::friction) {
      unit.segment(cone.first, cone.size).setConstant(draw());
    } else if (cone.kind == problem::ConeKind::rolling) {
      unit.segment(cone.first, 3).setConstant(draw());
      unit.segment(cone.first + 3, 2).setConstant(draw());
    } else {
      for (Index i = 0; i < cone.size; ++i) unit[cone.first + i] = draw();
    }
  }
  return unit;
}

}  // namespace talus::test
