#include <talus/hdf5/heap_text.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>

namespace talus::hdf5 {
namespace {

/// An element in the file: the length of the text, the address of a collection, an index in it.
constexpr std::size_t kPlaceSize = 4 + 8 + 4;
constexpr const char* kPlaceTag = "place of a text in the global heap";

/// Soft conversion "variable-length text → its place": the bytes are kept as they are.
herr_t keep_bytes(hid_t source, hid_t target, H5T_cdata_t* data, std::size_t, std::size_t,
                  std::size_t, void*, void*, hid_t) {
  if (data->command != H5T_CONV_INIT) return 0;
  data->need_bkg = H5T_BKG_NO;
  const bool fits = H5Tget_class(source) == H5T_STRING && H5Tis_variable_str(source) > 0 &&
                    H5Tget_class(target) == H5T_OPAQUE && H5Tget_size(source) == kPlaceSize &&
                    H5Tget_size(target) == kPlaceSize;
  return fits ? 0 : -1;
}

Type place_type() {
  Type type(H5Tcreate(H5T_OPAQUE, kPlaceSize), kPlaceTag);
  check(H5Tset_tag(type.get(), kPlaceTag), kPlaceTag);
  static const bool is_registered = [&type] {
    const Type text = text_type(H5T_VARIABLE);
    return H5Tregister(H5T_PERS_SOFT, "text place", text.get(), type.get(), keep_bytes) >= 0;
  }();
  if (!is_registered) throw_hdf5_error(kPlaceTag);
  return type;
}

template <class Number>
Number number_at(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

/// The collections of a file's global heap, each read once.
class GlobalHeap {
 public:
  explicit GlobalHeap(hid_t object) : file_(H5Iget_file_id(object), kPlaceTag) {
    void* handle = nullptr;
    check(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &handle), "heap");
    descriptor_ = *static_cast<int*>(handle);
    check(H5Fget_filesize(file_.get(), &file_size_), "heap");
    const Properties creation(H5Fget_create_plist(file_.get()), "heap");
    check(H5Pget_userblock(creation.get(), &base_), "heap");
  }

  std::string text(std::uint64_t address, std::uint32_t index, std::size_t length) {
    const std::string& collection = collection_at(address);
    for (std::size_t at = kHeaderSize; at + kHeaderSize <= collection.size();) {
      const auto found = number_at<std::uint16_t>(collection.data() + at);
      const auto size = number_at<std::uint64_t>(collection.data() + at + 8);
      if (found == 0) break;  // free space to the end
      at += kHeaderSize;
      if (size > collection.size() - at) break;
      if (found == index) {
        if (length > size) break;
        const std::string all = collection.substr(at, length);
        return all.c_str();  // up to the first NUL
      }
      at += (size + 7) / 8 * 8;
    }
    throw Hdf5Error("a text is damaged");
  }

 private:
  static constexpr std::size_t kHeaderSize = 16;  ///< of a collection, and of an object in it

  const std::string& collection_at(std::uint64_t address) {
    const auto known = collections_.find(address);
    if (known != collections_.end()) return known->second;
    std::string bytes = read(address, kHeaderSize);
    const auto size = number_at<std::uint64_t>(bytes.data() + 8);
    if (!bytes.starts_with("GCOL\1") || size < kHeaderSize) throw Hdf5Error("a text is damaged");
    return collections_.emplace(address, read(address, size)).first->second;
  }

  [[nodiscard]] std::string read(std::uint64_t address, std::uint64_t size) const {
    if (address >= file_size_ || size > file_size_ - address) throw Hdf5Error("a text is damaged");
    std::string bytes(size, '\0');
    const ssize_t found =
        ::pread(descriptor_, bytes.data(), size, static_cast<off_t>(base_ + address));
    if (found != static_cast<ssize_t>(size)) throw Hdf5Error("a text cannot be read");
    return bytes;
  }

  File file_;
  int descriptor_ = -1;
  hsize_t file_size_ = 0, base_ = 0;
  std::map<std::uint64_t, std::string> collections_;
};

}  // namespace

std::vector<std::string> read_heap_texts(
    hid_t object, std::size_t count, const std::function<herr_t(hid_t type, void* data)>& read) {
  const Type type = place_type();
  std::string places(count * kPlaceSize, '\0');
  check(read(type.get(), places.data()), "texts");
  GlobalHeap heap(object);
  std::vector<std::string> texts;
  for (const char* place = places.data(); texts.size() < count; place += kPlaceSize) {
    const auto length = number_at<std::uint32_t>(place);
    texts.push_back(length == 0 ? std::string()
                                : heap.text(number_at<std::uint64_t>(place + 4),
                                            number_at<std::uint32_t>(place + 12), length));
  }
  return texts;
}

}  // namespace talus::hdf5
