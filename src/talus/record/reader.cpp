#include <talus/record/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/hdf5/open_file.hpp>
#include <talus/record/detail/check_layout.hpp>
#include <talus/record/detail/checked_index.hpp>
#include <talus/record/layout.hpp>

namespace talus::record {
namespace fs = std::filesystem;
using hdf5::check;
using hdf5::Dataset;
using hdf5::Hdf5Error;
using hdf5::Shape;
using hdf5::Space;

struct RecordReader::Impl {
  ~Impl() {
    const hdf5::Session session;
    datasets.reset();
    file = hdf5::File();
  }

  fs::path path;
  hdf5::File file;

  mutable std::optional<detail::Datasets> datasets;  ///< destroyed before the file

  [[nodiscard]] const Dataset& open(const std::string& name) const {
    const Dataset* dataset = datasets->find(name);
    if (dataset == nullptr)
      throw file_error(path.string(), "this record has no dataset '" + name + "'",
                       "talus info lists what it has");
    return *dataset;
  }
};

namespace {

/// Runs a reading task; HDF5's failures become InputErrors about the file.
template <class Task>
auto reading(const fs::path& path, const Task& task) {
  const hdf5::Session session;
  try {
    return task();
  } catch (const Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot read the record: ") + error.what(),
                     "the file is damaged, or something else than a record");
  }
}

Array read_block(const Dataset& dataset, const std::string& name, const Shape& offset,
                 const Shape& count) {
  hdf5::demand_plausible(dataset.get(), name);
  Array array;
  array.unit = hdf5::read_attribute(dataset.get(), "unit", "");
  hsize_t size = 1;
  for (const hsize_t extent : count) size *= extent;
  array.shape.assign(count.begin(), count.end());
  array.values.resize(size);
  if (size == 0) return array;
  const Space file_space(H5Dget_space(dataset.get()), name);
  const int rank = static_cast<int>(count.size());
  if (rank > 0)
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, offset.data(), nullptr,
                              count.data(), nullptr),
          name);
  const Space memory(
      rank > 0 ? H5Screate_simple(rank, count.data(), nullptr) : H5Screate(H5S_SCALAR), name);
  check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), file_space.get(), H5P_DEFAULT,
                array.values.data()),
        name);
  return array;
}

/// The element of a dataset that is stored as PackedRows says; nothing otherwise.
std::optional<Element> packed_element(const Dataset& dataset, const std::string& name,
                                      Shape& chunk) {
  const hdf5::Properties creation(H5Dget_create_plist(dataset.get()), name);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED || H5Pget_nfilters(creation.get()) != 2)
    return {};
  for (const auto& [index, expected] :
       {std::pair{0U, H5Z_FILTER_SHUFFLE}, {1U, H5Z_FILTER_DEFLATE}}) {
    unsigned flags = 0;
    std::size_t values = 0;
    if (H5Pget_filter2(creation.get(), index, &flags, &values, nullptr, 0, nullptr, nullptr) !=
        expected)
      return {};
  }
  chunk.resize(hdf5::shape_of(dataset.get()).size());
  if (H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()) !=
      static_cast<int>(chunk.size()))
    return {};
  const hdf5::Type type(H5Dget_type(dataset.get()), name);
  for (const auto& [stored, element] : {std::pair{H5T_IEEE_F64LE, Element::real64},
                                        {H5T_IEEE_F32LE, Element::real32},
                                        {H5T_STD_I64LE, Element::int64},
                                        {H5T_STD_I32LE, Element::int32},
                                        {H5T_STD_U8LE, Element::uint8}})
    if (H5Tequal(type.get(), stored) > 0) return element;
  return {};
}

}  // namespace

FileKind kind_of(const fs::path& path) {
  const hdf5::Session session;
  if (H5Fis_hdf5(path.c_str()) <= 0) return FileKind::not_hdf5;
  try {
    const hdf5::File file = hdf5::open_file(path, hdf5::Need::root_attributes);
    const std::string format = hdf5::read_attribute(file.get(), "format", "");
    if (format == kFormat) return FileKind::record;
    return format == kStateFormat ? FileKind::state : FileKind::other_hdf5;
  } catch (const Hdf5Error&) {
    return FileKind::damaged_hdf5;
  }
}

