#include <cmath>

#include <talus/geometry/ball_in_box.hpp>
#include <talus/sim/detail/meters.hpp>

// Probes of bodies: solid fraction, mixing, energy, centre of mass.

namespace talus::sim::detail {
namespace {

class BodyMeter : public Meter {
 public:
  explicit BodyMeter(const model::Probe& probe) : probe_(probe) {}

 protected:
  /// Calls a function with every body that counts and has its centre in the region, and with the
  /// image of its centre that is there.
  template <class Visit>
  void for_each_inside(const Snapshot& snapshot, Visit visit) const {
    for (const Index i : probe_.bodies)
      if (is_inside(probe_, snapshot.model, snapshot.state, i))
        visit(i, image_in(probe_.region, snapshot.model, snapshot.state.position[i]));
  }
  const model::Probe& probe_;
};

class SolidFractionMeter final : public BodyMeter {
 public:
  SolidFractionMeter(const model::Probe& probe, const model::Model& model) : BodyMeter(probe) {
    for (const Index i : probe.bodies) {
      const model::Body& body = model.bodies[i];
      const auto* ball = std::get_if<geometry::Sphere>(&body.shape);
      radius_.push_back(ball != nullptr ? ball->radius : 0);
      volume_.push_back(ball != nullptr ? 0 : geometry::mass_properties(body.shape, 1).mass);
    }
  }
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {
        {"bodies", {}, "1", "bodies with their centre in the region"},
        {"fraction",
         {},
         "1",
         "volume of the bodies over that of the region: balls as cut by its faces, others whole "
         "where their centre is inside; overlaps count twice"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    Real filled = 0, inside = 0;
    for (std::size_t k = 0; k < probe_.bodies.size(); ++k) {
      const Index i = probe_.bodies[k];
      if (!snapshot.state.is_present(i)) continue;
      const Pose X_WS = snapshot.state.pose(i) * snapshot.model.bodies[i].X_BS;
      const bool has_centre_inside = is_inside(probe_, snapshot.model, snapshot.state, i);
      inside += has_centre_inside ? 1 : 0;
      if (radius_[k] > 0)
        filled += volume_of_images(snapshot.model.cell, X_WS.p, radius_[k]);
      else if (has_centre_inside)
        filled += volume_[k];
    }
    values.insert(values.end(), {inside, filled / probe_.region.volume()});
  }

 private:
  /// What the region has of a ball and its images. Regions are no longer than the cell.
  [[nodiscard]] Real volume_of_images(const PeriodicCell& cell, const Vec3& centre,
                                      Real radius) const {
    const model::Region& region = probe_.region;
    if (!cell.is_periodic()) return geometry::ball_in_box(centre, radius, region.min, region.max);
    const Vec3 home = cell.above(region.min, centre);
    Real volume = 0;
    for_each_image(cell, home, [&](const Vec3& image) {
      if ((image.array() + radius > region.min.array()).all() &&
          (image.array() - radius < region.max.array()).all())
        volume += geometry::ball_in_box(image, radius, region.min, region.max);
    });
    return volume;
  }

  std::vector<Real> radius_, volume_;  // of each body that counts; a radius of 0: no ball
};

/// Lacey's index M = (S₀² − S²)/(S₀² − S_R²) with the tracers' share p_i of n_i bodies in cell i
/// (key `lacey_1954`): S² = Σ n_i (p_i − p)²/N, S₀² = p (1 − p) where nothing is mixed, and
/// S_R² = p (1 − p)(K − 1)/(N − 1), the expectation of S² when N bodies are dealt at random to the
/// K cells that are not empty.
class MixingMeter final : public BodyMeter {
 public:
  MixingMeter(const model::Probe& probe, const model::Mixing& mixing)
      : BodyMeter(probe), mixing_(mixing) {}
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"index", {}, "1", "Lacey's index: 0 where nothing is mixed, 1 on average at random"},
            {"share", {}, "1", "of the tracers among the region's bodies"},
            {"cells", {}, "1", "cells with bodies"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    const Vec3 cell = (probe_.region.max - probe_.region.min).cwiseQuotient(mixing_.cells);
    count_.assign(static_cast<std::size_t>(mixing_.cells.prod()), 0);
    tracers_ = count_;
    Real bodies = 0, tracers = 0;
    for_each_inside(snapshot, [&](Index i, const Vec3& centre) {
      Vec3 at = (centre - probe_.region.min).cwiseQuotient(cell);
      for (int k = 0; k < 3; ++k) at[k] = std::min(std::floor(at[k]), mixing_.cells[k] - 1);
      const auto place = static_cast<std::size_t>(
          at.x() + mixing_.cells.x() * (at.y() + mixing_.cells.y() * at.z()));
      const bool is_tracer = std::binary_search(mixing_.tracers.begin(), mixing_.tracers.end(), i);
      count_[place] += 1;
      tracers_[place] += is_tracer ? 1 : 0;
      bodies += 1;
      tracers += is_tracer ? 1 : 0;
    });
    const Real share = bodies > 0 ? tracers / bodies : kNothing;
    Real variance = 0, cells = 0;
    for (std::size_t k = 0; k < count_.size(); ++k) {
      if (count_[k] == 0) continue;
      cells += 1;
      const Real difference = tracers_[k] / count_[k] - share;
      variance += count_[k] * difference * difference / bodies;
    }
    const Real apart = share * (1 - share), random = apart * (cells - 1) / (bodies - 1);
    const bool exists = apart > 0 && random < apart;
    values.insert(values.end(),
                  {exists ? (apart - variance) / (apart - random) : kNothing, share, cells});
  }

