#include <talus/record/distribution.hpp>

#include <algorithm>
#include <array>

#include <talus/record/detail/checked_index.hpp>

namespace talus::record {
namespace {

/// A number of a contact that bears: of its impulse along the normal and across it, the duration of
/// the step, and the gap.
struct ContactNumber {
  const char *name, *unit, *meaning;
  Real (*value)(Real normal, Real tangential, Real duration, Real gap);
};
constexpr std::array<ContactNumber, 3> kContactNumbers = {{
    {"contacts/normal_force", "N", "normal force of each contact that bears",
     [](Real normal, Real, Real duration, Real) { return normal / duration; }},
    {"contacts/friction_force", "N", "tangential force of each contact that bears",
     [](Real, Real tangential, Real duration, Real) { return tangential / duration; }},
    {"contacts/gap", "m", "gap of each contact that bears, at the start of its step",
     [](Real, Real, Real, Real gap) { return gap; }},
}};

/// The length of a vector of a body that moves freely.
struct BodyNumber {
  const char *name, *unit, *meaning;
  std::vector<Vec3> model::State::*vector;
};
constexpr std::array<BodyNumber, 2> kBodyNumbers = {{
    {"bodies/speed", "m/s", "speed of each dynamic body", &model::State::velocity},
    {"bodies/spin", "rad/s", "angular speed of each dynamic body", &model::State::angular_velocity},
}};

/// Duration of the step that ended at a frame, from the times of the steps.
class Durations {
 public:
  explicit Durations(const RecordReader& record)
      : record_(record),
        start_(record.rows("frames/time", 0, 1).values.at(0)),
        step_(record.array("steps/step").values),
        time_(record.array("steps/time").values) {}

  [[nodiscard]] Real of(Real step) const {
    const Real first = step_.empty() ? 0 : step_.front();
    const std::size_t row = detail::checked_index(record_, step - first, time_.size(), "step");
    return time_[row] - (row > 0 ? time_[row - 1] : start_);
  }

 private:
  const RecordReader& record_;
  Real start_;
  std::vector<Real> step_, time_;
};

SeriesData contact_numbers(const RecordReader& record, const ContactNumber& number) {
  SeriesData data{number.name, number.unit, {}, {}};
  const std::vector<Real> time = record.array("frames/time").values;
  const std::vector<Real> step = record.array("frames/step").values;
  if (time.empty()) return data;
  const Durations durations(record);
  for (std::size_t k = 0; k < time.size(); ++k)
    for (const stepping::StepContact& contact : record.contacts(static_cast<Index>(k))) {
      const Real normal = contact.impulse.dot(contact.normal);
      if (!(normal > 0)) continue;
      const Real tangential = (contact.impulse - normal * contact.normal).norm();
      data.time.push_back(time[k]);
      data.value.push_back(number.value(normal, tangential, durations.of(step[k]), contact.gap));
    }
  return data;
}

SeriesData body_numbers(const RecordReader& record, const BodyNumber& number) {
  SeriesData data{number.name, number.unit, {}, {}};
  const std::vector<Real> kind = record.array("bodies/kind").values;
  for (Index k = 0; k < record.frame_count(); ++k) {
    const model::State state = record.frame(k);
    for (Index i = 0; i < state.body_count(); ++i) {
      if (kind[static_cast<std::size_t>(i)] != 0 || !state.is_present(i)) continue;
      data.time.push_back(state.time);
      data.value.push_back((state.*number.vector)[i].norm());
    }
  }
  return data;
}

}  // namespace

std::vector<SeriesName> distribution_names() {
  std::vector<SeriesName> names;
  for (const ContactNumber& n : kContactNumbers) names.push_back({n.name, n.unit, n.meaning});
  for (const BodyNumber& n : kBodyNumbers) names.push_back({n.name, n.unit, n.meaning});
  return names;
}

std::optional<SeriesData> read_distribution(const RecordReader& record, const std::string& name) {
  for (const ContactNumber& number : kContactNumbers)
    if (name == number.name) return contact_numbers(record, number);
  for (const BodyNumber& number : kBodyNumbers)
    if (name == number.name) return body_numbers(record, number);
  return std::nullopt;
}

}  // namespace talus::record
