#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace talus {

/// 64-bit FNV-1a hash of bytes: equal states give equal hashes, bit for bit. Not cryptographic.
class StateHash {
 public:
  void add_bytes(const void* data, std::size_t size) noexcept {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  void add(std::string_view text) noexcept { add_bytes(text.data(), text.size()); }
  void add(double number) noexcept { add_bytes(&number, sizeof number); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace talus
