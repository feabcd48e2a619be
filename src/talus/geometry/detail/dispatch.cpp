#include <talus/geometry/detail/dispatch.hpp>

#include <algorithm>
#include <array>
#include <tuple>

#include <talus/base/contract.hpp>
#include <talus/geometry/polytope.hpp>

namespace talus::geometry::detail {
namespace {

bool less(const Vec3& x, const Vec3& y) {
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
}

bool less(const Polytope& x, const Polytope& y) {
  const auto vx = x.vertices(), vy = y.vertices();
  if (vx.size() != vy.size()) return vx.size() < vy.size();
  const auto [px, py] = std::mismatch(vx.begin(), vx.end(), vy.begin());
  return px != vx.end() && less(*px, *py);
}

}  // namespace

Kind kind_of(const Shape& shape) {
  constexpr std::array<Kind, 6> kKinds = {Kind::sphere,  Kind::plane,    Kind::box,
                                          Kind::capsule, Kind::polytope, Kind::cylinder};
  TALUS_DEMAND(shape.index() < kKinds.size());
  return kKinds[shape.index()];
}

bool must_swap(const Shape& a, const Shape& b) {
  const Kind kind_a = kind_of(a), kind_b = kind_of(b);
  if (kind_a != kind_b) return kind_b < kind_a;
  switch (kind_a) {
    case Kind::plane:
      return false;
    case Kind::box:
      return less(std::get<Box>(a).half_size, std::get<Box>(b).half_size);
    case Kind::polytope:
      return less(*std::get<std::shared_ptr<const Polytope>>(a),
                  *std::get<std::shared_ptr<const Polytope>>(b));
    case Kind::capsule: {
      const auto &x = std::get<Capsule>(a), &y = std::get<Capsule>(b);
      return std::tie(x.radius, x.half_length) < std::tie(y.radius, y.half_length);
    }
    case Kind::cylinder: {
      const auto &x = std::get<Cylinder>(a), &y = std::get<Cylinder>(b);
      return std::tie(x.radius, x.half_length) < std::tie(y.radius, y.half_length);
    }
    case Kind::sphere:
      return std::get<Sphere>(a).radius < std::get<Sphere>(b).radius;
  }
  return false;
}

}  // namespace talus::geometry::detail
