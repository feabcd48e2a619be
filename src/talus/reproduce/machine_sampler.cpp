#include <talus/reproduce/machine_sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <talus/base/error.hpp>
#include <talus/reproduce/lcp_check.hpp>
#include <talus/reproduce/measured.hpp>
#include <talus/stepping/event_driven.hpp>

namespace talus::reproduce {
namespace {

using Kind = Signal::Kind;

constexpr Real kSlips = 1e-6;  // [m/s]
InputError wrong_signal(const Signal& signal, const std::string& what) {
  return file_error("expected.yaml", fmt::format("signal {}: {}", signal.name, what));
}

template <class List>
Index index_of(const List& list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  return found == list.end() ? -1 : static_cast<Index>(found - list.begin());
}

int signal_component(const Signal& signal) {
  const std::string& name = signal.component;
  if (name.empty() || name == "norm") return -1;
  const std::array<const char*, 4> names = {"x", "y", "angle", "moment"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return std::min(static_cast<int>(i), 2);
  throw wrong_signal(signal, "unknown component " + name);
}

Real angle_of(const Quat& q) { return 2 * std::atan2(q.z(), q.w()); }

bool is_of_contact(Kind kind) {
  return kind == Kind::normal_force || kind == Kind::friction_force || kind == Kind::slip ||
         kind == Kind::gap || kind == Kind::mean_force || kind == Kind::friction_use ||
         kind == Kind::slipping_use;
}

}  // namespace

MachineSampler::MachineSampler(const MachineCase& machine, const scene::Scene& scene)
    : machine_(scene.model, scene.initial) {
  for (const Signal& signal : machine.signals) {
    Source source{signal, -1, {}, signal_component(signal), 0};
    const auto& parts = scene.model.machine;
    if (signal.kind == Kind::position || signal.kind == Kind::velocity) {
      source.index = scene.model.find_body(signal.of);
      if (source.component < 0) throw wrong_signal(signal, "a component is missing: x, y or angle");
    } else if (is_of_contact(signal.kind)) {
      const Index a = scene.model.find_body(signal.of), b = scene.model.find_body(signal.against);
      Index number = 0;
      for (Index i = 0; i < machine_.contact_count(); ++i) {
        const auto [body_a, body_b] = machine_.bodies_of(i);
        if ((body_a != a || body_b != b) && (body_a != b || body_b != a)) continue;
        if (signal.number < 0 || signal.number == number) source.contacts.push_back(i);
        ++number;
      }
      source.index = source.contacts.empty() ? -1 : 0;
    } else if (signal.kind == Kind::joint_force || signal.kind == Kind::joint_error) {
      source.index = parts ? index_of(parts->joints, signal.of) : -1;
    } else if (signal.kind == Kind::drive_force || signal.kind == Kind::drive_error) {
      source.index = parts ? index_of(parts->drives, signal.of) : -1;
    } else {
      source.index = 0;
    }
    if (source.index < 0)
      throw wrong_signal(signal, fmt::format("the scene has no \"{}\" that fits", signal.of));
    if (signal.kind == Kind::position)
      source.last_angle = angle_of(scene.initial.orientation[source.index]);
    sources_.push_back(std::move(source));
  }
}

void MachineSampler::sample(const sim::Simulation& simulation, std::vector<Real>& values) {
  machine_.load(simulation.state(), q_, v_);
  values.clear();
  for (Source& source : sources_) values.push_back(value_of(source, simulation));
}

Real MachineSampler::value_of(Source& source, const sim::Simulation& simulation) {
  const Kind kind = source.signal.kind;
  if (kind == Kind::position || kind == Kind::velocity) return of_body(source, simulation.state());
  if (kind == Kind::energy) return simulation.last_report().energy.total();
  if (kind == Kind::enumeration)
    return enumeration_difference(machine_, simulation.state().time, q_, v_);
  return is_of_contact(kind) ? of_contacts(source, simulation) : of_rows(source, simulation);
}

Real MachineSampler::of_body(Source& source, const model::State& state) const {
  const Index body = source.index;
  const Real angle = angle_of(state.orientation[body]), spin = state.angular_velocity[body].z();
  const Vec2 arm = Eigen::Rotation2D<Real>(angle) * source.signal.point;
  if (source.signal.kind == Kind::velocity) {
    if (source.component == 2) return spin;
    const Vec2 velocity = state.velocity[body].head<2>() + spin * Vec2(-arm.y(), arm.x());
    return velocity[source.component];
  }
  if (source.component < 2) return state.position[body][source.component] + arm[source.component];
  source.last_angle += std::remainder(angle - source.last_angle, 2 * std::numbers::pi);
  return source.last_angle;
}

Real MachineSampler::of_contacts(const Source& source, const sim::Simulation& simulation) {
  const Kind kind = source.signal.kind;
  if (kind == Kind::slip || kind == Kind::gap) {
    Real least = std::numeric_limits<Real>::infinity();
    for (const Index i : source.contacts) {
      machine_.contact(i, q_, v_, terms_);
      const Real value = kind == Kind::slip ? terms_.slip : terms_.gap;
      const bool is_less = kind == Kind::slip ? std::abs(value) < std::abs(least) : value < least;
      const bool counts = kind == Kind::gap || source.contacts.size() == 1 || terms_.gap <= 0;
      if (is_less && counts) least = value;
    }
    return std::isfinite(least) ? least : 0;
  }
  Real sum = 0;
  const auto* scheme = dynamic_cast<const stepping::EventDriven*>(&simulation.scheme());
  if (scheme != nullptr && kind != Kind::mean_force) {
    const stepping::event_driven::Forces& forces = scheme->forces();
    if (kind == Kind::friction_use || kind == Kind::slipping_use) {
      const Index i = source.contacts.front();
      machine_.contact(i, q_, v_, terms_);
      const bool counts =
          forces.normal[i] > 0 && (kind == Kind::friction_use || std::abs(terms_.slip) > kSlips);
      return counts ? std::abs(forces.friction[i]) / forces.normal[i] : kNone;
    }
    for (const Index i : source.contacts)
      sum += kind == Kind::normal_force ? forces.normal[i] : forces.friction[i];
    return sum;
  }
  for (const stepping::StepContact& contact : simulation.scheme().contacts()) {
    const bool is_same = std::any_of(source.contacts.begin(), source.contacts.end(), [&](Index i) {
      const auto pair = machine_.bodies_of(i);
      return pair.body_a == contact.body_a && pair.body_b == contact.body_b;
    });
    const Vec2 normal = contact.normal.head<2>(), impulse = contact.impulse.head<2>();
    if (is_same)
      sum += kind == Kind::friction_force ? impulse.dot(Vec2(normal.y(), -normal.x()))
                                          : impulse.dot(normal);
  }
  return sum / simulation.scene().step_size;
}

Real MachineSampler::of_rows(const Source& source, const sim::Simulation& simulation) {
  const Kind kind = source.signal.kind;
  const bool is_joint = kind == Kind::joint_force || kind == Kind::joint_error;
  const auto [first, count] =
      is_joint ? machine_.rows_of_joint(source.index) : machine_.rows_of_drive(source.index);
  const VecX* numbers = nullptr;
  if (kind == Kind::joint_error || kind == Kind::drive_error) {
    machine_.constraints(simulation.state().time, q_, v_, constraints_);
    numbers = &constraints_.value;
  } else if (const auto* scheme =
                 dynamic_cast<const stepping::EventDriven*>(&simulation.scheme())) {
    numbers = &scheme->multipliers();
  }
  if (numbers == nullptr || numbers->size() < first + count)
    throw wrong_signal(source.signal, "the scheme does not tell the forces of joints");
  if (!is_joint) return (*numbers)[first];
  if (source.component >= 0 && source.component < count)
    return (*numbers)[first + source.component];
  return numbers->segment(first, std::min<Index>(2, count)).norm();
}

}  // namespace talus::reproduce
