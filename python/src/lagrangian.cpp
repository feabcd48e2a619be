#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <talus/stepping/lagrangian_stepper.hpp>

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

/// A system in motion.
class PyStepper {
 public:
  PyStepper(py::object system, const py::object& q, const py::object& v, const py::object& time,
            const py::object& tolerance, const std::string& variant, Index max_halvings)
      : system_(std::make_unique<PySystem>(std::move(system))),
        stepper_(*system_, options(to_number("tolerance", tolerance), variant, max_halvings)),
        state_{to_number("time", time), vector_of("q", q, system_->coordinate_count()),
               vector_of("v", v, system_->coordinate_count())} {}

  stepping::ImplicitReport step(const py::object& step_size) {
    const Real h = to_number("step", step_size);
    if (!(h > 0 && std::isfinite(h)))
      refuse("step", fmt::format("expected a positive number [s], got {}", h));
    return stepper_.step(state_, h);
  }
  [[nodiscard]] const stepping::LagrangianState& state() const { return state_; }
  [[nodiscard]] Real energy() const { return stepper_.energy(state_); }
  [[nodiscard]] py::list impulses() const {
    py::list all;
    for (const stepping::LagrangianImpulse& one : stepper_.contacts())
      all.append(py::make_tuple(one.contact, one.normal, one.tangential));
    return all;
  }

 private:
  static stepping::ImplicitOptions options(Real tolerance, const std::string& variant,
                                           Index max_halvings) {
    stepping::ImplicitOptions options;
    if (!(tolerance > 0)) refuse("tolerance", "expected a positive number");
    if (max_halvings < 0) refuse("max_halvings", "expected a number ≥ 0");
    options.solver.tolerance = tolerance;
    options.max_halvings = max_halvings;
    using stepping::Variant;
    if (variant == "anitescu_potra")
      options.variant = Variant::anitescu_potra;
    else if (variant == "anitescu_potra_stabilised")
      options.variant = Variant::anitescu_potra_stabilised;
    else if (variant != "stewart_trinkle")
      refuse("scheme", fmt::format("expected stewart_trinkle, anitescu_potra or "
                                   "anitescu_potra_stabilised, got '{}'",
                                   variant));
    return options;
  }

  std::unique_ptr<PySystem> system_;
  stepping::LagrangianStepper stepper_;
  stepping::LagrangianState state_;
};

}  // namespace

void bind_lagrangian(py::module_& module) {
  using stepping::ImplicitReport;
  py::class_<ImplicitReport> report(module, "LagrangianReport",
                                    "What one step of a system in generalized coordinates did.");
  report
      .def_property_readonly(
          "status", [](const ImplicitReport& r) { return std::string(to_string(r.status)); },
          "'converged' exactly if the step is certified.")
      .def_property_readonly("is_certified", &ImplicitReport::is_certified,
                             "Whether the certificate meets the tolerance.")
      .def_readonly("certificate", &ImplicitReport::certificate, "Independent residuals.")
      .def_readonly("penetration", &ImplicitReport::penetration,
                    "Largest violation of a gap after the step [m].")
      .def_readonly("halvings", &ImplicitReport::halvings, "How often the step was cut in two.")
      .def_readonly("detail", &ImplicitReport::detail, "What went wrong, in a line; or empty.")
      .def("__repr__", [](const ImplicitReport& r) {
        return fmt::format("LagrangianReport({}{})", to_string(r.status),
                           r.detail.empty() ? "" : ": " + r.detail);
      });
  make_public(report);
  py::class_<PyStepper>(module, "LagrangianStepper", "talus.LagrangianSimulation")
      .def(py::init<py::object, py::object, py::object, py::object, py::object, std::string,
                    Index>(),
           py::arg("system"), py::arg("q"), py::arg("v"), py::arg("time"), py::arg("tolerance"),
           py::arg("scheme"), py::arg("max_halvings"))
      .def("step", &PyStepper::step, py::arg("step"))
      .def_property_readonly("q", [](const PyStepper& s) { return VecX(s.state().q); })
      .def_property_readonly("v", [](const PyStepper& s) { return VecX(s.state().v); })
      .def_property_readonly("time", [](const PyStepper& s) { return s.state().time; })
      .def_property_readonly("energy", &PyStepper::energy)
      .def_property_readonly("impulses", &PyStepper::impulses);
}

}  // namespace talus::python
