#include <talus/sim/detail/meters.hpp>

#include <algorithm>
#include <cmath>

// Mass flow through a plane or an opening in it.

namespace talus::sim::detail {
namespace {

/// Watches every step: a body crosses where its centre was on one side before and is on the other
/// after it, and where the straight way between meets the opening. Across a periodic direction the
/// plane stands once in every length of the cell, and every one that is crossed counts.
class FlowMeter final : public Meter {
 public:
  FlowMeter(const model::Probe& probe, const model::MassFlow& flow, const model::Model& model,
            const model::State& initial)
      : probe_(probe), flow_(flow), model_(model) {
    for (int k = 0; k < 3; ++k)
      if (model.cell.is_periodic(k) && std::abs(flow.normal[k]) > 0.5)
        spacing_ = model.cell.length()[k];
    start(initial);
  }
  [[nodiscard]] std::vector<record::ProbeColumn> columns() const override {
    return {{"mass", {}, "kg", "that crossed along the normal since the start of the record"},
            {"count", {}, "1", "bodies that did"},
            {"mass_back", {}, "kg", "that crossed against the normal"},
            {"count_back", {}, "1", "bodies that did"},
            {"rate", {}, "kg/s", "net mass since the last sample over the time since"}};
  }
  [[nodiscard]] bool is_cumulative() const override { return true; }

  void watch(const model::State& state) override {
    for (std::size_t k = 0; k < probe_.bodies.size(); ++k) {
      const Index i = probe_.bodies[k];
      if (!state.is_present(i)) continue;
      const Vec3& now = state.position[i];
      const Real before = side(last_[k]), after = side(now);
      // The planes at p, p + spacing, … that have it on the other side now.
      const Real first = std::min(number(before), number(after)) + 1;
      const Real last = std::max(number(before), number(after));
      for (Real plane = first; plane <= last; ++plane) {
        const Real share = (before - plane * spacing_) / (before - after);
        if (!is_in_opening(last_[k] + share * (now - last_[k]))) continue;
        const std::size_t direction = after < before ? 1 : 0;
        mass_[direction] += model_.bodies[i].mass;
        count_[direction] += 1;
      }
      last_[k] = now;
    }
  }

  void enter(const model::State& state, std::span<const Index> bodies) override {
    for (const Index i : bodies) {
      const auto place = std::lower_bound(probe_.bodies.begin(), probe_.bodies.end(), i);
      if (place != probe_.bodies.end() && *place == i)
        last_[static_cast<std::size_t>(place - probe_.bodies.begin())] = state.position[i];
    }
  }

  void resume(const model::State& state, Real time, std::span<const Real> values) override {
    start(state);
    mass_[0] = values[0];
    count_[0] = values[1];
    mass_[1] = values[2];
    count_[1] = values[3];
    sampled_mass_ = mass_[0] - mass_[1];
    sampled_time_ = time;
  }

  void measure(const Snapshot& snapshot, std::vector<Real>& values) override {
    const Real net = mass_[0] - mass_[1], time = snapshot.state.time;
    const Real rate = time > sampled_time_ ? (net - sampled_mass_) / (time - sampled_time_) : 0;
    sampled_mass_ = net;
    sampled_time_ = time;
    values.insert(values.end(), {mass_[0], count_[0], mass_[1], count_[1], rate});
  }

 private:
  void start(const model::State& state) {
    last_.clear();
    for (const Index i : probe_.bodies) last_.push_back(state.position[i]);
    sampled_time_ = state.time;
  }
  [[nodiscard]] Real side(const Vec3& point) const { return flow_.normal.dot(point - flow_.point); }
  /// Of the last plane that is not above a distance along the normal [m]: 0 is the plane itself.
  [[nodiscard]] Real number(Real distance) const {
    if (spacing_ > 0) return std::floor(distance / spacing_);
    return distance < 0 ? -1 : 0;
  }
  [[nodiscard]] bool is_in_opening(const Vec3& point) const {
    const Vec3 offset = model_.cell.nearest(point - flow_.point);
    if (flow_.radius > 0) return offset.squaredNorm() <= flow_.radius * flow_.radius;
    if (flow_.size.isZero(0)) return true;
    const Vec3 across = flow_.normal.cross(flow_.along);
    return 2 * std::abs(flow_.along.dot(offset)) <= flow_.size.x() &&
           2 * std::abs(across.dot(offset)) <= flow_.size.y();
  }

  const model::Probe& probe_;
  const model::MassFlow& flow_;
  const model::Model& model_;
  Real spacing_ = 0;                   // of the plane's images [m]; 0: it has no others
  std::vector<Vec3> last_;             // centres of the bodies that count
  Real mass_[2] = {}, count_[2] = {};  // along and against the normal
  Real sampled_mass_ = 0, sampled_time_ = 0;
};

}  // namespace

MeterPointer make_meter_of(const model::Probe& probe, const model::MassFlow& flow,
                           const model::Model& model, const model::State& initial) {
  return std::make_unique<FlowMeter>(probe, flow, model, initial);
}

}  // namespace talus::sim::detail
