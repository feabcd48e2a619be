#include <talus/hdf5/superblock.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

// Jenkins' hash lookup3 and the superblock of versions 2 and 3, as HDF5's file format specification
// has them.

namespace talus::hdf5 {
namespace {

using Words = std::array<std::uint32_t, 3>;

void mix(Words& w) {
  constexpr std::array<int, 6> kTurns = {4, 6, 8, 16, 19, 4};
  for (std::size_t k = 0; k < kTurns.size(); ++k) {
    std::uint32_t &a = w[k % 3], &b = w[(k + 1) % 3], &c = w[(k + 2) % 3];
    a = (a - c) ^ std::rotl(c, kTurns[k]);
    c += b;
  }
}

void finish(Words& w) {
  constexpr std::array<int, 7> kTurns = {14, 11, 25, 16, 4, 14, 24};
  for (std::size_t k = 0; k < kTurns.size(); ++k) {
    std::uint32_t &c = w[(k + 2) % 3], &b = w[(k + 1) % 3];
    c = (c ^ b) - std::rotl(b, kTurns[k]);
  }
}

std::uint32_t checksum(const char* bytes, std::size_t count) {
  const auto start = static_cast<std::uint32_t>(0xdeadbeefU + count);
  Words words = {start, start, start};
  const auto add = [&](std::size_t most) {
    Words more{};
    std::memcpy(more.data(), bytes, most);
    for (std::size_t k = 0; k < 3; ++k) words[k] += more[k];
    bytes += most;
    count -= most;
  };
  while (count > sizeof(Words)) {
    add(sizeof(Words));
    mix(words);
  }
  add(count);
  finish(words);
  return words[2];
}

}  // namespace

void renew_superblock_checksum(std::string& file) {
  constexpr std::size_t kVersion = 8, kOffsetSize = 9, kFixed = 12, kAddresses = 4;
  if (file.size() < kFixed || file[kVersion] < 2 || file[kVersion] > 3) return;
  const std::size_t end = kFixed + kAddresses * static_cast<unsigned char>(file[kOffsetSize]);
  if (file.size() < end + sizeof(std::uint32_t)) return;
  const std::uint32_t sum = checksum(file.data(), end);
  std::memcpy(file.data() + end, &sum, sizeof sum);
}

bool is_of_older_form(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t kVersion = 8, kRoot = 36, kEnd = 44;  // addresses of 8 bytes
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kEnd, '\0');
  // The superblock stands at the beginning, or behind what a user put there: 512 bytes, 1024, …
  for (std::uint64_t base = 0; file; base = base == 0 ? 512 : 2 * base) {
    file.seekg(static_cast<std::streamoff>(base));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file || !bytes.starts_with(kSignature)) continue;
    if (bytes[kVersion] < 2) return true;
    std::uint64_t root = 0;
    std::memcpy(&root, bytes.data() + kRoot, sizeof root);
    file.seekg(static_cast<std::streamoff>(base + root));
    return file.get() == 1;  // a header with checksums begins with "OHDR", anything else is refused
  }
  return false;
}

}  // namespace talus::hdf5
