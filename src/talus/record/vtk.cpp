#include <talus/record/vtk.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/base/error.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/record/surface.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

/// Text that can stand in an XML attribute.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

/// One .vtp file: points or triangles with their numbers, raw and little-endian at the end.
class PolyData {
 public:
  PolyData(std::size_t points, std::size_t cells, bool are_triangles)
      : points_(points), cells_(cells), are_triangles_(are_triangles) {}

  void begin(const char* section) { body_ += fmt::format("<{}>\n", section); }
  void end(const char* section) { body_ += fmt::format("</{}>\n", section); }
  void add(const char* name, const std::vector<double>& numbers, int components) {
    add(name, "Float64", numbers.data(), numbers.size() * sizeof(double), components);
  }
  void add(const char* name, const std::vector<std::int64_t>& numbers) {
    add(name, "Int64", numbers.data(), numbers.size() * sizeof(std::int64_t), 1);
  }

  void write(const fs::path& path) const {
    files::OutputFile file(path, files::vtk_kind());
    file.stream() << files::xml_marked("<?xml version=\"1.0\"?>\n")
                  << "<VTKFile type=\"PolyData\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
                  << fmt::format(
                         "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
                         "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
                         points_, are_triangles_ ? 0 : cells_, are_triangles_ ? cells_ : 0)
                  << body_ << "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_" << data_
                  << "\n</AppendedData>\n</VTKFile>\n";
    file.commit();
  }

 private:
  void add(const char* name, const char* type, const void* data, std::size_t size, int components) {
    body_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, name, components, data_.size());
    const std::uint64_t length = size;
    data_.append(reinterpret_cast<const char*>(&length), sizeof length);
    data_.append(static_cast<const char*>(data), size);
  }

  std::size_t points_, cells_;
  bool are_triangles_;
  std::string body_, data_;
};

void push(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x(), v.y(), v.z()});
}

/// Points, one vertex cell each.
void add_points(PolyData& file, const std::vector<double>& positions) {
  file.begin("Points");
  file.add("Points", positions, 3);
  file.end("Points");
  std::vector<std::int64_t> connectivity, offsets;
  for (std::size_t i = 0; i < positions.size() / 3; ++i) {
    connectivity.push_back(static_cast<std::int64_t>(i));
    offsets.push_back(static_cast<std::int64_t>(i + 1));
  }
  file.begin("Verts");
  file.add("connectivity", connectivity);
  file.add("offsets", offsets);
  file.end("Verts");
}

