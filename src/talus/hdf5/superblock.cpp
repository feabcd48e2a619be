#include <talus/hdf5/superblock.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

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

}  // namespace talus::hdf5