FileKind demand_hdf5(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw file_error(path.string(), "there is no such file",
                     "talus run makes a record of a scene: an .h5 file");
  if (fs::is_directory(path, ignored))
    throw file_error(path.string(), "this is a folder, not a record",
                     "talus run makes a record of a scene: an .h5 file");
  const FileKind kind = kind_of(path);
  if (kind == FileKind::not_hdf5)
    throw file_error(path.string(), "this is not an HDF5 file, or its beginning is damaged",
                     "records are made by talus run, states by talus run --checkpoint");
  if (kind == FileKind::damaged_hdf5)
    throw file_error(path.string(), "this HDF5 file is damaged or cut off: it cannot be opened",
                     "was it copied to its end, and was there room on the disk?");
  return kind;
}

RecordReader::RecordReader(const fs::path& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  demand_hdf5(path);
  reading(path, [&] {
    impl_->file = hdf5::open_file(path);
    if (hdf5::read_attribute(impl_->file.get(), "format", "") != kFormat)
      throw file_error(path.string(), "this HDF5 file is not a Talus record");
    const double version = hdf5::read_number(impl_->file.get(), "record_version", 0);
    if (version > kRecordVersion)
      throw file_error(path.string(), fmt::format("record version {:g}; this Talus reads up to {}",
                                                  version, kRecordVersion));
    impl_->datasets.emplace(impl_->file.get());
    detail::check_layout(*impl_->datasets);
  });
}

RecordReader::~RecordReader() = default;
RecordReader::RecordReader(RecordReader&&) noexcept = default;

const fs::path& RecordReader::path() const { return impl_->path; }

std::string RecordReader::title() const {
  return reading(path(), [&] { return hdf5::read_attribute(impl_->file.get(), "title", ""); });
}

std::string RecordReader::status() const {
  return reading(path(),
                 [&] { return hdf5::read_attribute(impl_->file.get(), "status", "unknown"); });
}

Index RecordReader::body_count() const { return shape("bodies/mass").at(0); }
Index RecordReader::frame_count() const { return shape("frames/step").at(0); }
Index RecordReader::step_count() const { return shape("steps/step").at(0); }

Precision RecordReader::precision() const {
  return note("/", kPrecisionAttribute) == "single" ? Precision::single_precision
                                                    : Precision::double_precision;
}

Index RecordReader::contacts_every() const {
  const Real steps = attribute("/", kContactsAttribute, 1);
  constexpr Real kMost = Real(Index(1) << 50);
  if (!(steps >= 0 && steps < kMost))
    throw file_error(path().string(),
                     fmt::format("the record is damaged: contacts every {:g} steps", steps));
  return static_cast<Index>(steps);
}

bool RecordReader::has_contacts(Index frame) const {
  const Index every = contacts_every();
  const auto step = rows("frames/step", frame, 1).values.at(0);
  return every > 0 && std::fmod(step, static_cast<Real>(every)) == 0;
}

std::vector<std::string> RecordReader::datasets() const { return impl_->datasets->paths(); }

bool RecordReader::has(std::string_view dataset) const {
  return impl_->datasets->has(std::string(dataset));
}

std::vector<Index> RecordReader::shape(const std::string& dataset) const {
  return reading(path(), [&] {
    const Shape shape = hdf5::shape_of(impl_->open(dataset).get());
    return std::vector<Index>(shape.begin(), shape.end());
  });
}

Array RecordReader::array(const std::string& dataset) const {
  return reading(path(), [&] {
    const Dataset& source = impl_->open(dataset);
    const Shape count = hdf5::shape_of(source.get());
    return read_block(source, dataset, Shape(count.size(), 0), count);
  });
}

Array RecordReader::rows(const std::string& dataset, Index first, Index count) const {
  return reading(path(), [&] {
    const Dataset& source = impl_->open(dataset);
    Shape extent = hdf5::shape_of(source.get());
    Shape offset(extent.size(), 0);
    if (extent.empty() || first < 0 || count < 0 || count > static_cast<Index>(extent[0]) - first)
      throw file_error(path().string(),
                       fmt::format("'{}' has {} rows; {} from row {} on were asked for", dataset,
                                   extent.empty() ? 1 : extent[0], count, first));
    offset[0] = static_cast<hsize_t>(first);
    extent[0] = static_cast<hsize_t>(count);
    return read_block(source, dataset, offset, extent);
  });
}

