#include <cmath>
#include <numeric>

#include <talus/sim/detail/meters.hpp>

// Probes of contacts: coordination number, force distribution, fabric, stress.

namespace talus::sim::detail {
namespace {

using stepping::StepContact;

class ContactMeter : public Meter {
 public:
  explicit ContactMeter(const model::Probe& probe) : probe_(probe) {}
  [[nodiscard]] bool needs_contacts() const final { return true; }

 protected:
  const model::Probe& probe_;
};

/// With z_i the bodies that body i touches: mean Σ z_i / N, and Thornton's mechanical coordination
/// number over the bodies with z_i ≥ 2 (key `thornton_2000`).
class CoordinationMeter final : public ContactMeter {
 public:
  using ContactMeter::ContactMeter;
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"bodies", {}, "1", "bodies with their centre in the region"},
            {"mean", {}, "1", "touched bodies per body"},
            {"mechanical", {}, "1", "the same over bodies that touch two others or more"},
            {"rattlers", {}, "1", "share of bodies that touch fewer than two others"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    pairs_.clear();
    for (const StepContact& contact : snapshot.contacts)
      if (!contact.impulse.isZero(0)) pairs_.emplace_back(contact.body_a, contact.body_b);
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    touched_.assign(static_cast<std::size_t>(snapshot.state.body_count()), 0);
    for (const auto& [a, b] : pairs_) {
      ++touched_[static_cast<std::size_t>(a)];
      ++touched_[static_cast<std::size_t>(b)];
    }
    Real bodies = 0, sum = 0, bearing = 0, bearing_sum = 0;
    for (const Index i : probe_.bodies) {
      if (!is_inside(probe_, snapshot.model, snapshot.state, i)) continue;
      const Real z = touched_[static_cast<std::size_t>(i)];
      bodies += 1;
      sum += z;
      bearing += z >= 2 ? 1 : 0;
      bearing_sum += z >= 2 ? z : 0;
    }
    const auto share = [](Real part, Real whole) { return whole > 0 ? part / whole : kNothing; };
    values.insert(values.end(), {bodies, share(sum, bodies), share(bearing_sum, bearing),
                                 share(bodies - bearing, bodies)});
  }

