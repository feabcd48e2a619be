#include <talus/geometry/detail/pipe_contacts.hpp>

#include <cmath>
#include <numbers>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/core.hpp>
#include <talus/geometry/detail/cylinder.hpp>
#include <talus/geometry/detail/mesh_features.hpp>

namespace talus::geometry::detail {
namespace {

enum Wall : FeatureId { kMantle, kTop, kBottom };

class Inside {
 public:
  Inside(const Pipe& pipe, const Pose& b_in_pipe, Real margin, PairContacts& contacts)
      : pipe_(pipe), X_(b_in_pipe), margin_(margin), contacts_(contacts) {}

  /// A ball of B about a point of its frame, radius 0 for a corner.
  void add(const Vec3& in_b, Real radius, FeatureId name) {
    const Vec3 x = X_ * in_b;
    const Real across = std::hypot(x.x(), x.y());
    const bool is_along = pipe_.has_ends || std::abs(x.z()) <= pipe_.half_length;
    if (is_along) {
      const Vec3 outward =
          across > 0 ? Vec3(x.x() / across, x.y() / across, 0) : Vec3(Vec3::UnitX());
      push(x, radius, -outward, pipe_.radius - across, mix(kMantle, name));
    }
    if (!pipe_.has_ends) return;
    push(x, radius, -Vec3::UnitZ(), pipe_.half_length - x.z(), mix(kTop, name));
    push(x, radius, Vec3::UnitZ(), pipe_.half_length + x.z(), mix(kBottom, name));
  }

  /// The points of B's rim at height z that are farthest from the pipe's axis.
  void add_farthest(const Cylinder& b, Real z, FeatureId name) {
    const Vec3 centre = X_ * Vec3(0, 0, z);
    const Vec3 u = X_.q * Vec3::UnitX(), v = X_.q * Vec3::UnitY();
    const auto squared = [&](Real t) {
      const Vec3 x = centre + b.radius * (std::cos(t) * u + std::sin(t) * v);
      return x.x() * x.x() + x.y() * x.y();
    };
    constexpr int kSamples = 16;
    const Real step = 2 * std::numbers::pi / kSamples;
    int count = 0;
    for (int k = 0; k < kSamples && count < 2; ++k) {
      const Real at = squared(k * step), before = squared((k - 1) * step),
                 after = squared((k + 1) * step);
      const Real bend = before - 2 * at + after;
      // A rim around the pipe's axis has no farthest point.
      if (at < before || at <= after || !(bend < -1e-9 * at)) continue;
      Real low = (k - 1) * step, high = (k + 1) * step;
      constexpr Real kGolden = 0.6180339887498949;
      for (int i = 0; i < 48; ++i) {
        const Real s = high - kGolden * (high - low), t = low + kGolden * (high - low);
        const bool left = squared(s) > squared(t);
        (left ? high : low) = left ? t : s;
      }
      const Real t = (low + high) / 2;
      // One of the fixed points already, or as good as one.
      const Real corner = 2 * std::numbers::pi / CylinderFeature::kCorners;
      if (squared(t) - squared(std::round(t / corner) * corner) <= kTie * squared(t)) continue;
      add({b.radius * std::cos(t), b.radius * std::sin(t), z}, 0,
          mix(name, static_cast<FeatureId>(count++)));
    }
  }

 private:
  void push(const Vec3& x, Real radius, const Vec3& normal, Real distance, FeatureId name) {
    const Real gap = distance - radius;
    if (gap > margin_) return;
    // Halfway between the ball's surface and the wall behind it.
    contacts_.points.push_back({normal, x - (radius + gap / 2) * normal, gap, name});
  }

  const Pipe& pipe_;
  Pose X_;
  Real margin_;
  PairContacts& contacts_;
};

}  // namespace

void pipe_contacts(const Pipe& pipe, const Shape& b, const Pose& b_in_pipe, Real margin,
                   PairContacts& contacts) {
  // From outside, an open pipe is not there.
  const Vec3 middle = b_in_pipe * middle_of(b);
  if (!pipe.has_ends && std::hypot(middle.x(), middle.y()) > pipe.radius) return;
  Inside inside(pipe, b_in_pipe, margin, contacts);
  if (const auto* cylinder = std::get_if<Cylinder>(&b)) {
    constexpr int kCorners = CylinderFeature::kCorners;
    for (const int end : {0, 1}) {
      const Real z = end == 0 ? -cylinder->half_length : cylinder->half_length;
      for (int k = 0; k < kCorners; ++k) {
        const Real angle = 2 * std::numbers::pi * k / kCorners;
        inside.add({cylinder->radius * std::cos(angle), cylinder->radius * std::sin(angle), z}, 0,
                   static_cast<FeatureId>(end) * kCorners + static_cast<FeatureId>(k));
      }
      inside.add_farthest(*cylinder, z, FeatureId{100} + static_cast<FeatureId>(end));
    }
    return;
  }
  const ShapeCore core(b);
  for (std::size_t i = 0; i < core->vertices.size(); ++i)
    inside.add(core->vertices[i], core->radius, i);
}

}  // namespace talus::geometry::detail