std::optional<PackedRows> RecordReader::packed_rows(const std::string& dataset, Index first,
                                                    Index count) const {
  return reading(path(), [&]() -> std::optional<PackedRows> {
    const Dataset& source = impl_->open(dataset);
    const Shape extent = hdf5::shape_of(source.get());
    Shape chunk;
    const std::optional<Element> element = packed_element(source, dataset, chunk);
    if (!element || extent.empty() || extent.size() > 3 || first < 0 || count < 0 ||
        count > static_cast<Index>(extent[0]) - first ||
        (extent.size() == 3 && chunk[2] != extent[2]))
      return {};
    const auto axis = [](const Shape& shape, std::size_t k) {
      return k < shape.size() ? static_cast<Index>(shape[k]) : Index(1);
    };
    PackedRows packed{*element,        first,          count,          axis(extent, 1),
                      axis(extent, 2), axis(chunk, 0), axis(chunk, 1), {}};
    const Index start = first - first % packed.chunk_rows;
    for (Index row = start; row < first + count; row += packed.chunk_rows)
      for (Index column = 0; column < packed.columns; column += packed.chunk_columns) {
        Shape offset(extent.size(), 0);
        offset[0] = static_cast<hsize_t>(row);
        if (offset.size() > 1) offset[1] = static_cast<hsize_t>(column);
        hsize_t size = 0;
        std::uint32_t skipped_filters = 0;
        check(H5Dget_chunk_storage_size(source.get(), offset.data(), &size), dataset);
        std::string bytes(size, '\0');
        if (size > 0)
          check(H5Dread_chunk(source.get(), H5P_DEFAULT, offset.data(), &skipped_filters,
                              bytes.data()),
                dataset);
        if (size == 0 || skipped_filters != 0) return {};
        packed.chunks.push_back({row, column, std::move(bytes)});
      }
    return packed;
  });
}

Array RecordReader::of_body(const std::string& dataset, Index body) const {
  Array all;
  // In pieces: others who read meanwhile wait for one of them, not for all frames.
  constexpr hsize_t kRows = 16;
  for (hsize_t first = 0, rows = 1; first < rows; first += kRows) {
    const Array piece = reading(path(), [&] {
      const Dataset& source = impl_->open(dataset);
      Shape extent = hdf5::shape_of(source.get());
      Shape offset(extent.size(), 0);
      if (extent.size() < 2 || body < 0 || body >= static_cast<Index>(extent[1]))
        throw file_error(path().string(), fmt::format("'{}' has no body {}", dataset, body));
      rows = extent[0];
      offset[0] = first;
      offset[1] = static_cast<hsize_t>(body);
      extent[0] = std::min(kRows, rows - std::min(first, rows));
      extent[1] = 1;
      return read_block(source, dataset, offset, extent);
    });
    if (first == 0) {
      all = piece;
      all.shape.erase(all.shape.begin() + 1);
      all.values.reserve(static_cast<std::size_t>(rows) * piece.width());
    } else {
      all.shape[0] += piece.shape[0];
      all.values.insert(all.values.end(), piece.values.begin(), piece.values.end());
    }
  }
  return all;
}

std::vector<std::string> RecordReader::texts(const std::string& dataset) const {
  return reading(path(), [&] { return hdf5::read_texts(impl_->open(dataset), dataset); });
}

std::string RecordReader::note(const std::string& object, const char* name) const {
  return reading(path(), [&] {
    const hdf5::Handle<H5Oclose> handle(H5Oopen(impl_->file.get(), object.c_str(), H5P_DEFAULT),
                                        object);
    return hdf5::read_attribute(handle.get(), name, std::string());
  });
}

std::string RecordReader::text(const std::string& dataset) const {
  const std::vector<std::string> all = texts(dataset);
  return all.empty() ? "" : all.front();
}