 private:
  const model::Mixing& mixing_;
  std::vector<Real> count_, tracers_;
};

class EnergyMeter final : public BodyMeter {
 public:
  using BodyMeter::BodyMeter;
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"translational", {}, "J", "kinetic energy of the region's bodies"},
            {"rotational", {}, "J", "of their rotation"},
            {"temperature",
             {},
             "m^2/s^2",
             "granular temperature: a third of the mean square of velocities about their mean"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    const model::State& state = snapshot.state;
    Real translational = 0, rotational = 0, count = 0, squares = 0;
    Vec3 sum = Vec3::Zero();
    for_each_inside(snapshot, [&](Index i, const Vec3&) {
      const model::Body& body = snapshot.model.bodies[i];
      const Vec3 spin = state.orientation[i].conjugate() * state.angular_velocity[i];
      translational += 0.5 * body.mass * state.velocity[i].squaredNorm();
      rotational += 0.5 * spin.dot(body.inertia * spin);
      squares += state.velocity[i].squaredNorm();
      sum += state.velocity[i];
      count += 1;
    });
    values.insert(values.end(),
                  {translational, rotational,
                   count > 0 ? (squares - sum.squaredNorm() / count) / count / 3 : kNothing});
  }
};

class CentreMeter final : public BodyMeter {
 public:
  using BodyMeter::BodyMeter;
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"mass", {}, "kg", "of the region's bodies"},
            {"position", {"x", "y", "z"}, "m", "their centre of mass"},
            {"velocity", {"x", "y", "z"}, "m/s", "its velocity"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    Real mass = 0;
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
    for_each_inside(snapshot, [&](Index i, const Vec3& centre) {
      const Real m = snapshot.model.bodies[i].mass;
      mass += m;
      position += m * centre;
      velocity += m * snapshot.state.velocity[i];
    });
    values.push_back(mass);
    for (const Vec3& sum : {position, velocity})
      for (const Real component : sum) values.push_back(mass > 0 ? component / mass : kNothing);
  }
};

}  // namespace

MeterPointer make_meter_of(const model::Probe& probe, const model::SolidFraction&,
                           const model::Model& model, const model::State&) {
  return std::make_unique<SolidFractionMeter>(probe, model);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::Mixing& mixing,
                           const model::Model&, const model::State&) {
  return std::make_unique<MixingMeter>(probe, mixing);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::KineticEnergy&,
                           const model::Model&, const model::State&) {
  return std::make_unique<EnergyMeter>(probe);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::CentreOfMass&,
                           const model::Model&, const model::State&) {
  return std::make_unique<CentreMeter>(probe);
}

}  // namespace talus::sim::detail
