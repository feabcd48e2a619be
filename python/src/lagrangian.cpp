#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <talus/model/own_model.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "arrays.hpp"
#include "binding.hpp"

// Systems in generalized coordinates that Python writes down (talus/lagrangian.py).

namespace talus::python {
namespace {

using model::LagrangianBilateral;
using model::LagrangianContact;
using model::LagrangianJoint;

VecX vector_of(const std::string& name, py::handle value, Index size) {
  VecX x = to_vector(name, value, size);
  for (Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) refuse(name, fmt::format("expected finite numbers, got {}", x[i]));
  return x;
}

MatX columns_of(const std::string& name, py::handle value, Index rows) {
  MatX x = to_dense(name, value);
  if (x.rows() != rows) refuse(name, fmt::format("expected {} rows, got {}", rows, x.rows()));
  if (!x.allFinite()) refuse(name, "expected finite numbers");
  return x;
}

/// Coordinates or velocities at the start.
VecX start_of(const std::string& name, py::handle value, Index size) {
  VecX x = vector_of(name, value, size);
  if (x.size() != size)
    refuse(name, fmt::format("expected {} numbers, one per coordinate, got {}", size, x.size()));
  return x;
}

/// A system whose functions are those of a Python object. Stepping holds the interpreter's lock.
class PySystem final : public model::LagrangianSystem {
 public:
  explicit PySystem(py::object system)
      : system_(std::move(system)),
        size_(to_count("coordinate_count", system_.attr("coordinate_count"))),
        contacts_(to_count("contact_count", system_.attr("contact_count"))) {
    if (size_ < 1) refuse("coordinate_count", "expected at least 1");
  }

  [[nodiscard]] Index coordinate_count() const override { return size_; }
  [[nodiscard]] MatX mass(const VecX& q) const override {
    MatX M = columns_of("mass(q)", system_.attr("mass")(q), size_);
    if (M.cols() != size_) refuse("mass(q)", fmt::format("expected {} columns", size_));
    return M;
  }
  [[nodiscard]] VecX force(const VecX& q, const VecX& v, Real time) const override {
    return vector_of("force(q, v, time)", system_.attr("force")(q, v, time), size_);
  }
  [[nodiscard]] Index contact_count() const override { return contacts_; }
  [[nodiscard]] LagrangianContact contact(Index i, const VecX& q) const override {
    const py::object given = system_.attr("contact")(i, q);
    LagrangianContact contact;
    contact.gap = to_number("contact.gap", given.attr("gap"));
    contact.normal = vector_of("contact.normal", given.attr("normal"), size_);
    contact.friction = to_number("contact.friction", given.attr("friction"));
    if (!(contact.friction >= 0)) refuse("contact.friction", "expected a number ≥ 0");
    contact.restitution = to_number("contact.restitution", given.attr("restitution"));
    if (!(contact.restitution >= 0 && contact.restitution <= 1))
      refuse("contact.restitution", "expected a number in [0, 1]");
    const py::object tangents = given.attr("tangents");
    contact.tangents =
        tangents.is_none() ? MatX(size_, 0) : columns_of("contact.tangents", tangents, size_);
    return contact;
  }
  [[nodiscard]] LagrangianBilateral bilateral_at(const VecX& q, Real time) const override {
    const py::object given = system_.attr("bilateral")(q, time);
    if (given.is_none()) return {VecX(), MatX(size_, 0), VecX()};
    LagrangianBilateral bilateral;
    bilateral.value = to_vector("bilateral.value", given.attr("value"));
    bilateral.gradient = columns_of("bilateral.gradient", given.attr("gradient"), size_);
    const Index count = bilateral.value.size();
    if (bilateral.gradient.cols() != count)
      refuse("bilateral.gradient", fmt::format("expected {} columns", count));
    if (const py::object rate = given.attr("rate"); !rate.is_none())
      bilateral.rate = vector_of("bilateral.rate", rate, count);
    return bilateral;
  }
  [[nodiscard]] LagrangianBilateral bilateral(const VecX& q) const override {
    return bilateral_at(q, 0);
  }
  [[nodiscard]] std::vector<LagrangianJoint> joints(const VecX& q) const override {
    std::vector<LagrangianJoint> joints;
    for (const py::handle given : system_.attr("joints")(q)) {
      LagrangianJoint joint;
      joint.tangents = columns_of("joint.tangents", given.attr("tangents"), size_);
      joint.bound = to_number("joint.bound", given.attr("bound"));
      if (!(joint.bound >= 0)) refuse("joint.bound", "expected a number ≥ 0");
      joints.push_back(std::move(joint));
    }
    return joints;
  }
  [[nodiscard]] Real potential(const VecX& q) const override {
    return to_number("potential(q)", system_.attr("potential")(q));
  }