Real RecordReader::attribute(const std::string& object, const std::string& name,
                             Real fallback) const {
  return reading(path(), [&] {
    const hdf5::Handle<H5Oclose> handle(H5Oopen(impl_->file.get(), object.c_str(), H5P_DEFAULT),
                                        object);
    return hdf5::read_number(handle.get(), name.c_str(), fallback);
  });
}

std::vector<std::string> RecordReader::body_names() const { return texts("bodies/name"); }

Index RecordReader::find_body(const std::string& name) const {
  const std::vector<std::string> names = body_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string nearest = nearest_word(name, candidates);
  throw file_error(
      path().string(), "this record has no body '" + name + "'",
      nearest.empty() ? "talus info lists the bodies" : "did you mean '" + nearest + "'?");
}

model::State RecordReader::frame(Index frame) const {
  model::State state;
  state.time = rows("frames/time", frame, 1).values.at(0);
  const Index count = body_count();
  state.resize(count);
  const auto p = rows("poses/position", frame, 1).values;
  const auto q = rows("poses/orientation", frame, 1).values;
  const auto v = rows("velocities/linear", frame, 1).values;
  const auto w = rows("velocities/angular", frame, 1).values;
  for (Index i = 0; i < count; ++i) {
    state.position[i] = Vec3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    state.orientation[i] = Quat(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
    state.velocity[i] = Vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    state.angular_velocity[i] = Vec3(w[3 * i], w[3 * i + 1], w[3 * i + 2]);
  }
  if (!has("poses/presence")) return state;
  for (const Real code : rows("poses/presence", frame, 1).values) {
    if (!(code >= 0 && code <= static_cast<Real>(model::Presence::removed)))
      throw file_error(path().string(), fmt::format("'poses/presence' has the code {:g}", code),
                       "codes are 0 to 2");
    state.presence.push_back(static_cast<model::Presence>(code));
  }
  return state;
}

std::vector<stepping::StepContact> RecordReader::contacts(Index frame) const {
  const std::vector<Real> offset = rows("contacts/offset", frame, 2).values;
  constexpr std::size_t kMost = std::size_t{1} << 50;
  const auto edge = [&](Real value) {
    return static_cast<Index>(detail::checked_index(*this, value, kMost, "contact offset"));
  };
  const Index first = edge(offset[0]), count = edge(offset[1]) - first;
  const auto a = rows("contacts/body_a", first, count).values;
  const auto b = rows("contacts/body_b", first, count).values;
  const auto position = rows("contacts/position", first, count).values;
  const auto normal = rows("contacts/normal", first, count).values;
  const auto gap = rows("contacts/gap", first, count).values;
  const auto impulse = rows("contacts/impulse", first, count).values;
  const std::vector<std::int64_t> feature = reading(path(), [&] {
    // Not as reals: a feature has up to 64 bits.
    const Dataset& source = impl_->open("contacts/feature");
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    const auto offset_rows = static_cast<hsize_t>(first), count_rows = static_cast<hsize_t>(count);
    const Space file_space(H5Dget_space(source.get()), "contacts/feature");
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &offset_rows, nullptr, &count_rows,
                              nullptr),
          "contacts/feature");
    const Space memory(H5Screate_simple(1, &count_rows, nullptr), "contacts/feature");
    if (count > 0)
      check(H5Dread(source.get(), H5T_NATIVE_INT64, memory.get(), file_space.get(), H5P_DEFAULT,
                    numbers.data()),
            "contacts/feature");
    return numbers;
  });
  const auto vector = [](const std::vector<Real>& numbers, Index row) {
    return Vec3(numbers.data() + 3 * row);
  };
  std::vector<Real> moment(3 * static_cast<std::size_t>(count));
  const std::string moments(kMomentSeries.path);
  if (has(moments)) moment = rows(moments, first, count).values;
  std::vector<stepping::StepContact> contacts;
  for (Index k = 0; k < count; ++k)
    contacts.push_back({static_cast<Index>(a[k]), static_cast<Index>(b[k]), vector(position, k),
                        vector(normal, k), gap[k], vector(impulse, k),
                        static_cast<geometry::FeatureId>(feature[k]), vector(moment, k)});
  return contacts;
}

}  // namespace talus::record
