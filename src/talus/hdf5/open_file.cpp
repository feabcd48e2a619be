#include <talus/hdf5/open_file.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include <talus/hdf5/file_access.hpp>
#include <talus/hdf5/superblock.hpp>

namespace talus::hdf5 {
namespace {

herr_t copy_attribute(hid_t from, const char* name, const H5A_info_t* info, void* to) {
  constexpr hsize_t kLargest = 1 << 20;
  const Attribute source(H5Aopen(from, name, H5P_DEFAULT));
  const Type type(source.is_valid() ? H5Aget_type(source.get()) : -1);
  const Space space(type.is_valid() ? H5Aget_space(source.get()) : -1);
  if (!space.is_valid() || info->data_size > kLargest) return -1;
  const auto count = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.get()));
  const hsize_t size = H5Tget_size(type.get());
  if (count > kLargest || size > kLargest || count * size > kLargest) return -1;
  std::string bytes(count * size, '\0');
  const Attribute target(H5Acreate2(*static_cast<hid_t*>(to), name, type.get(), space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT));
  if (!target.is_valid() || H5Aread(source.get(), type.get(), bytes.data()) < 0) return -1;
  return H5Awrite(target.get(), type.get(), bytes.data());
}

herr_t copy_object(hid_t from, const char* name, const H5L_info_t*, void* to) {
  return H5Ocopy(from, name, *static_cast<hid_t*>(to), name, H5P_DEFAULT, H5P_DEFAULT);
}

/// True if all that is needed has come into the copy.
bool copy_content(const std::string& path, const std::string& copy, Need need) {
  const File from(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const File to(H5Fcreate(copy.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, checked_access().get()));
  hid_t target = to.get();
  if (!from.is_valid() || !to.is_valid() ||
      H5Aiterate2(from.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, copy_attribute, &target) < 0)
    return false;
  return need == Need::root_attributes ||
         H5Literate(from.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, copy_object, &target) >= 0;
}

/// The other process: ends with 0 if the copy is whole, and by a signal if HDF5 breaks.
[[noreturn]] void copy_and_end(const std::string& path, const std::string& copy, Need need) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF})
    std::signal(signal, SIG_DFL);
  const auto set_limit = [](auto resource, rlim_t most) {
    const rlimit limit{most, most};
    ::setrlimit(resource, &limit);
  };
  std::error_code ignored;
  const auto bytes = static_cast<rlim_t>(std::filesystem::file_size(path, ignored));
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 4 * bytes + (rlim_t{1} << 26));
  // Damaged lengths of zero lead round and round. A copy takes a tenth of this time of the
  // processor.
  const auto microseconds = static_cast<long>(250'000 + bytes);
  const itimerval most{{0, 0}, {microseconds / 1'000'000, microseconds % 1'000'000}};
  ::setitimer(ITIMER_PROF, &most, nullptr);
  // What HDF5 and the C library say of the damage is said by the error.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  ::_exit(copy_content(path, copy, need) ? 0 : 1);
}

File open_older_file(const std::string& path, Need need) {
  std::string copy = (std::filesystem::temp_directory_path() / "talus-XXXXXX").string();
  const int descriptor = ::mkstemp(copy.data());
  if (descriptor < 0) throw Hdf5Error("there is no room for a copy: " + copy);
  ::close(descriptor);
  const pid_t other = ::fork();
  if (other == 0) copy_and_end(path, copy, need);
  int status = -1;
  while (other > 0 && ::waitpid(other, &status, 0) < 0 && errno == EINTR) {
  }
  const bool is_whole = other > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  File file(is_whole ? H5Fopen(copy.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : -1);
  ::unlink(copy.c_str());
  if (other < 0) throw Hdf5Error("no process can be started to read the file");
  if (!WIFEXITED(status)) throw Hdf5Error("it is damaged so that HDF5 breaks");
  if (!file.is_valid()) throw Hdf5Error("it is damaged, and of an HDF5 form without checksums");
  return file;
}

}  // namespace

File open_file(const std::string& path, Need need) {
  if (is_of_older_form(path)) return open_older_file(path, need);
  // A run that records exchanges its file for another one: between the opening and the locking of
  // the one, it may have become the other, which is being written. The path is then a free one.
  constexpr int kMostTries = 50;
  constexpr auto kPause = std::chrono::milliseconds(2);
  for (int tries = 1;; ++tries) {
    try {
      return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "HDF5"};
    } catch (const Hdf5Error& error) {
      const bool is_locked =
          std::string_view(error.what()).find("unable to lock file") != std::string_view::npos;
      if (!is_locked || tries == kMostTries) throw;
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace talus::hdf5
