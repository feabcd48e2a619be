#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <Eigen/LU>

#include <talus/math/vector.hpp>

namespace talus::test {

/// The flat beater of Wang & Wang (2015), written down by hand with the rotor eliminated: three
/// degrees of freedom (x, y, θ) of the box's mass centre, the rotor turns by ωt against the box.
/// RK4 with fixed steps; the instants at which a corner's slip velocity changes its sign, or a
/// sticking corner breaks away, are located. Nothing of it is shared with the engine.
struct ReducedBeater {
  using State = Eigen::Matrix<Real, 6, 1>;  // x, y, θ and their rates

  Real half_width = 0.2, half_height = 0.128, box_mass = 92, rotor_mass = 7;
  Real eccentricity = 0.018, box_inertia = 0.4423, rotor_inertia = 0.00247, speed = 420;
  Real stiffness = 3.1e6, damping = 23e3, static_friction = 0.6, friction = 0.45, gravity = 9.81;
  Vec2 centre = Vec2(-0.033, 0.032), axis = Vec2(0.03, 0.124);  // in the box, from its middle

  enum class Mode { slip_plus, slip_minus, stick };
  std::array<Mode, 2> mode = {Mode::slip_plus, Mode::slip_plus};  // left and right corner
  State state = State::Zero();
  Real time = 0;

  /// Forces and accelerations at a state.
  struct Motion {
    Vec3 acceleration;
    std::array<Real, 2> normal, tangential;  // of the corners [N]
    Vec2 joint_force;                        // on the rotor [N]
    Real torque;                             // of the motor on the rotor [N m]
  };

  static Vec2 rotation2d(Real angle, const Vec2& p) {
    return {std::cos(angle) * p.x() - std::sin(angle) * p.y(),
            std::sin(angle) * p.x() + std::cos(angle) * p.y()};
  }
  static Vec2 crossed(const Vec2& p) { return {-p.y(), p.x()}; }

  [[nodiscard]] Vec2 corner(std::size_t i, const State& z) const {
    return rotation2d(z[2], Vec2(i == 0 ? -half_width : half_width, -half_height) - centre);
  }
  [[nodiscard]] Real slip(std::size_t i, const State& z) const {
    return z[3] - z[5] * corner(i, z).y();
  }
  [[nodiscard]] Real normal_force(std::size_t i, const State& z) const {
    const Vec2 arm = corner(i, z);
    const Real depth = -(z[1] + arm.y()), rate = -(z[4] + z[5] * arm.x());
    if (depth <= 0) return 0;
    return std::max<Real>(0, stiffness * depth * std::sqrt(depth) + damping * depth * rate);
  }
  /// Of the box's middle.
  [[nodiscard]] Vec2 middle(const State& z) const { return z.head<2>() - rotation2d(z[2], centre); }

  /// @param modes of the corners.
  [[nodiscard]] Motion motion(Real t, const State& z, const std::array<Mode, 2>& modes) const {
    const Vec2 arm = rotation2d(z[2], axis - centre);
    const Real angle = speed * t + z[2], rate = speed + z[5];
    const Vec2 rotor = eccentricity * Vec2(std::cos(angle), std::sin(angle));
    const Vec2 lever = arm + rotor;
    Eigen::Matrix<Real, 2, 3> J;  // acceleration of the rotor's centre = J a + bias
    J << 1, 0, -lever.y(), 0, 1, lever.x();
    const Vec2 bias = -z[5] * z[5] * arm - rate * rate * rotor, down(0, gravity);
    Mat3 M = Vec3(box_mass, box_mass, box_inertia + rotor_inertia).asDiagonal();
    M += rotor_mass * J.transpose() * J;
    Vec3 load = -rotor_mass * J.transpose() * (bias + down) - Vec3(0, box_mass * gravity, 0);
    Motion m;
    MatX stuck(3, 2);  // rows of slip of sticking corners
    Index count = 0;
    std::array<std::size_t, 2> who = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec2 p = corner(i, z);
      m.normal[i] = normal_force(i, z);
      m.tangential[i] = modes[i] == Mode::slip_plus    ? -friction * m.normal[i]
                        : modes[i] == Mode::slip_minus ? friction * m.normal[i]
                                                       : 0;
      load += Vec3(m.tangential[i], m.normal[i], p.x() * m.normal[i] - p.y() * m.tangential[i]);
      if (modes[i] != Mode::stick || m.normal[i] == 0) continue;
      stuck.col(count) = Vec3(1, 0, -p.y());
      who[static_cast<std::size_t>(count++)] = i;
    }
    const Mat3 inverse = M.inverse();
    if (count > 0) {  // the slip's rate is ẍ − θ̈ p_y − θ̇² p_x
      const MatX W = stuck.leftCols(count);
      VecX right(count);
      for (Index k = 0; k < count; ++k) {
        const auto i = who[static_cast<std::size_t>(k)];
        right[k] = z[5] * z[5] * corner(i, z).x() - W.col(k).dot(inverse * load);
      }
      const MatX A = W.transpose() * inverse * W;
      const VecX force = A.completeOrthogonalDecomposition().solve(right);
      for (Index k = 0; k < count; ++k) m.tangential[who[static_cast<std::size_t>(k)]] = force[k];
      load += W * force;
    }
    m.acceleration = inverse * load;
    m.joint_force = rotor_mass * (J * m.acceleration + bias + down);
    m.torque = rotor_inertia * m.acceleration[2] +
               (rotor.x() * m.joint_force.y() - rotor.y() * m.joint_force.x());
    return m;
  }

