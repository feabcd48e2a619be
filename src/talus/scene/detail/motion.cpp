#include <talus/scene/detail/motion.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace talus::scene::detail {
namespace {

class Translator {
 public:
  Translator(Real step_size, Problems& problems) : step_size_(step_size), problems_(problems) {}

  Vec3 direction(const Vec3& axis, const Place& place) {
    if (axis.stableNorm() > 1e-150) return axis.stableNormalized();
    problems_.add(place.at("axis"), "expected a direction, got a zero vector");
    return Vec3::UnitZ();
  }

  /// The orientation before and after a step does not tell whole turns in between.
  void check_speed(Real speed, const Place& place) {
    if (std::abs(speed) * step_size_ >= std::numbers::pi)
      problems_.add(place,
                    fmt::format("at {:g} rad/s a step of {:g} s turns the body by half a "
                                "revolution or more",
                                std::abs(speed), step_size_),
                    "make the step shorter");
  }

  model::ConstantRotation constant_rotation(const RotationSpec& spec) {
    check_speed(spec.speed, spec.place.at("speed"));
    return {direction(spec.axis, spec.place), spec.through, spec.speed};
  }

  model::HarmonicRotation harmonic_rotation(const SwingSpec& spec) {
    check_speed(2 * std::numbers::pi * spec.frequency * spec.amplitude, spec.place.at("frequency"));
    return {direction(spec.axis, spec.place), spec.through, spec.amplitude, spec.frequency,
            spec.phase};
  }

  model::TabulatedMotion tabulated_motion(const TableSpec& spec) {
    for (std::size_t i = 0; i + 1 < spec.times.size(); ++i)
      if (!(spec.times[i] < spec.times[i + 1])) {
        problems_.add(spec.place.at("times"),
                      fmt::format("expected increasing times, got {:g} after {:g}",
                                  spec.times[i + 1], spec.times[i]));
        break;
      }
    for (const auto& [key, size] : {std::pair("displacements", spec.displacements.size()),
                                    std::pair("angles", spec.angles.size())})
      if (spec.has(key) && size != spec.times.size())
        problems_.add(spec.place.at(key),
                      fmt::format("expected one of the {} for each of the {} times, got {}", key,
                                  spec.times.size(), size));
    if (!spec.has("displacements") && !spec.has("angles"))
      problems_.add(spec.place, "this table moves nothing", "give displacements or angles");
    // The most that one step turns: within one entry, or all of a jump that is shorter than a step.
    for (std::size_t i = 0; spec.angles.size() == spec.times.size() && i + 1 < spec.times.size();
         ++i)
      if (spec.times[i] < spec.times[i + 1])
        check_speed((spec.angles[i + 1] - spec.angles[i]) /
                        std::max(spec.times[i + 1] - spec.times[i], step_size_),
                    spec.place.at("angles"));
    return {spec.times, spec.displacements, spec.angles, direction(spec.axis, spec.place),
            spec.through};
  }

 private:
  Real step_size_;
  Problems& problems_;
};

}  // namespace

std::vector<model::MotionTerm> motion_terms(const MotionSpec& spec, Real step_size,
                                            Problems& problems) {
  std::vector<model::MotionTerm> terms;
  Translator translate(step_size, problems);
  if (spec.rotation) terms.emplace_back(translate.constant_rotation(*spec.rotation));
  if (spec.swing) terms.emplace_back(translate.harmonic_rotation(*spec.swing));
  if (spec.table) terms.emplace_back(translate.tabulated_motion(*spec.table));
  if (spec.shake)
    terms.emplace_back(model::HarmonicTranslation{spec.shake->amplitude, spec.shake->frequency,
                                                  spec.shake->phase});
  if (terms.empty() && !spec.kind)
    problems.add(spec.place, "this motion moves nothing",
                 "write dynamic, fixed or kinematic, or give rotation, swing, table or shake");
  return terms;
}

}  // namespace talus::scene::detail
