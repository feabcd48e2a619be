#include <talus/dynamics/constraint_rank.hpp>

#include <algorithm>
#include <cmath>

#include <talus/linalg/independent_rows.hpp>
#include <talus/math/least_moment_point.hpp>

namespace talus::dynamics {
namespace {

/// Of the longest lever arm: moments about a nearer point are round-off of coordinates that meet
/// the constraints.
constexpr Real kArmRounding = 1e-6;
/// Squares of distances.
constexpr linalg::RankTolerance kClearlyIndependent{1e-6};

/// A row on one body, as a line of action: force and moment about the centre of mass, in space.
struct Part {
  Index row = 0, body = 0;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
};

/// Where moments of a body are taken, and over which length.
struct Reference {
  Vec3 point = Vec3::Zero();  // from the centre of mass
  Real length = 0;
};

std::vector<Part> parts_of(std::span<const JacobianRow> rows,
                           std::span<const MultibodyRow> couplings, const MassMatrix& mass) {
  std::vector<Part> parts;
  const auto add = [&](Index row, Index body, const Vec6& part) {
    if (!mass.moves(body)) return;
    if (mass.is_planar())
      parts.push_back({row, body, {part[0], part[1], 0}, {0, 0, part[2]}});
    else
      parts.push_back({row, body, part.head<3>(), part.tail<3>()});
  };
  Index next = 0;
  for (const JacobianRow& row : rows) {
    if (row.body_a >= 0) add(next, row.body_a, row.a);
    if (row.body_b >= 0) add(next, row.body_b, row.b);
    ++next;
  }
  for (const MultibodyRow& row : couplings) {
    for (const MultibodyRow::Entry& entry : row) add(next, entry.body, entry.part);
    ++next;
  }
  return parts;
}

/// Of every body that its rows move.
std::vector<Reference> references(const std::vector<Part>& parts, const MassMatrix& mass) {
  std::vector<LeastMomentPoint> lines(static_cast<std::size_t>(mass.body_count()));
  for (const Part& part : parts)
    lines[static_cast<std::size_t>(part.body)].add(part.force, part.moment);
  std::vector<Reference> all(lines.size());
  for (std::size_t body = 0; body < all.size(); ++body) all[body].point = lines[body].point();
  std::vector<Real> squares(lines.size(), 0);
  for (const Part& part : parts)
    if (const Real square = part.force.squaredNorm(); square > 0) {
      const auto body = static_cast<std::size_t>(part.body);
      squares[body] += (part.moment - all[body].point.cross(part.force)).squaredNorm() / square;
    }
  for (std::size_t body = 0; body < all.size(); ++body) {
    const auto index = static_cast<Index>(body);
    if (!mass.moves(index)) continue;
    const LeastMomentPoint& of = lines[body];
    const Real mean = of.is_empty() ? 0 : std::sqrt(squares[body] / of.count());
    all[body].length =
        std::max({mean, kArmRounding * of.longest_arm(), mass.gyration_radius(index)});
  }
  return all;
}

}  // namespace

MatX constraint_gram(std::span<const JacobianRow> rows, std::span<const MultibodyRow> couplings,
                     const MassMatrix& mass) {
  const auto count = static_cast<Index>(rows.size() + couplings.size());
  MatX gram = MatX::Zero(count, count);
  if (mass.is_general()) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j <= i; ++j)
        gram(i, j) = gram(j, i) = delassus_entry(rows[static_cast<std::size_t>(i)],
                                                 rows[static_cast<std::size_t>(j)], mass);
  } else {
    std::vector<Part> parts = parts_of(rows, couplings, mass);
    const std::vector<Reference> about = references(parts, mass);
    for (Part& part : parts) {
      const Reference& at = about[static_cast<std::size_t>(part.body)];
      part.moment = (part.moment - at.point.cross(part.force)) / at.length;
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.body < b.body; });
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = i; j < parts.size() && parts[j].body == parts[i].body; ++j) {
        const Real product =
            parts[i].force.dot(parts[j].force) + parts[i].moment.dot(parts[j].moment);
        gram(parts[i].row, parts[j].row) += product;
        if (i != j) gram(parts[j].row, parts[i].row) += product;
      }
  }
  VecX scale(count);
  for (Index i = 0; i < count; ++i) scale[i] = gram(i, i) > 0 ? 1 / std::sqrt(gram(i, i)) : 0;
  return scale.asDiagonal() * gram * scale.asDiagonal();
}

std::vector<bool> independent_constraints(std::span<const JacobianRow> rows,
                                          const MassMatrix& mass) {
  return linalg::independent_rows(constraint_gram(rows, {}, mass), kClearlyIndependent,
                                  linalg::RowChoice::best_conditioned);
}

}  // namespace talus::dynamics
