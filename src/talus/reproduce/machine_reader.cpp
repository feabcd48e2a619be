#include <talus/reproduce/machine_reader.hpp>

#include <array>

namespace talus::reproduce::detail {
namespace {

constexpr std::array<std::pair<const char*, Signal::Kind>, 15> kKinds = {{
    {"position", Signal::Kind::position},
    {"velocity", Signal::Kind::velocity},
    {"normal_force", Signal::Kind::normal_force},
    {"friction_force", Signal::Kind::friction_force},
    {"mean_force", Signal::Kind::mean_force},
    {"friction_use", Signal::Kind::friction_use},
    {"slipping_use", Signal::Kind::slipping_use},
    {"slip", Signal::Kind::slip},
    {"gap", Signal::Kind::gap},
    {"joint_force", Signal::Kind::joint_force},
    {"joint_error", Signal::Kind::joint_error},
    {"drive_force", Signal::Kind::drive_force},
    {"drive_error", Signal::Kind::drive_error},
    {"enumeration", Signal::Kind::enumeration},
    {"energy", Signal::Kind::energy},
}};

Vec2 plane_vector(Reader& reader, const std::vector<Real>& numbers) {
  if (numbers.size() != 2) reader.fail(reader.node(), "expected two numbers");
  return {numbers[0], numbers[1]};
}

Signal read_signal(const std::string& name, Reader& reader) {
  Signal signal;
  signal.name = name;
  bool is_known = false;
  const auto kind = reader.get<std::string>("kind");
  for (const auto& [text, value] : kKinds)
    if (kind == text) {
      signal.kind = value;
      is_known = true;
    }
  if (!is_known) reader.fail(reader.node(), "unknown kind of signal " + kind);
  signal.of = reader.get<std::string>("of", "");
  signal.against = reader.get<std::string>("against", "");
  signal.component = reader.get<std::string>("component", "");
  signal.point = plane_vector(reader, reader.get<std::vector<Real>>("point", {0, 0}));
  signal.number = reader.get<Index>("number", -1);
  reader.finish();
  return signal;
}

OrbitSpec read_orbit(Reader& reader) {
  OrbitSpec orbit;
  orbit.period = reader.get<Real>("period");
  orbit.steps = reader.get<Index>("steps", orbit.steps);
  for (const auto& drift : reader.get<std::vector<std::vector<Real>>>("drift", {}))
    orbit.drift.push_back(plane_vector(reader, drift));
  orbit.settle = reader.get<Index>("settle", 0);
  orbit.tolerance = reader.get<Real>("tolerance", orbit.tolerance);
  orbit.perturbation = reader.get<Real>("perturbation", orbit.perturbation);
  if (!(orbit.period > 0) || orbit.steps < 1 || orbit.settle < 0)
    reader.fail(reader.node(), "expected a period > 0 and steps ≥ 1");
  reader.finish();
  return orbit;
}

}  // namespace

MachineCase read_machine(const std::string& name, const std::filesystem::path& folder,
                         Reader& reader) {
  MachineCase machine;
  machine.name = name;
  machine.scene = folder / reader.get<std::string>("scene");
  machine.set = reader.settings();
  machine.needs_full = reader.get<bool>("full", false);
  machine.is_projected = reader.get<bool>("project_start", false);
  machine.end = reader.get<Real>("end", 0);
  machine.every = reader.get<Index>("every", 1);
  if (machine.every < 1) reader.fail(reader.node(), "expected every ≥ 1");
  for (auto& [signal, entry] : reader.table("signals"))
    machine.signals.push_back(read_signal(signal, entry));
  if (auto vary = reader.mapping("vary")) {
    machine.paths = vary->get<std::vector<std::string>>("paths");
    machine.values = vary->get<std::vector<std::string>>("values");
    if (machine.values.empty()) vary->fail(vary->node(), "expected values");
    vary->finish();
  }
  if (auto orbit = reader.mapping("orbit")) machine.orbit = read_orbit(*orbit);
  reader.finish();
  return machine;
}

MachineMeasure read_machine_measure(Reader& reader) {
  MachineMeasure row;
  row.machine = reader.get<std::string>("machine", "");
  if (row.machine.empty()) return row;
  row.signal = reader.get<std::string>("signal", "");
  row.event = reader.get<std::string>("event", "");
  row.until = reader.get<std::string>("until", "");
  row.contact = reader.get<Index>("of_contact", -1);
  row.from = reader.get<Real>("from", 0);
  row.to = reader.get<Real>("to", 0);
  row.factor = reader.get<Real>("factor", 1);
  row.of = reader.get<std::string>("of", "");
  if (reader.has("limit")) row.limit = reader.get<Real>("limit");
  return row;
}

}  // namespace talus::reproduce::detail
