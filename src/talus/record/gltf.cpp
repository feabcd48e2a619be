#include <talus/record/gltf.hpp>

#include <tiny_gltf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <talus/base/error.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/record/detail/checked_index.hpp>
#include <talus/record/surface.hpp>

namespace talus::record {
namespace {

constexpr std::array<std::array<double, 3>, 8> kColours = {{{0.31, 0.47, 0.65},
                                                            {0.95, 0.56, 0.17},
                                                            {0.35, 0.63, 0.31},
                                                            {0.88, 0.34, 0.35},
                                                            {0.46, 0.72, 0.70},
                                                            {0.93, 0.79, 0.28},
                                                            {0.69, 0.48, 0.63},
                                                            {0.61, 0.46, 0.37}}};

std::vector<double> list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
/// glTF: x, y, z, w.
std::vector<double> list(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// A glTF model with one buffer.
class Document {
 public:
  Document() {
    model.asset.version = "2.0";
    model.asset.generator = "Talus";
    model.buffers.emplace_back();
  }

  tinygltf::Model model;

  /// An accessor of floats, `width` of them an element; its index.
  int add(const std::vector<float>& numbers, int type, bool has_bounds, int target = 0) {
    const auto width = static_cast<std::size_t>(tinygltf::GetNumComponentsInType(type));
    const int index = add(numbers.data(), numbers.size() * sizeof(float),
                          TINYGLTF_COMPONENT_TYPE_FLOAT, type, numbers.size() / width, target);
    if (has_bounds) {
      tinygltf::Accessor& accessor = model.accessors.back();
      accessor.minValues.assign(numbers.begin(), numbers.begin() + width);
      accessor.maxValues = accessor.minValues;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        double &low = accessor.minValues[i % width], &high = accessor.maxValues[i % width];
        low = std::min<double>(low, numbers[i]);
        high = std::max<double>(high, numbers[i]);
      }
    }
    return index;
  }
  int add(const std::vector<std::uint32_t>& numbers, int target) {
    return add(numbers.data(), numbers.size() * sizeof(std::uint32_t),
               TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR, numbers.size(), target);
  }

  int add(tinygltf::Node node) { return append(model.nodes, std::move(node)); }

  template <class T>
  static int append(std::vector<T>& list, T element) {
    list.push_back(std::move(element));
    return static_cast<int>(list.size()) - 1;
  }

  void write(const std::filesystem::path& path) {
    files::OutputFile file(path, files::gltf_kind());
    if (!tinygltf::TinyGLTF().WriteGltfSceneToStream(&model, file.stream(), false, true))
      throw file_error(path.string(), "this glTF file could not be written");
    file.commit();
  }

 private:
  int add(const void* data, std::size_t size, int component, int type, std::size_t count,
          int target) {
    std::vector<unsigned char>& bytes = model.buffers.front().data;
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = bytes.size();
    view.byteLength = size;
    view.target = target;
    const auto* first = static_cast<const unsigned char*>(data);
    bytes.insert(bytes.end(), first, first + size);
    if (bytes.size() > kMaxGltfBytes)
      throw InputError(Diagnostic{{},
                                  "",
                                  "the glTF file would be larger than 2 GiB",
                                  "",
                                  "take fewer frames with --every"});
    tinygltf::Accessor accessor;
    accessor.bufferView = append(model.bufferViews, view);
    accessor.componentType = component;
    accessor.count = count;
    accessor.type = type;
    return append(model.accessors, accessor);
  }
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
    add_materials();
    add_surfaces();
    add_bodies();
    add_animation();
    tinygltf::Scene scene;
    scene.name = record_.title();
    scene.nodes = {0};
    document_.model.scenes = {scene};
    document_.model.defaultScene = 0;
    document_.write(target);
  }

 private:
  void add_materials() {
    const std::vector<std::string> names = record_.texts("materials/name");
    for (std::size_t i = 0; i <= names.size(); ++i) {  // the last one is for walls
      const bool is_wall = i == names.size();
      const auto& c = kColours[i % kColours.size()];
      tinygltf::Material material;
      material.name = is_wall ? std::string("wall") : names[i];
      material.doubleSided = is_wall;
      material.pbrMetallicRoughness.baseColorFactor = {c[0], c[1], c[2], 1.0};
      if (is_wall) material.pbrMetallicRoughness.baseColorFactor = {0.62, 0.64, 0.67, 1.0};
      material.pbrMetallicRoughness.metallicFactor = 0;
      material.pbrMetallicRoughness.roughnessFactor = 0.7;
      document_.model.materials.push_back(material);
    }
    wall_material_ = names.size();
  }

