#include <talus/reproduce/flow_reader.hpp>

#include <talus/problem/friction_law.hpp>

namespace talus::reproduce::detail {
namespace {

using Texts = std::vector<std::string>;

Observable read_observable(Reader& reader) {
  Observable what;
  what.name = reader.get<std::string>("name");
  what.unit = reader.get<std::string>("unit", "1");
  what.probe = reader.get<std::string>("probe");
  what.column = reader.get<std::string>("column");
  what.over = reader.get<std::string>("over", "");
  const auto kind = reader.get<std::string>("kind", "mean");
  if (kind != "mean" && kind != "slope" && kind != "last")
    reader.fail(reader.node(), "expected kind: mean, slope or last, got " + kind);
  if (!what.over.empty() && kind != "mean")
    reader.fail(reader.node(), "expected over with kind: mean only");
  what.kind = kind == "mean"    ? Observable::Kind::mean
              : kind == "slope" ? Observable::Kind::slope
                                : Observable::Kind::last;
  what.from = reader.get<Real>("from", 0);
  what.to = reader.get<Real>("to", 0);
  what.factor = reader.get<Real>("factor", 1);
  reader.finish();
  return what;
}

Vec3 vector_of(Reader& reader, const std::string& key) {
  const auto numbers = reader.get<std::vector<Real>>(key);
  if (numbers.size() != 3) reader.fail(reader.node(), key + ": expected three numbers");
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

Flow read_flow(const std::string& name, const std::filesystem::path& folder, Reader& reader) {
  Flow flow;
  flow.name = name;
  flow.title = reader.get<std::string>("title");
  flow.scene = folder / reader.get<std::string>("scene");
  flow.needs_full = reader.get<bool>("full", false);
  flow.set = reader.settings();
  flow.laws = reader.get<Texts>("laws");
  flow.brief_laws = reader.get<Texts>("brief_laws", {});
  flow.laws.insert(flow.laws.end(), flow.brief_laws.begin(), flow.brief_laws.end());
  for (const std::string& law : flow.laws)
    if (!problem::friction_law(law)) reader.fail(reader.node(), "unknown law " + law);
  flow.parameter = reader.get<std::string>("parameter", flow.parameter);
  for (Reader& entry : reader.list("cases")) {
    FlowCase one;
    one.value = entry.get<Real>("value");
    one.set = entry.settings();
    entry.finish();
    flow.cases.push_back(std::move(one));
  }
  if (flow.cases.empty()) flow.cases.push_back({});
  flow.seed = reader.get<std::string>("seed", flow.seed);
  flow.seeds = reader.get<std::vector<Index>>("seeds", flow.seeds);
  if (flow.seeds.empty()) reader.fail(reader.node(), "expected a seed");
  for (Reader& entry : reader.list("observables"))
    flow.observables.push_back(read_observable(entry));
  flow.outflow = reader.get<std::string>("outflow", "");
  flow.stop_share = reader.get<Real>("stop_share", 1);
  if (auto slot = reader.mapping("slot")) {
    flow.slot.rate = slot->get<std::string>("rate");
    flow.slot.fraction = slot->get<std::string>("fraction");
    flow.slot.length = slot->get<Real>("length");
    flow.slot.diameter = slot->get<Real>("diameter");
    flow.slot.density = slot->get<Real>("density");
    flow.slot.unit = slot->get<Real>("unit", 1);
    slot->finish();
  }
  if (auto inside = reader.mapping("inside")) {
    flow.inside.min = vector_of(*inside, "min");
    flow.inside.max = vector_of(*inside, "max");
    inside->finish();
  }
  flow.judge_every = reader.get<Index>("judge_every", 0);
  reader.finish();
  return flow;
}

}  // namespace talus::reproduce::detail