 private:
  std::vector<std::pair<Index, Index>> pairs_;
  std::vector<int> touched_;
};

class ForceMeter final : public ContactMeter {
 public:
  ForceMeter(const model::Probe& probe, const model::ContactForces& forces)
      : ContactMeter(probe), forces_(forces) {}
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    std::vector<std::string> bins;
    for (Index i = 0; i < forces_.bins; ++i) bins.push_back(std::to_string(i));
    bins.emplace_back("above");
    return {{"contacts", {}, "1", "contact points in the region that carry a force"},
            {"mean", {}, "N", "mean normal force"},
            {"deviation", {}, "N", "standard deviation of the normal forces"},
            {"percentiles", {"5", "25", "50", "75", "95", "100"}, "N", "of the normal forces"},
            {"tangential_mean", {}, "N", "mean tangential force"},
            {"histogram", bins, "1",
             "share of contacts by normal force over mean force: equal bins from 0 on, and above"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    normal_.clear();
    Real tangential = 0;
    for (const StepContact& contact : snapshot.contacts) {
      if (!counts(probe_, snapshot.model, contact)) continue;
      const Real normal = contact.impulse.dot(contact.normal);
      normal_.push_back(normal / snapshot.step_size);
      tangential += (contact.impulse - normal * contact.normal).norm() / snapshot.step_size;
    }
    std::sort(normal_.begin(), normal_.end());
    const auto count = static_cast<Real>(normal_.size());
    const Real sum = std::accumulate(normal_.begin(), normal_.end(), Real(0));
    const Real mean = count > 0 ? sum / count : kNothing;
    Real squares = 0;
    for (const Real force : normal_) squares += (force - mean) * (force - mean);
    values.insert(values.end(), {count, mean, count > 0 ? std::sqrt(squares / count) : kNothing});
    for (const Real share : {0.05, 0.25, 0.5, 0.75, 0.95, 1.0}) values.push_back(quantile(share));
    values.push_back(count > 0 ? tangential / count : kNothing);
    const std::size_t first = values.size();
    values.resize(first + static_cast<std::size_t>(forces_.bins) + 1, count > 0 ? 0 : kNothing);
    for (const Real force : normal_) {
      const Real place = force / mean / forces_.range * static_cast<Real>(forces_.bins);
      const Real bin = std::clamp(std::floor(place), Real(0), static_cast<Real>(forces_.bins));
      values[first + static_cast<std::size_t>(bin)] += 1 / count;
    }
  }

 private:
  /// Of the sorted forces, linear between neighbours.
  [[nodiscard]] Real quantile(Real share) const {
    if (normal_.empty()) return kNothing;
    const Real place = share * static_cast<Real>(normal_.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= normal_.size()) return normal_.back();
    return normal_[below] +
           (place - static_cast<Real>(below)) * (normal_[below + 1] - normal_[below]);
  }
  const model::ContactForces& forces_;
  std::vector<Real> normal_;
};

class FabricMeter final : public ContactMeter {
 public:
  using ContactMeter::ContactMeter;
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"contacts", {}, "1", "contact points in the region that carry a force"},
            {"fabric",
             {"xx", "yy", "zz", "xy", "xz", "yz"},
             "1",
             "mean of n n over them; its trace is 1"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    Mat3 sum = Mat3::Zero();
    Real count = 0;
    for (const StepContact& contact : snapshot.contacts) {
      if (!counts(probe_, snapshot.model, contact)) continue;
      sum += contact.normal * contact.normal.transpose();
      count += 1;
    }
    if (count > 0) sum /= count;
    if (count == 0) sum.setConstant(kNothing);
    values.insert(values.end(),
                  {count, sum(0, 0), sum(1, 1), sum(2, 2), sum(0, 1), sum(0, 2), sum(1, 2)});
  }
};

/// The share of the segment from a to b that lies in a region.
Real share_inside(const Vec3& a, const Vec3& b, const model::Region& region) {
  Real first = 0, last = 1;
  for (int i = 0; i < 3; ++i) {
    const Real way = b[i] - a[i];
    if (way == 0) {
      if (a[i] < region.min[i] || a[i] >= region.max[i]) return 0;
      continue;
    }
    const Real enter = (region.min[i] - a[i]) / way, leave = (region.max[i] - a[i]) / way;
    first = std::max(first, std::min(enter, leave));
    last = std::min(last, std::max(enter, leave));
  }
  return std::max(Real(0), last - first);
}

/// Irving and Kirkwood's stress: a force between two bodies acts along the way from centre to
/// contact point to centre, and the region has the part of the way that lies in it, so that the
/// mean over the region is exact for forces in balance (keys `irving_1950`, `christoffersen_1981`):
///   σ = (1/V) (Σ_contacts f ⊗ l + Σ_bodies m (v − v̄) ⊗ (v − v̄)),
/// f the force on B, l the way from A to B. Of a wall (a body that does not count) only the point
/// of contact is known. In a periodic cell ways lead to the nearest images, and all images of a way
/// count.
class StressMeter final : public ContactMeter {
 public:
  using ContactMeter::ContactMeter;
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"contact",
             {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"},
             "Pa",
             "contact stress, force direction first; compression is positive"},
            {"kinetic",
             {"xx", "yy", "zz", "xy", "xz", "yz"},
             "Pa",
             "of velocities about the mean velocity of the region's bodies"},
            {"pressure", {}, "Pa", "third of the trace of both"}};
  }
  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    const model::State& state = snapshot.state;
    const Real volume = probe_.region.volume();
    const PeriodicCell& cell = snapshot.model.cell;
    Mat3 contact_stress = Mat3::Zero(), kinetic = Mat3::Zero();
    for (const StepContact& contact : snapshot.contacts) {
      if (contact.impulse.isZero(0)) continue;
      const Vec3 home = image_in(probe_.region, snapshot.model, contact.position);
      Vec3 way = Vec3::Zero();
      const auto add = [&](Index body, Real sign) {
        if (!is_selected(probe_, body)) return;
        const Vec3 centre = cell.beside(contact.position, state.position[body]);
        Real share = 0;  // of the way and its images
        for_each_image(cell, home - contact.position, [&](const Vec3& shift) {
          share += share_inside(centre + shift, contact.position + shift, probe_.region);
        });
        way += sign * share * (contact.position - centre);
      };
      add(contact.body_a, 1);
      add(contact.body_b, -1);
      contact_stress += contact.impulse * way.transpose() / (snapshot.step_size * volume);
    }
    Real mass = 0;
    Vec3 momentum = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (const Index i : probe_.bodies) {
      if (!is_inside(probe_, snapshot.model, state, i)) continue;
      const Real m = snapshot.model.bodies[i].mass;
      mass += m;
      momentum += m * state.velocity[i];
      second += m * state.velocity[i] * state.velocity[i].transpose();
    }
    if (mass > 0) kinetic = (second - momentum * momentum.transpose() / mass) / volume;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) values.push_back(contact_stress(i, j));
    values.insert(values.end(), {kinetic(0, 0), kinetic(1, 1), kinetic(2, 2), kinetic(0, 1),
                                 kinetic(0, 2), kinetic(1, 2)});
    values.push_back((contact_stress.trace() + kinetic.trace()) / 3);
  }
};

}  // namespace

MeterPointer make_meter_of(const model::Probe& probe, const model::Coordination&,
                           const model::Model&, const model::State&) {
  return std::make_unique<CoordinationMeter>(probe);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::ContactForces& forces,
                           const model::Model&, const model::State&) {
  return std::make_unique<ForceMeter>(probe, forces);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::Fabric&, const model::Model&,
                           const model::State&) {
  return std::make_unique<FabricMeter>(probe);
}
MeterPointer make_meter_of(const model::Probe& probe, const model::Stress&, const model::Model&,
                           const model::State&) {
  return std::make_unique<StressMeter>(probe);
}

}  // namespace talus::sim::detail
