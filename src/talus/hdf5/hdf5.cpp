#include <talus/hdf5/hdf5.hpp>

#include <algorithm>
#include <cstring>

namespace talus::hdf5 {
namespace {

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

void write_scalar_attribute(hid_t object, const char* name, hid_t type, const void* data) {
  if (H5Aexists(object, name) > 0) check(H5Adelete(object, name), name);
  const Space space(H5Screate(H5S_SCALAR), name);
  const Attribute attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                            name);
  check(H5Awrite(attribute.get(), type, data), name);
}

void describe(hid_t dataset, const char* unit, const char* meaning) {
  write_attribute(dataset, "unit", std::string(unit));
  write_attribute(dataset, "meaning", std::string(meaning));
}

void write_text_list(hid_t file, const std::string& path, const Space& space,
                     const std::vector<const char*>& pointers, const char* meaning) {
  const Type type = text_type();
  const Properties links = with_parents();
  const Dataset dataset(H5Dcreate2(file, path.c_str(), type.get(), space.get(), links.get(),
                                   H5P_DEFAULT, H5P_DEFAULT),
                        path);
  if (!pointers.empty())
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
          path);
  describe(dataset.get(), "none", meaning);
}

}  // namespace

void throw_hdf5_error(const std::string& what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &reason);
  throw Hdf5Error(reason.empty() ? what : what + ": " + reason);
}

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

Type text_type(std::size_t size) {
  Type type(H5Tcopy(H5T_C_S1), "string type");
  check(H5Tset_size(type.get(), size), "string size");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "string encoding");
  return type;
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const Type type = text_type();  // NumPy gets text; of fixed length it gets bytes
  const char* pointer = text.c_str();
  write_scalar_attribute(object, name, type.get(), &pointer);
}

void write_attribute(hid_t object, const char* name, double number) {
  write_scalar_attribute(object, name, H5T_NATIVE_DOUBLE, &number);
}

void write_attribute(hid_t object, const char* name, long long number) {
  write_scalar_attribute(object, name, H5T_NATIVE_LLONG, &number);
}

std::string read_attribute(hid_t object, const char* name, const std::string& fallback) {
  if (H5Aexists(object, name) <= 0) return fallback;
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  const Type type(H5Aget_type(attribute.get()), name);
  if (H5Tget_class(type.get()) != H5T_STRING) return fallback;
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    check(H5Aread(attribute.get(), type.get(), &text), name);
    std::string copy = text != nullptr ? text : "";
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), text.data()), name);
  text.resize(std::strlen(text.c_str()));
  return text;
}

double read_number(hid_t object, const char* name, double fallback) {
  if (H5Aexists(object, name) <= 0) return fallback;
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  double number = fallback;
  return H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &number) < 0 ? fallback : number;
}

Properties with_parents() {
  Properties links(H5Pcreate(H5P_LINK_CREATE), "link properties");
  check(H5Pset_create_intermediate_group(links.get(), 1), "link properties");
  return links;
}

void write_array(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                 const void* data, const char* unit, const char* meaning) {
  constexpr hsize_t kCompressFrom = 512, kChunk = 65536;  // elements
  hsize_t count = 1;
  for (const hsize_t extent : shape) count *= extent;
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), path);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), path);
  if (count >= kCompressFrom) {
    Shape chunk = shape;
    chunk[0] = std::clamp<hsize_t>(kChunk / std::max<hsize_t>(1, count / shape[0]), 1, shape[0]);
    check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), path);
    check(H5Pset_shuffle(creation.get()), path);
    check(H5Pset_deflate(creation.get(), 3), path);
  }
  const Properties links = with_parents();
  const Dataset dataset(
      H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
      path);
  if (count > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  describe(dataset.get(), unit, meaning);
}

void write_over(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                const void* data, const char* unit, const char* meaning) {
  if (exists(file, path)) {
    const Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
    if (shape_of(dataset.get()) != shape) throw Hdf5Error(path + ": wrong shape");
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
    return;
  }
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), path);
  const Properties links = with_parents();
  const Dataset dataset(
      H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
      path);
  check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  describe(dataset.get(), unit, meaning);
}

void write_text(hid_t file, const std::string& path, const std::string& text, const char* meaning) {
  write_text_list(file, path, Space(H5Screate(H5S_SCALAR), path), {text.c_str()}, meaning);
}

void write_texts(hid_t file, const std::string& path, std::span<const std::string> texts,
                 const char* meaning) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t count = texts.size();
  write_text_list(file, path, Space(H5Screate_simple(1, &count, nullptr), path), pointers, meaning);
}

bool exists(hid_t file, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (H5Lexists(file, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0;
}

Shape shape_of(hid_t dataset) {
  const Space space(H5Dget_space(dataset), "shape");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  Shape shape(static_cast<std::size_t>(std::max(0, rank)));
  check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), "shape");
  return shape;
}

std::vector<std::string> read_texts(hid_t file, const std::string& path) {
  const Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
  const Type type(H5Dget_type(dataset.get()), path);
  if (H5Tget_class(type.get()) != H5T_STRING) throw Hdf5Error(path + ": not a text");
  const Space space(H5Dget_space(dataset.get()), path);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  std::vector<std::string> texts;
  if (count <= 0) return texts;
  if (H5Tis_variable_str(type.get()) > 0) {
    std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), path);
    for (const char* pointer : pointers) texts.emplace_back(pointer != nullptr ? pointer : "");
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
    return texts;
  }
  const std::size_t size = H5Tget_size(type.get());
  std::string block(size * static_cast<std::size_t>(count), '\0');
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, block.data()), path);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::string padded = block.substr(i * size, size);
    texts.emplace_back(padded.c_str());
  }
  return texts;
}

}  // namespace talus::hdf5