 private:
  py::object system_;
  Index size_, contacts_;
};

/// A system in motion, by any scheme.
class PyLagrangianSimulation {
 public:
  PyLagrangianSimulation(py::object system, const py::object& q, const py::object& v,
                         const py::object& time, const py::object& tolerance,
                         const std::string& scheme, Index max_halvings)
      : system_(std::make_shared<PySystem>(std::move(system))),
        model_(model::make_own_model(system_)),
        state_(model::make_own_state(start_of("q", q, system_->coordinate_count()),
                                     start_of("v", v, system_->coordinate_count()),
                                     to_number("time", time))),
        scheme_(make_scheme(model_,
                            options(to_number("tolerance", tolerance), scheme, max_halvings))) {}

  stepping::StepReport step(const py::object& step_size) {
    const Real h = to_number("step", step_size);
    if (!(h > 0 && std::isfinite(h)))
      refuse("step", fmt::format("expected a positive number [s], got {}", h));
    return scheme_->step(state_, h);
  }
  [[nodiscard]] VecX q() const { return model::coordinates_of(state_); }
  [[nodiscard]] VecX v() const { return model::rates_of(state_); }
  [[nodiscard]] Real time() const { return state_.time; }
  [[nodiscard]] Real energy() const {
    return v().dot(model::mass_of(*system_, q()) * v()) / 2 + system_->potential(q());
  }
  [[nodiscard]] py::list impulses() const {
    py::list all;
    for (const stepping::StepContact& one : scheme_->contacts()) {
      const auto contact = static_cast<Index>(one.feature);
      const Index tangents = system_->contact(contact, q()).tangents.cols();
      all.append(py::make_tuple(contact, one.impulse.y(),
                                VecX(Vec2(one.impulse.x(), one.impulse.z()).head(tangents))));
    }
    return all;
  }
  [[nodiscard]] py::list events() const {
    py::list all;
    for (const stepping::Event& event : scheme_->events())
      all.append(py::make_tuple(event.time, to_string(event.kind), event.contact));
    return all;
  }

 private:
  static stepping::SchemeOptions options(Real tolerance, const std::string& scheme,
                                         Index max_halvings) {
    stepping::SchemeOptions options;
    if (!(tolerance > 0)) refuse("tolerance", "expected a positive number");
    if (max_halvings < 0) refuse("max_halvings", "expected a number ≥ 0");
    const std::vector<std::string_view> names = stepping::scheme_names();
    std::string known;
    for (const std::string_view name : names)
      known += (known.empty() ? "" : ", ") + std::string(name);
    if (std::find(names.begin(), names.end(), scheme) == names.end())
      refuse("scheme", "expected one of " + known + ", got '" + scheme + "'");
    if (scheme == "event_driven" && max_halvings > 0)
      refuse("max_halvings", "expected 0: event_driven chooses its own steps");
    options.scheme = scheme;
    options.solver.tolerance = tolerance;
    options.max_halvings = max_halvings;
    return options;
  }

  std::shared_ptr<PySystem> system_;
  model::Model model_;
  model::State state_;
  std::unique_ptr<stepping::Scheme> scheme_;
};

}  // namespace

void bind_lagrangian(py::module_& module) {
  using Simulation = PyLagrangianSimulation;
  py::class_<Simulation>(module, "LagrangianSimulation", "talus.LagrangianSimulation")
      .def(py::init<py::object, py::object, py::object, py::object, py::object, std::string,
                    Index>(),
           py::arg("system"), py::arg("q"), py::arg("v"), py::arg("time"), py::arg("tolerance"),
           py::arg("scheme"), py::arg("max_halvings"))
      .def("step", &Simulation::step, py::arg("step"))
      .def_property_readonly("q", &Simulation::q)
      .def_property_readonly("v", &Simulation::v)
      .def_property_readonly("time", &Simulation::time)
      .def_property_readonly("energy", &Simulation::energy)
      .def_property_readonly("impulses", &Simulation::impulses)
      .def_property_readonly("events", &Simulation::events);
}

}  // namespace talus::python