class VtkExport {
 public:
  VtkExport(const RecordReader& record, const fs::path& target)
      : record_(record), looks_(read_looks(record)) {
    folder_ = target;
    folder_.replace_extension();
    shape_ = record.array("bodies/shape").values;
    size_ = record.array("bodies/shape_size").values;
    kind_ = record.array("bodies/kind").values;
    material_ = record.array("bodies/material").values;
    mass_ = record.array("bodies/mass").values;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      radius_.push_back(radius_of(i));
      has_surfaces_ = has_surfaces_ || has_surface(i);
    }
  }

  int write(const fs::path& target, Index every) {
    if (target.has_parent_path()) files::make_folder(target.parent_path());
    files::refuse_to_destroy(target, files::vtk_kind());
    files::make_folder(folder_);
    std::string list;
    int files = 0;
    const Index frames = record_.frame_count();
    if (frames == 0) throw file_error(record_.path().string(), "this record has no frames yet");
    for (Index k = 0; k < frames - 1; k += every) files += write_frame(k, list);
    files += write_frame(frames - 1, list);
    files::OutputFile file(target, files::vtk_kind());
    file.stream() << files::xml_marked("<?xml version=\"1.0\"?>\n")
                  << "<VTKFile type=\"Collection\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\">\n<Collection>\n"
                  << list << "</Collection>\n</VTKFile>\n";
    file.commit();
    return files + 1;
  }

 private:
  [[nodiscard]] bool has_surface(std::size_t body) const {
    return static_cast<ShapeCode>(shape_[body]) != ShapeCode::sphere &&
           !looks_.of_body[body].empty();
  }

  [[nodiscard]] double radius_of(std::size_t body) const {
    const auto code = static_cast<ShapeCode>(shape_[body]);
    if (code == ShapeCode::sphere) return size_[3 * body];
    if (code == ShapeCode::plane || code == ShapeCode::pipe) return 0;
    double radius = 0;
    for (const Look& look : looks_.of_body[body])
      for (const Vec3& v : looks_.surfaces[look.surface].vertices)
        radius = std::max<double>(radius, (look.X_BS * Vec3(look.scale.cwiseProduct(v))).norm());
    return radius;
  }

  int write_frame(Index frame, std::string& list) {
    const model::State state = record_.frame(frame);
    int part = 0;
    const auto save = [&](const PolyData& file, const char* name) {
      const fs::path path = folder_ / fmt::format("{}_{:06}.vtp", name, frame);
      file.write(path);
      list += fmt::format(
          "<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", state.time,
          part++, name, escaped((folder_.filename() / path.filename()).string()));
    };
    save(bodies(state), "bodies");
    if (record_.has_contacts(frame))
      save(contacts(frame), "contacts");
    else
      ++part;  // surfaces keep their number
    if (has_surfaces_) save(surfaces(state), "surfaces");
    return part;
  }

  [[nodiscard]] PolyData bodies(const model::State& state) const {
    std::vector<double> position, velocity, spin, orientation, radius, mass;
    std::vector<std::int64_t> body, kind, material;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      const auto index = static_cast<Index>(i);
      if (!state.is_present(index)) continue;
      push(position, state.position[i]);
      push(velocity, state.velocity[i]);
      push(spin, state.angular_velocity[i]);
      const Quat& q = state.orientation[i];
      orientation.insert(orientation.end(), {q.w(), q.x(), q.y(), q.z()});
      radius.push_back(radius_[i]);
      mass.push_back(mass_[i]);
      body.push_back(index);
      kind.push_back(static_cast<std::int64_t>(kind_[i]));
      material.push_back(static_cast<std::int64_t>(material_[i]));
    }
    PolyData file(body.size(), body.size(), false);
    file.begin("PointData Scalars=\"radius\" Vectors=\"velocity\"");
    file.add("radius", radius, 1);
    file.add("velocity", velocity, 3);
    file.add("angular_velocity", spin, 3);
    file.add("orientation", orientation, 4);
    file.add("mass", mass, 1);
    file.add("body", body);
    file.add("kind", kind);
    file.add("material", material);
    file.end("PointData");
    add_points(file, position);
    return file;
  }

  [[nodiscard]] PolyData surfaces(const model::State& state) const {
    std::vector<double> points, velocity;
    std::vector<std::int64_t> connectivity, offsets, body, kind, material;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      const auto index = static_cast<Index>(i);
      if (!has_surface(i) || !state.is_present(index)) continue;
      for (const Look& look : looks_.of_body[i]) {
        const Pose X_WS = state.pose(index) * look.X_BS;
        const auto first = static_cast<std::int64_t>(points.size() / 3);
        const Surface& surface = looks_.surfaces[look.surface];
        for (const Vec3& v : surface.vertices)
          push(points, X_WS * Vec3(look.scale.cwiseProduct(v)));
        for (const auto& triangle : surface.triangles) {
          for (const int corner : triangle) connectivity.push_back(first + corner);
          offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
          push(velocity, state.velocity[i]);
          body.push_back(index);
          kind.push_back(static_cast<std::int64_t>(kind_[i]));
          material.push_back(static_cast<std::int64_t>(material_[i]));
        }
      }
    }
    PolyData file(points.size() / 3, offsets.size(), true);
    file.begin("CellData Vectors=\"velocity\"");
    file.add("velocity", velocity, 3);
    file.add("body", body);
    file.add("kind", kind);
    file.add("material", material);
    file.end("CellData");
    file.begin("Points");
    file.add("Points", points, 3);
    file.end("Points");
    file.begin("Polys");
    file.add("connectivity", connectivity);
    file.add("offsets", offsets);
    file.end("Polys");
    return file;
  }

  /// Length of the step that ended at a frame [s]; NaN where the record does not tell.
  [[nodiscard]] double step_size(Index frame) const {
    const auto step = record_.rows("frames/step", frame, 1).values[0];
    const Index steps = record_.step_count();
    if (steps == 0) return NAN;
    const auto row = static_cast<Index>(step - record_.rows("steps/step", 0, 1).values[0]);
    if (row < 0 || row >= steps) return NAN;
    const auto end = record_.rows("steps/time", row, 1).values[0];
    if (row > 0) return end - record_.rows("steps/time", row - 1, 1).values[0];
    return end - record_.rows("frames/time", 0, 1).values[0];
  }

  [[nodiscard]] PolyData contacts(Index frame) const {
    const std::vector<stepping::StepContact> all = record_.contacts(frame);
    const double h = step_size(frame);
    std::vector<double> position, normal, gap, impulse, force;
    std::vector<std::int64_t> a, b;
    for (const stepping::StepContact& contact : all) {
      push(position, contact.position);
      push(normal, contact.normal);
      push(impulse, contact.impulse);
      push(force, contact.impulse / h);
      gap.push_back(contact.gap);
      a.push_back(contact.body_a);
      b.push_back(contact.body_b);
    }
    PolyData file(all.size(), all.size(), false);
    file.begin("PointData Vectors=\"force\"");
    file.add("normal", normal, 3);
    file.add("impulse", impulse, 3);
    file.add("force", force, 3);
    file.add("gap", gap, 1);
    file.add("body_a", a);
    file.add("body_b", b);
    file.end("PointData");
    add_points(file, position);
    return file;
  }

  const RecordReader& record_;
  Looks looks_;
  fs::path folder_;
  std::vector<Real> shape_, size_, kind_, material_, mass_;
  std::vector<double> radius_;
  bool has_surfaces_ = false;
};

}  // namespace

int write_vtk(const RecordReader& record, const fs::path& target, Index every) {
  return VtkExport(record, target).write(target, std::max<Index>(every, 1));
}

}  // namespace talus::record
