#include <talus/stepping/lines_without_direction.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>

#include <talus/base/contract.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/time_law.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

/// A line element in the plane or in space.
struct Line {
  const std::string& name;
  Index body_a, body_b;
  Vec3 p_A, p_B;
  Real push;  // k l₀: of its spring where the points meet
  const model::TimeLaw& law;

  [[nodiscard]] bool vanishes_with_length() const { return push == 0 && is_zero(law); }
  [[nodiscard]] bool has_length(const model::State& state) const {
    const auto point = [&](Index body, const Vec3& p) {
      return body == model::kWorld ? p : Vec3(state.pose(body) * p);
    };
    return point(body_a, p_A) != point(body_b, p_B);
  }
  [[nodiscard]] Real tension(Real time) const { return evaluate(law, time).value - push; }
};

template <class See>
void for_each_line(const model::Model& model, const See& see) {
  const auto in_space = [](const Vec2& p) { return Vec3(p.x(), p.y(), 0); };
  if (model.machine)
    for (const model::ForceElement& force : model.machine->forces)
      if (const auto* line = std::get_if<model::LineForce>(&force.kind))
        see(Line{force.name, force.body_a, force.body_b, in_space(line->p_A), in_space(line->p_B),
                 line->stiffness * line->rest_length, line->force});
  if (model.spatial_machine)
    for (const model::SpatialForce& force : model.spatial_machine->forces)
      if (const auto* line = std::get_if<model::LineElement>(&force.kind))
        see(Line{force.name, force.body_a, force.body_b, line->p_A, line->p_B,
                 line->stiffness * line->rest_length, line->force});
}

/// Why a step that begins with a state is not certified.
std::string why_undirected(const model::Model& model, const model::State& state) {
  std::string why;
  for_each_line(model, [&](const Line& line) {
    const Real tension = line.tension(state.time);
    if (!why.empty() || tension == 0 || line.has_length(state)) return;
    why = fmt::format(
        "the points of force element {} are one where the step begins: its force of {:.3g} N has "
        "no direction and is left out",
        line.name, tension);
  });
  return why;
}

class LineJudge final : public detail::SchemeDecorator {
 public:
  LineJudge(std::unique_ptr<Scheme> scheme, const model::Model& model)
      : SchemeDecorator(std::move(scheme)), model_(model) {}

  StepReport step(model::State& state, Real h) override {
    const std::string why = why_undirected(model_, state);
    StepReport report = scheme_->step(state, h);
    if (!why.empty() && report.is_certified()) {
      report.status = problem::SolveStatus::stalled;
      report.detail = why;
    }
    return report;
  }

 private:
  const model::Model& model_;
};

}  // namespace

bool has_lines_without_direction(const model::Model& model) {
  bool has_any = false;
  for_each_line(model,
                [&](const Line& line) { has_any = has_any || !line.vanishes_with_length(); });
  return has_any;
}

std::unique_ptr<Scheme> judge_lines(std::unique_ptr<Scheme> scheme, const model::Model& model) {
  TALUS_DEMAND(has_lines_without_direction(model));
  return std::make_unique<LineJudge>(std::move(scheme), model);
}

}  // namespace talus::stepping
