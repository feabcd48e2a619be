#include <talus/hdf5/open_file.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <talus/hdf5/superblock.hpp>

namespace talus::hdf5 {
namespace {

/// Reads an attribute as it stands; of one with places in the global heap its description alone.
herr_t visit_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Type type(attribute.is_valid() ? H5Aget_type(attribute.get()) : -1);
  const Space space(type.is_valid() ? H5Aget_space(attribute.get()) : -1);
  if (!space.is_valid() || H5Tdetect_class(type.get(), H5T_VLEN) > 0 ||
      H5Tis_variable_str(type.get()) > 0)
    return 0;
  constexpr hsize_t kLargest = 1 << 20;
  const auto count = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.get()));
  const std::size_t size = H5Tget_size(type.get());
  if (count > kLargest || size > kLargest || count * size > kLargest) return 0;
  std::string bytes(count * size, '\0');
  static_cast<void>(H5Aread(attribute.get(), type.get(), bytes.data()));
  return 0;
}

/// All that describes a dataset, and the index of its chunks; not its numbers.
void visit_dataset(hid_t file, const char* path) {
  const Dataset dataset(H5Dopen2(file, path, H5P_DEFAULT));
  if (!dataset.is_valid()) return;
  const Type type(H5Dget_type(dataset.get()));
  const Space space(H5Dget_space(dataset.get()));
  const Properties creation(H5Dget_create_plist(dataset.get()));
  if (!creation.is_valid() || !space.is_valid()) return;
  hsize_t chunks = 0;
  if (H5Pget_layout(creation.get()) == H5D_CHUNKED)
    static_cast<void>(H5Dget_num_chunks(dataset.get(), space.get(), &chunks));
}

herr_t visit_object(hid_t file, const char* path, const H5O_info_t* info, void*) {
  static_cast<void>(H5Aiterate_by_name(file, path, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
                                       visit_attribute, nullptr, H5P_DEFAULT));
  if (info->type == H5O_TYPE_DATASET) visit_dataset(file, path);
  return 0;
}

/// The visitor's process: ends with 0, whatever HDF5 says of the file, unless HDF5 breaks.
[[noreturn]] void visit(const std::string& path) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
  constexpr rlim_t kSeconds = 60;  // of the processor: damaged links may lead round and round
  const rlimit time{kSeconds, kSeconds}, core{0, 0};
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_CORE, &core);
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (file.is_valid())
    static_cast<void>(H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, visit_object, nullptr,
                                H5O_INFO_BASIC | H5O_INFO_META_SIZE));
  ::_exit(0);
}

void demand_safe(const std::string& path) {
  const pid_t visitor = ::fork();
  if (visitor < 0) throw Hdf5Error("no process can be started to examine the file");
  if (visitor == 0) visit(path);
  int status = -1;
  while (::waitpid(visitor, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Hdf5Error("it is damaged so that HDF5 breaks, which would have ended the program");
}

}  // namespace

File open_file(const std::string& path) {
  if (!has_checksums(path)) demand_safe(path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "HDF5"};
}

}  // namespace talus::hdf5
