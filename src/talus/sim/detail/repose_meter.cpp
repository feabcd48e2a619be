#include <cmath>
#include <map>

#include <talus/linalg/dense.hpp>
#include <talus/sim/detail/meters.hpp>

// Angle of repose.

namespace talus::sim::detail {
namespace {

/// Columns of a square grid across gravity; the highest body of each makes the surface. To those
/// between `low` and `high` of the surface's height a plane is fitted by least squares, or, for a
/// heap, a cone about the vertical axis through the centre of mass of all bodies that count:
///   height = c + a x + b y, angle = atan √(a² + b²);   height = c − s r, angle = atan s.
class ReposeMeter final : public Meter {
 public:
  ReposeMeter(const model::Probe& probe, const model::Repose& repose, const model::Model& model)
      : probe_(probe), repose_(repose) {
    const Real g = model.gravity.norm();
    up_ = g > 0 ? Vec3(-model.gravity / g) : Vec3(Vec3::UnitZ());
    x_ = up_.unitOrthogonal();
    if (up_ == Vec3::UnitZ()) x_ = Vec3::UnitX();
    y_ = up_.cross(x_);
    for (const Index i : probe.bodies) {
      const geometry::Aabb box = geometry::bounds(model.bodies[i].shape, Pose());
      radius_.push_back(0.5 * (box.upper - box.lower).minCoeff());
    }
  }
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"angle", {}, "rad", "of the free surface with the horizontal"},
            {"height", {}, "m", "from the lowest to the highest point of the surface"},
            {"points", {}, "1", "columns that were fitted"},
            {"residual", {}, "m", "root mean square distance in height from the fit"}};
  }

  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    find_surface(snapshot);
    Real lowest = INFINITY, highest = -INFINITY;
    for (const auto& [cell, point] : surface_) {
      lowest = std::min(lowest, point.z());
      highest = std::max(highest, point.z());
    }
    const Real height = highest - lowest;
    std::vector<Vec3> points;
    for (const auto& [cell, point] : surface_)
      if (point.z() >= lowest + repose_.low * height && point.z() <= lowest + repose_.high * height)
        points.push_back(point);
    const auto count = static_cast<Index>(points.size());
    const Index unknowns = repose_.is_cone ? 2 : 3;
    if (count < unknowns) {
      values.insert(values.end(), {kNothing, surface_.empty() ? kNothing : height,
                                   static_cast<Real>(count), kNothing});
      return;
    }
    MatX A(count, unknowns);
    VecX b(count);
    for (Index k = 0; k < count; ++k) {
      const Vec3& p = points[static_cast<std::size_t>(k)];
      if (repose_.is_cone)
        A.row(k) << 1, -p.head<2>().norm();
      else
        A.row(k) << 1, p.x(), p.y();
      b[k] = p.z();
    }
    linalg::ColPivQr qr;
    qr.compute(A);
    const VecX fit = qr.solve(b);
    const Real residual = (A * fit - b).norm() / std::sqrt(static_cast<Real>(count));
    const Real slope = repose_.is_cone ? fit[1] : fit.tail(2).norm();
    values.insert(values.end(), {std::atan(slope), height, static_cast<Real>(count), residual});
  }

 private:
  /// Top of the highest body of every column, as x, y, height; x and y from the heap's axis.
  void find_surface(const Snapshot& snapshot) {
    std::vector<Vec3> position;  // of the bodies that count, in the cell
    for (const Index i : probe_.bodies)
      position.push_back(image_in(probe_.region, snapshot.model,
                                  snapshot.model.cell.wrap(snapshot.state.position[i])));
    Real mass = 0;
    Vec3 centre = Vec3::Zero();
    for (std::size_t k = 0; k < position.size(); ++k) {
      const Index i = probe_.bodies[k];
      if (!is_inside(probe_, snapshot.model, snapshot.state, i)) continue;
      mass += snapshot.model.bodies[i].mass;
      centre += snapshot.model.bodies[i].mass * position[k];
    }
    surface_.clear();
    if (mass == 0) return;
    centre /= mass;
    for (std::size_t k = 0; k < probe_.bodies.size(); ++k) {
      if (!is_inside(probe_, snapshot.model, snapshot.state, probe_.bodies[k])) continue;
      const Vec3& p = position[k];
      const Vec3 from_axis = p - centre;
      const Vec3 top(x_.dot(from_axis), y_.dot(from_axis), up_.dot(p) + radius_[k]);
      const std::pair cell(std::floor(x_.dot(p) / repose_.cell),
                           std::floor(y_.dot(p) / repose_.cell));
      const auto [place, is_new] = surface_.emplace(cell, top);
      if (!is_new && top.z() > place->second.z()) place->second = top;
    }
  }

  const model::Probe& probe_;
  const model::Repose& repose_;
  Vec3 up_, x_, y_;
  std::vector<Real> radius_;  // half the least thickness of each body that counts
  std::map<std::pair<Real, Real>, Vec3> surface_;
};

}  // namespace

MeterPointer make_meter_of(const model::Probe& probe, const model::Repose& repose,
                           const model::Model& model, const model::State&) {
  return std::make_unique<ReposeMeter>(probe, repose, model);
}

}  // namespace talus::sim::detail
