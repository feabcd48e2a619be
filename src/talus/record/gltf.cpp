#include <talus/record/gltf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include <talus/base/error.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/json/json.hpp>
#include <talus/record/detail/checked_index.hpp>
#include <talus/record/surface.hpp>

namespace talus::record {
namespace {

constexpr int kFloat = 5126, kUnsigned = 5125;
constexpr std::array<std::array<double, 3>, 8> kColours = {{{0.31, 0.47, 0.65},
                                                            {0.95, 0.56, 0.17},
                                                            {0.35, 0.63, 0.31},
                                                            {0.88, 0.34, 0.35},
                                                            {0.46, 0.72, 0.70},
                                                            {0.93, 0.79, 0.28},
                                                            {0.69, 0.48, 0.63},
                                                            {0.61, 0.46, 0.37}}};

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
/// glTF: x, y, z, w.
Json list(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// The document and its one buffer.
class Document {
 public:
  Json json = {{"asset", {{"version", "2.0"}, {"generator", "Talus"}}}};

  /// An accessor of numbers; its index.
  std::size_t add(const std::vector<float>& numbers, const char* type, int width, bool has_bounds,
                  int target = 0) {
    return add(numbers.data(), numbers.size() * sizeof(float), kFloat, type,
               numbers.size() / static_cast<std::size_t>(width), target,
               has_bounds ? bounds(numbers, width) : Json());
  }
  std::size_t add(const std::vector<std::uint32_t>& numbers, int target) {
    return add(numbers.data(), numbers.size() * 4, kUnsigned, "SCALAR", numbers.size(), target, {});
  }

  void write(const std::filesystem::path& path) {
    json["buffers"] = {{{"byteLength", bytes_.size()}}};
    std::string text = json_text(json);
    text.append((4 - text.size() % 4) % 4, ' ');
    bytes_.append((4 - bytes_.size() % 4) % 4, '\0');
    files::OutputFile file(path, files::gltf_kind());
    std::ostream& out = file.stream();
    const auto number = [&](std::size_t value) {
      const auto word = static_cast<std::uint32_t>(value);
      out.write(reinterpret_cast<const char*>(&word), 4);
    };
    out << "glTF";
    number(2);
    number(12 + 8 + text.size() + 8 + bytes_.size());
    number(text.size());
    out << "JSON" << text;
    number(bytes_.size());
    out << std::string("BIN\0", 4) << bytes_;
    file.commit();
  }

 private:
  static Json bounds(const std::vector<float>& numbers, int width) {
    Json low = Json::array(), high = Json::array();
    for (int c = 0; c < width; ++c) {
      float least = numbers[static_cast<std::size_t>(c)], most = least;
      for (std::size_t i = static_cast<std::size_t>(c); i < numbers.size();
           i += static_cast<std::size_t>(width)) {
        least = std::min(least, numbers[i]);
        most = std::max(most, numbers[i]);
      }
      low.push_back(least);
      high.push_back(most);
    }
    return {{"min", low}, {"max", high}};
  }

  std::size_t add(const void* data, std::size_t size, int component, const char* type,
                  std::size_t count, int target, const Json& more) {
    Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", size}};
    if (target != 0) view["target"] = target;
    bytes_.append(static_cast<const char*>(data), size);
    if (bytes_.size() > kMaxGltfBytes)
      throw InputError(Diagnostic{{},
                                  "",
                                  "the glTF file would be larger than 2 GiB",
                                  "",
                                  "take fewer frames with --every"});
    Json accessor = {{"bufferView", json["bufferViews"].size()},
                     {"componentType", component},
                     {"count", count},
                     {"type", type}};
    if (more.is_object())
      for (const auto& [key, value] : more.members()) accessor[key] = value;
    json["bufferViews"].push_back(view);
    json["accessors"].push_back(accessor);
    return json["accessors"].size() - 1;
  }

  std::string bytes_;
};

std::vector<float> flat(const std::vector<Vec3>& vectors) {
  std::vector<float> numbers;
  for (const Vec3& v : vectors)
    for (const Real x : {v.x(), v.y(), v.z()}) numbers.push_back(static_cast<float>(x));
  return numbers;
}

/// Writes one record.
class GltfExport {
 public:
  GltfExport(const RecordReader& record, Index every)
      : record_(record), looks_(read_looks(record)) {
    const Index frames = record.frame_count();
    if (frames == 0) throw file_error(record.path().string(), "this record has no frames yet");
    for (Index k = 0; k < frames; k += std::max<Index>(every, 1)) frames_.push_back(k);
    if (frames_.back() != frames - 1) frames_.push_back(frames - 1);
    kind_ = record.array("bodies/kind").values;
    material_ = record.array("bodies/material").values;
    find_parents();
  }

  void write(const std::filesystem::path& target) {
    add_planes();
    add_materials();
    add_surfaces();
    add_bodies();
    add_animation();
    document_.json["scene"] = 0;
    document_.json["scenes"] = {{{"name", record_.title()}, {"nodes", {0}}}};
    document_.write(target);
  }

 private:
  /// A plane has no end: a square shows where it is, below where the bodies are at the start.
  void add_planes() {
    const std::vector<Real> code = record_.array("bodies/shape").values;
    const model::State start = record_.frame(frames_.front());
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (std::size_t i = 0; i < code.size(); ++i)
      if (kind_[i] == 0) {
        low = low.cwiseMin(start.position[i]);
        high = high.cwiseMax(start.position[i]);
      }
    const Real reach = std::isfinite(low.x()) ? std::max((high - low).norm(), Real(1e-3)) : 1;
    const auto p = record_.array("bodies/shape_position").values;
    const auto q = record_.array("bodies/shape_orientation").values;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (static_cast<ShapeCode>(code[i]) != ShapeCode::plane) continue;
      Look look{looks_.surfaces.size(), Vec3(reach, reach, 1), {}};
      look.X_BS = {Vec3(p.data() + 3 * i),
                   Quat(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3])};
      // Moved in the plane to the middle of the bodies.
      const Pose X_WS = start.pose(static_cast<Index>(i)) * look.X_BS;
      if (std::isfinite(low.x())) {
        Vec3 middle = X_WS.q.conjugate() * (0.5 * (low + high) - X_WS.p);
        middle.z() = 0;
        look.X_BS.p += look.X_BS.q * middle;
      }
      looks_.of_body[i].push_back(look);
      has_planes_ = true;
    }
    if (has_planes_)
      looks_.surfaces.push_back({{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
                                 std::vector<Vec3>(4, Vec3::UnitZ()),
                                 {{0, 1, 2}, {0, 2, 3}}});
  }

  void add_materials() {
    const std::vector<std::string> names = record_.texts("materials/name");
    for (std::size_t i = 0; i <= names.size(); ++i) {  // the last one is for walls
      const bool is_wall = i == names.size();
      const auto& c = kColours[i % kColours.size()];
      const Json colour = is_wall ? Json{0.62, 0.64, 0.67, 1.0} : Json{c[0], c[1], c[2], 1.0};
      document_.json["materials"].push_back(
          {{"name", is_wall ? std::string("wall") : names[i]},
           {"doubleSided", is_wall},
           {"pbrMetallicRoughness",
            {{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}}});
    }
    wall_material_ = names.size();
  }

  void add_surfaces() {
    constexpr int kVertices = 34962, kIndices = 34963;
    for (const Surface& surface : looks_.surfaces) {
      std::vector<std::uint32_t> indices;
      for (const auto& triangle : surface.triangles)
        for (const int corner : triangle) indices.push_back(static_cast<std::uint32_t>(corner));
      primitives_.push_back(
          {{"attributes",
            {{"POSITION", document_.add(flat(surface.vertices), "VEC3", 3, true, kVertices)},
             {"NORMAL", document_.add(flat(surface.normals), "VEC3", 3, false, kVertices)}}},
           {"indices", document_.add(indices, kIndices)}});
    }
  }

  /// A mesh of a surface in a material; made when it is first asked for.
  std::size_t mesh_of(std::size_t surface, std::size_t material) {
    const auto [entry, is_new] =
        meshes_.emplace(std::pair(surface, material), document_.json["meshes"].size());
    if (is_new) {
      Json primitive = primitives_[surface];
      primitive["material"] = material;
      document_.json["meshes"].push_back({{"primitives", Json::array({primitive})}});
    }
    return entry->second;
  }

  std::size_t material_of(std::size_t body) const {
    return kind_[body] != 0 ? wall_material_ : static_cast<std::size_t>(material_[body]);
  }

  /// Of a machine in space the tree that its joints span from what does not move: a body's parent
  /// is the body that holds it, −1: the world. Bodies that come and go have no parents.
  void find_parents() {
    parent_.assign(kind_.size(), -1);
    if (!record_.has("machine/frame_a") || record_.has("poses/presence")) return;
    const auto bodies_of = [&](const char* path) {
      std::vector<Index> bodies;
      for (const Real body : record_.array(path).values)
        bodies.push_back(body < 0 ? -1
                                  : static_cast<Index>(detail::checked_index(
                                        record_, body, kind_.size(), "body")));
      return bodies;
    };
    const std::vector<Index> a = bodies_of("machine/body_a"), b = bodies_of("machine/body_b");
    const auto is_world = [&](Index body) { return body < 0 || kind_[body] != 0; };
    std::vector<bool> is_reached(kind_.size());
    std::vector<Index> reached;
    const auto reach = [&](Index body, Index from) {
      if (is_world(body) || is_reached[body]) return;
      is_reached[body] = true;
      parent_[body] = is_world(from) || looks_.of_body[from].empty() ? -1 : from;
      reached.push_back(body);
    };
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (is_world(a[j])) reach(b[j], -1);
      if (is_world(b[j])) reach(a[j], -1);
    }
    for (Index root = -1; root < static_cast<Index>(kind_.size()); ++root) {
      if (root >= 0) reach(root, -1);  // a machine that nothing holds
      while (!reached.empty()) {
        std::vector<Index> last;
        last.swap(reached);
        for (const Index body : last)
          for (std::size_t j = 0; j < a.size(); ++j) {
            if (a[j] == body) reach(b[j], body);
            if (b[j] == body) reach(a[j], body);
          }
      }
    }
  }

  /// Of a body in its parent.
  [[nodiscard]] Pose pose_of(const model::State& state, Index body) const {
    const Index parent = parent_[body];
    return parent < 0 ? state.pose(body) : state.pose(parent).inverse() * state.pose(body);
  }

  void add_bodies() {
    const model::State start = record_.frame(frames_.front());
    const std::vector<std::string> names = record_.body_names();
    Json& nodes = document_.json["nodes"];
    nodes.push_back({{"name", "world"}, {"children", Json::array()}});
    if (record_.attribute("/", "dimension", 3) > 2)
      nodes.items()[0]["rotation"] =
          list(Quat(std::sqrt(0.5), -std::sqrt(0.5), 0, 0));  // z up to y up
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto& looks = looks_.of_body[i];
      if (looks.empty()) continue;
      const std::size_t node = nodes.size();
      const Pose pose = pose_of(start, static_cast<Index>(i));
      nodes.push_back({{"name", names[i]},
                       {"translation", list(pose.p)},
                       {"rotation", list(pose.q.normalized())}});
      node_of_body_.emplace_back(static_cast<Index>(i), node);
      for (const Look& look : looks) {
        nodes.items()[node]["children"].push_back(nodes.size());
        nodes.push_back({{"mesh", mesh_of(look.surface, material_of(i))},
                         {"translation", list(look.X_BS.p)},
                         {"rotation", list(look.X_BS.q.normalized())},
                         {"scale", list(look.scale)}});
      }
    }
    std::vector<std::size_t> node_of(names.size(), 0);
    for (const auto& [body, node] : node_of_body_) node_of[body] = node;
    for (const auto& [body, node] : node_of_body_)
      nodes.items()[parent_[body] < 0 ? 0 : node_of[parent_[body]]]["children"].push_back(node);
  }