  void add_surfaces() {
    constexpr int kVertices = TINYGLTF_TARGET_ARRAY_BUFFER;
    for (const Surface& surface : looks_.surfaces) {
      std::vector<std::uint32_t> indices;
      for (const auto& triangle : surface.triangles)
        for (const int corner : triangle) indices.push_back(static_cast<std::uint32_t>(corner));
      tinygltf::Primitive primitive;
      primitive.mode = TINYGLTF_MODE_TRIANGLES;
      primitive.attributes["POSITION"] =
          document_.add(flat(surface.vertices), TINYGLTF_TYPE_VEC3, true, kVertices);
      primitive.attributes["NORMAL"] =
          document_.add(flat(surface.normals), TINYGLTF_TYPE_VEC3, false, kVertices);
      primitive.indices = document_.add(indices, TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
      primitives_.push_back(primitive);
    }
  }

  /// A mesh of a surface in a material; made when it is first needed.
  int mesh_of(std::size_t surface, std::size_t material) {
    std::vector<tinygltf::Mesh>& meshes = document_.model.meshes;
    const auto [entry, is_new] =
        meshes_.emplace(std::pair(surface, material), static_cast<int>(meshes.size()));
    if (is_new) {
      meshes.emplace_back().primitives = {primitives_[surface]};
      meshes.back().primitives.front().material = static_cast<int>(material);
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
    tinygltf::Node world;
    world.name = "world";
    if (record_.attribute("/", "dimension", 3) > 2)
      world.rotation = list(Quat(std::sqrt(0.5), -std::sqrt(0.5), 0, 0));  // z up to y up
    document_.add(world);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (looks_.of_body[i].empty()) continue;
      const Pose pose = pose_of(start, static_cast<Index>(i));
      tinygltf::Node body;
      body.name = names[i];
      body.translation = list(pose.p);
      body.rotation = list(pose.q.normalized());
      for (const Look& look : looks_.of_body[i]) {
        tinygltf::Node part;
        part.mesh = mesh_of(look.surface, material_of(i));
        part.translation = list(look.X_BS.p);
        part.rotation = list(look.X_BS.q.normalized());
        part.scale = list(look.scale);
        body.children.push_back(document_.add(part));
      }
      node_of_body_.emplace_back(static_cast<Index>(i), document_.add(body));
    }
    std::vector<int> node_of(names.size(), 0);
    for (const auto& [body, node] : node_of_body_) node_of[body] = node;
    for (const auto& [body, node] : node_of_body_) {
      const int parent = parent_[body] < 0 ? 0 : node_of[parent_[body]];
      document_.model.nodes[static_cast<std::size_t>(parent)].children.push_back(node);
    }
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
    const int input = document_.add(times, TINYGLTF_TYPE_SCALAR, true);
    tinygltf::Animation motion;
    motion.name = "motion";
    const auto add = [&](int node, const char* path, const std::vector<float>& numbers, int type,
                         const char* interpolation) {
      tinygltf::AnimationSampler sampler;
      sampler.input = input;
      sampler.output = document_.add(numbers, type, false);
      sampler.interpolation = interpolation;
      tinygltf::AnimationChannel channel;
      channel.sampler = Document::append(motion.samplers, sampler);
      channel.target_node = node;
      channel.target_path = path;
      motion.channels.push_back(channel);
    };
    for (std::size_t n = 0; n < node_of_body_.size(); ++n) {
      if (translation[n].empty()) continue;
      const int node = node_of_body_[n].second;
      add(node, "translation", translation[n], TINYGLTF_TYPE_VEC3, "LINEAR");
      add(node, "rotation", rotation[n], TINYGLTF_TYPE_VEC4, "LINEAR");
      if (has_presence) add(node, "scale", scale[n], TINYGLTF_TYPE_VEC3, "STEP");
    }
    if (!motion.channels.empty()) document_.model.animations = {motion};
  }

  const RecordReader& record_;
  Looks looks_;
  std::vector<Index> frames_;
  std::vector<Real> kind_, material_;
  std::vector<Index> parent_;  // of each body
  Document document_;
  std::vector<tinygltf::Primitive> primitives_;
  std::map<std::pair<std::size_t, std::size_t>, int> meshes_;
  std::vector<std::pair<Index, int>> node_of_body_;
  std::size_t wall_material_ = 0;
};

}  // namespace

void write_gltf(const RecordReader& record, const std::filesystem::path& target, Index every) {
  GltfExport(record, every).write(target);
}

}  // namespace talus::record