  /// One step, cut where a mode changes.
  void advance(Real step) {
    for (Real left = step; left > 0;) {
      const State start = state;
      Real taken = left;
      if (broken(runge_kutta(start, left)) >= 0) {
        Real good = 0;  // the state after `taken` has a broken mode
        for (int k = 0; k < 60 && taken - good > 1e-18; ++k) {
          const Real middle = (good + taken) / 2;
          (broken(runge_kutta(start, middle)) < 0 ? good : taken) = middle;
        }
      }
      state = runge_kutta(start, taken);
      time += taken;
      left -= taken;
      if (const int i = broken(state); i >= 0) choose(static_cast<std::size_t>(i));
    }
  }
  /// Modes by the signs of the slip velocities.
  void start() {
    for (std::size_t i = 0; i < 2; ++i)
      mode[i] = slip(i, state) < 0 ? Mode::slip_minus : Mode::slip_plus;
  }

 private:
  [[nodiscard]] State runge_kutta(const State& z, Real h) const {
    const auto rate = [&](Real t, const State& at) {
      State r;
      r << at.tail<3>(), motion(t, at, mode).acceleration;
      return r;
    };
    const State k1 = rate(time, z), k2 = rate(time + h / 2, z + h / 2 * k1);
    const State k3 = rate(time + h / 2, z + h / 2 * k2), k4 = rate(time + h, z + h * k3);
    return z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  /// The corner whose mode does not hold at a state; −1: none.
  [[nodiscard]] int broken(const State& z) const {
    for (std::size_t i = 0; i < 2; ++i) {
      const Real v = slip(i, z);
      if (mode[i] == Mode::slip_plus && v < 0) return static_cast<int>(i);
      if (mode[i] == Mode::slip_minus && v > 0) return static_cast<int>(i);
      if (mode[i] == Mode::stick) {
        const Motion m = motion(time, z, mode);
        if (m.normal[i] == 0 || std::abs(m.tangential[i]) > static_friction * m.normal[i])
          return static_cast<int>(i);
      }
    }
    return -1;
  }
  /// New modes of a corner whose slip velocity is zero, and of those that stick: the first
  /// consistent combination, sticking before slipping.
  void choose(std::size_t changed) {
    constexpr std::array kAll = {Mode::stick, Mode::slip_plus, Mode::slip_minus};
    const std::array<Mode, 2> before = mode;
    const auto is_free = [&](std::size_t i) { return i == changed || before[i] == Mode::stick; };
    for (const Mode first : kAll)
      for (const Mode second : kAll) {
        const std::array<Mode, 2> tried = {first, second};
        bool is_consistent = true;
        const Motion m = motion(time, state, tried);
        for (std::size_t i = 0; i < 2; ++i) {
          if (!is_free(i)) {
            is_consistent = is_consistent && tried[i] == before[i];
            continue;
          }
          const Real rate = m.acceleration[0] - m.acceleration[2] * corner(i, state).y() -
                            state[5] * state[5] * corner(i, state).x();
          is_consistent =
              is_consistent &&
              (tried[i] == Mode::slip_plus ? rate >= 0
               : tried[i] == Mode::slip_minus
                   ? rate <= 0
                   : m.normal[i] > 0 && std::abs(m.tangential[i]) <= static_friction * m.normal[i]);
        }
        if (is_consistent) {
          mode = tried;
          return;
        }
      }
  }
};

}  // namespace talus::test