  void add_animation() {
    if (frames_.size() < 2) return;  // a picture
    std::vector<float> times;
    for (const Index k : frames_)
      times.push_back(static_cast<float>(record_.rows("frames/time", k, 1).values[0]));
    for (std::size_t k = 1; k < times.size(); ++k)
      if (!(times[k] > times[k - 1])) return;  // no time passes
    std::vector<std::vector<float>> translation(node_of_body_.size()), rotation(translation),
        scale(translation);
    bool has_presence = false;
    for (const Index k : frames_) {
      const model::State state = record_.frame(k);
      has_presence = !state.presence.empty();
      for (std::size_t n = 0; n < node_of_body_.size(); ++n) {
        const Index body = node_of_body_[n].first;
        if (kind_[static_cast<std::size_t>(body)] == 1) continue;  // it does not move
        const Pose pose = pose_of(state, body);
        for (int c = 0; c < 3; ++c) translation[n].push_back(static_cast<float>(pose.p[c]));
        // The nearer of q and -q: viewers turn between frames along the shorter way.
        Quat q = pose.q.normalized();
        if (const std::size_t m = rotation[n].size(); m >= 4) {
          const auto last = Eigen::Map<const Eigen::Vector4f>(rotation[n].data() + m - 4);
          if (last.cast<Real>().dot(q.coeffs()) < 0) q.coeffs() *= -1;
        }
        for (int c = 0; c < 4; ++c) rotation[n].push_back(static_cast<float>(q.coeffs()[c]));
        for (int c = 0; c < 3; ++c) scale[n].push_back(state.is_present(body) ? 1.0F : 0.0F);
      }
    }
    const std::size_t input = document_.add(times, "SCALAR", 1, true);
    Json samplers = Json::array(), channels = Json::array();
    const auto add = [&](std::size_t node, const char* path, const std::vector<float>& numbers,
                         const char* type, int width, const char* interpolation) {
      channels.push_back(
          {{"sampler", samplers.size()}, {"target", {{"node", node}, {"path", path}}}});
      samplers.push_back({{"input", input},
                          {"output", document_.add(numbers, type, width, false)},
                          {"interpolation", interpolation}});
    };
    for (std::size_t n = 0; n < node_of_body_.size(); ++n) {
      if (translation[n].empty()) continue;
      const std::size_t node = node_of_body_[n].second;
      add(node, "translation", translation[n], "VEC3", 3, "LINEAR");
      add(node, "rotation", rotation[n], "VEC4", 4, "LINEAR");
      if (has_presence) add(node, "scale", scale[n], "VEC3", 3, "STEP");
    }
    if (channels.empty()) return;
    document_.json["animations"] = {
        {{"name", "motion"}, {"samplers", samplers}, {"channels", channels}}};
  }

  const RecordReader& record_;
  Looks looks_;
  std::vector<Index> frames_;
  std::vector<Real> kind_, material_;
  std::vector<Index> parent_;  // of each body
  Document document_;
  std::vector<Json> primitives_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> meshes_;
  std::vector<std::pair<Index, std::size_t>> node_of_body_;
  std::size_t wall_material_ = 0;
  bool has_planes_ = false;
};

}  // namespace

void write_gltf(const RecordReader& record, const std::filesystem::path& target, Index every) {
  GltfExport(record, every).write(target);
}

}  // namespace talus::record
