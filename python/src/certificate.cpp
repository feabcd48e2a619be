#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>

#include <talus/certify/certificate.hpp>

#include "arrays.hpp"
#include "binding.hpp"

namespace talus::python {
namespace {

using certify::Certificate;

template <class Value>
struct Number {
  const char* name;
  Value Certificate::*member;
  const char* meaning;
};

constexpr std::tuple kNumbers = {
    Number<Real>{"natural_map", &Certificate::natural_map,
                 "Scaled natural map, free of units; what a tolerance is compared with."},
    Number<Real>{
        "plain", &Certificate::plain,
        "‖r − P_K(r − û)‖ / max(‖b‖, ‖r‖, ‖u‖), as other libraries print it; mixes units."},
    Number<Real>{"primal", &Certificate::primal, "How far r is outside its cone; free of units."},
    Number<Real>{"dual", &Certificate::dual, "How far û is outside the dual cone; free of units."},
    Number<Real>{"complementarity", &Certificate::complementarity,
                 "Σ|rᵢ·ûᵢ|, scaled; free of units."},
    Number<Real>{"equation_of_motion", &Certificate::equation_of_motion,
                 "Relative residual of M v = H r + f; 0 where the form has no v."},
    Number<Real>{"worst_velocity", &Certificate::worst_velocity,
                 "Largest violation of a contact as a velocity [m/s]."},
    Number<Real>{"violation", &Certificate::violation,
                 "The same over the contact's own speed; NaN where it is not measured."},
    Number<Real>{"work", &Certificate::work,
                 "Work that contacts should not do over the energy at stake; NaN as above."},
    Number<Index>{"worst_contact", &Certificate::worst_contact,
                  "Index of the contact that misses its law most; −1 without contacts."},
    Number<Real>{"worst_share", &Certificate::worst_share,
                 "Its share of the squared natural map, in [0, 1]."},
    Number<bool>{"is_finite", &Certificate::is_finite,
                 "False if a number above is NaN or infinite: it then meets no tolerance."}};

py::dict as_dict(const Certificate& certificate) {
  py::dict numbers;
  std::apply(
      [&](const auto&... number) { ((numbers[number.name] = certificate.*number.member), ...); },
      kNumbers);
  return numbers;
}

/// Number by number; what is not measured, NaN, is the same in both.
bool are_equal(const Certificate& a, const Certificate& b) {
  const auto same = [](auto x, auto y) { return x == y || (x != x && y != y); };
  return std::apply([&](const auto&... n) { return (same(a.*n.member, b.*n.member) && ...); },
                    kNumbers);
}

/// The tolerance that a user asks about, as the driver asks for one.
Real checked(py::handle tolerance) {
  const Real value = to_number("tolerance", tolerance);
  if (!(value > 0)) refuse("tolerance", fmt::format("expected a positive number, got {}", value));
  return value;
}

}  // namespace

void bind_certificate(py::module_& module) {
  py::class_<Certificate> type(module, "Certificate", R"(
Independent residuals of an answer by name, computed without knowing how it was found.

All but `plain` and `worst_velocity` are free of units: the same problem in other units of mass,
length or time has the same certificate. The four that decide nothing, `plain`, `primal`, `dual`
and `complementarity`, are NaN in steps of rigid bodies, but in those that a record has a frame of
and in those without a certificate.
)");
  std::apply(
      [&](const auto&... number) {
        (type.def_readonly(number.name, number.member, number.meaning), ...);
      },
      kNumbers);
  type.def(
          "meets",
          [](const Certificate& c, py::object tolerance) { return c.meets(checked(tolerance)); },
          py::arg("tolerance"), "Whether the answer meets a tolerance > 0.")
      .def(
          "excess",
          [](const Certificate& c, py::object tolerance) { return c.excess(checked(tolerance)); },
          py::arg("tolerance"),
          "The residual that decides over what it may be at a tolerance > 0; at most 1 is met.")
      .def("as_dict", &as_dict, "All numbers by name.")
      .def("__eq__", &are_equal)
      .def("__repr__",
           [](const Certificate& c) {
             return fmt::format(
                 "Certificate(natural_map={:.3g}, plain={:.3g}, equation_of_motion={:.3g}, "
                 "worst_velocity={:.3g}, worst_contact={})",
                 c.natural_map, c.plain, c.equation_of_motion, c.worst_velocity, c.worst_contact);
           })
      .def(py::pickle(
          [](const Certificate& c) {
            return std::apply([&](const auto&... n) { return py::make_tuple(c.*n.member...); },
                              kNumbers);
          },
          [](const py::tuple& state) {
            if (state.size() != std::tuple_size_v<decltype(kNumbers)>)
              refuse("Certificate", "not a pickled certificate");
            Certificate c;
            std::size_t k = 0;
            const auto read = [&](auto& member) {
              member = py::object(state[k++]).cast<std::decay_t<decltype(member)>>();
            };
            std::apply([&](const auto&... n) { (read(c.*n.member), ...); }, kNumbers);
            return c;
          }));
  make_public(type);
}

}  // namespace talus::python
