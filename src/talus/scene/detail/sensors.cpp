#include <talus/scene/detail/sensors.hpp>

#include <fmt/format.h>

#include <string_view>

#include <talus/base/text.hpp>
#include <talus/scene/detail/machine_context.hpp>
#include <talus/scene/detail/shape_maker.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::string_view kWorldOfSensors = "world";  // of sensors

using model::BodyFrame;
using model::FrameSensor;

class SensorBuilder {
 public:
  SensorBuilder(const model::State& given, Scene& scene, Problems& problems)
      : context_(scene, problems), given_(given), model_(scene.model), problems_(problems) {}

  void add(const SensorSpec& spec) {
    if (!spec.is_sound) return;
    context_.add_name(spec.name, spec.place, "sensor", names_);
    if (const auto kind = kind_of(spec)) model_.sensors.push_back({spec.name, *kind});
  }

 private:
  std::optional<model::SensorKind> kind_of(const SensorSpec& spec) {
    using enum FrameSensor::Quantity;
    if (spec.accelerometer) return frame_sensor(proper_acceleration, *spec.accelerometer);
    if (spec.gyro) return frame_sensor(own_rate, *spec.gyro);
    if (spec.orientation) return relative_sensor(orientation, *spec.orientation);
    if (spec.position) return relative_sensor(position, *spec.position);
    if (spec.velocity) return relative_sensor(velocity, *spec.velocity);
    if (spec.angular_velocity) return relative_sensor(angular_velocity, *spec.angular_velocity);
    if (spec.force) return joint_load(*spec.force, false);
    if (spec.torque) return joint_load(*spec.torque, true);
    if (spec.contact_force) return contact_sensor(*spec.contact_force, false);
    if (spec.touch) return contact_sensor(*spec.touch, true);
    return range_sensor(*spec.rangefinder);
  }

  std::optional<Index> find_body(const std::string& name, const Place& place) {
    const Index body = model_.find_body(name);
    if (body >= 0) return body;
    if (name == kWorldOfSensors) return model::kWorld;
    std::vector<std::string_view> known;
    for (const model::BodyGroup& group : model_.groups) known.push_back(group.name);
    note_unknown("body", name, known, place);
    return std::nullopt;
  }

  void note_unknown(const char* what, const std::string& name,
                    const std::vector<std::string_view>& known, const Place& place) {
    const std::string nearest = nearest_word(name, known);
    problems_.add(place, fmt::format("there is no {} \"{}\"", what, name),
                  nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
  }

  [[nodiscard]] Pose pose_of(Index body) const {
    return body == model::kWorld ? Pose{} : given_.pose(body);
  }

  /// @param origin where the specification gives none, in the body.
  std::optional<BodyFrame> frame_in(Index body, const BodyFrameSpec& spec, const Vec3& origin) {
    const Pose X_WB = pose_of(body);
    BodyFrame frame{body, {origin, Quat::Identity()}};
    if (spec.at) frame.X_BF.p = X_WB.inverse() * *spec.at;
    if (spec.orientation) {
      const auto turned = rotation_of(spec.orientation, problems_);
      if (!turned) return std::nullopt;
      frame.X_BF.q = (X_WB.q.conjugate() * *turned).normalized();
    }
    return frame;
  }

  std::optional<BodyFrame> frame_of(const BodyFrameSpec& spec) {
    const auto body = find_body(*spec.body, spec.place.at("body"));
    if (!body) return std::nullopt;
    return frame_in(*body, spec, Vec3::Zero());
  }

  std::optional<model::SensorKind> frame_sensor(FrameSensor::Quantity quantity,
                                                const BodyFrameSpec& spec) {
    const auto frame = frame_of(spec);
    if (!frame) return std::nullopt;
    return FrameSensor{quantity, *frame, {}};
  }

  std::optional<model::SensorKind> relative_sensor(FrameSensor::Quantity quantity,
                                                   const RelativeFrameSpec& spec) {
    const auto frame = frame_of(spec);
    FrameSensor sensor{quantity, frame.value_or(BodyFrame{}), {}};
    if (spec.relative_to) {
      const auto other = find_body(*spec.relative_to, spec.place.at("relative_to"));
      if (!other) return std::nullopt;
      sensor.against.body = *other;
    }
    if (!frame) return std::nullopt;
    return sensor;
  }

  std::optional<model::SensorKind> joint_load(const JointLoadSpec& spec, bool is_moment) {
    std::vector<std::string_view> known;
    const model::SpatialMachine* machine = model_.spatial_machine.get();
    const std::size_t count = machine != nullptr ? machine->joints.size() : 0;
    std::size_t at = count;
    for (std::size_t i = 0; i < count; ++i) {
      known.push_back(machine->joints[i].name);
      if (machine->joints[i].name == spec.joint) at = i;
    }
    if (at == count) {
      note_unknown("joint", spec.joint, known, spec.place.at("joint"));
      return std::nullopt;
    }
    const model::SpatialJoint& joint = machine->joints[at];
    Index body = joint.body_b;
    if (spec.body) {
      const auto named = find_body(*spec.body, spec.place.at("body"));
      if (!named) return std::nullopt;
      body = *named;
    }
    if (body != joint.body_a && body != joint.body_b) {
      problems_.add(spec.place.at("body"),
                    fmt::format("\"{}\" is none of the two bodies of the joint", *spec.body));
      return std::nullopt;
    }
    const auto frame = frame_in(body, spec, body == joint.body_b ? joint.X_BJ.p : joint.X_AJ.p);
    if (!frame) return std::nullopt;
    return model::JointLoadSensor{static_cast<Index>(at), is_moment, *frame};
  }

  std::optional<model::SensorKind> contact_sensor(const ContactSensorSpec& spec, bool is_touch) {
    const auto frame = frame_of(spec);
    if (!frame) return std::nullopt;
    if (frame->body == model::kWorld) {
      problems_.add(spec.place.at("body"), "the world itself has no contacts",
                    "name the body that stands for it");
      return std::nullopt;
    }
    model::ContactSensor sensor;
    sensor.is_touch = is_touch;
    sensor.frame = *frame;
    if (spec.box) sensor.half_size = *spec.box / 2;
    if (spec.against) {
      sensor.against = find_body(*spec.against, spec.place.at("against"));
      if (!sensor.against) return std::nullopt;
    }
    return sensor;
  }

  std::optional<model::SensorKind> range_sensor(const RangefinderSpec& spec) {
    if (model_.cell.is_periodic()) {
      problems_.add(spec.place, "a ray has no end, and a periodic scene no faces that end it",
                    "leave the sensor out");
      return std::nullopt;
    }
    if (!(spec.direction.stableNorm() > 1e-150)) {
      problems_.add(spec.place.at("direction"), "expected a direction, got a zero vector");
      return std::nullopt;
    }
    const auto body = find_body(spec.body, spec.place.at("body"));
    if (!body) return std::nullopt;
    const Pose X_WB = pose_of(*body);
    model::RangeSensor sensor;
    sensor.frame.body = *body;
    if (spec.at) sensor.frame.X_BF.p = X_WB.inverse() * *spec.at;
    sensor.frame.X_BF.q = (X_WB.q.conjugate() *
                           Quat::FromTwoVectors(Vec3::UnitZ(), spec.direction.stableNormalized()))
                              .normalized();
    if (spec.reach) sensor.reach = *spec.reach;
    return sensor;
  }

  MachineContext context_;
  const model::State& given_;
  model::Model& model_;
  Problems& problems_;
  NamePlaces names_;
};

}  // namespace

void build_sensors(const std::vector<const FragmentSpec*>& fragments, const model::State& given,
                   Scene& scene, Problems& problems) {
  SensorBuilder builder(given, scene, problems);
  for (const FragmentSpec* fragment : fragments)
    for (const SensorSpec& sensor : fragment->sensors) builder.add(sensor);
}

}  // namespace talus::scene::detail
