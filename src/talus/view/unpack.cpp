#include <talus/view/unpack.hpp>

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>

#include <talus/base/error.hpp>

namespace talus::view {
namespace {

using record::Element;
using record::PackedRows;

static_assert(std::endian::native == std::endian::little, "records are little-endian");

/// Number k of a shuffled chunk of n numbers.
template <class Number>
float number_at(const unsigned char* bytes, std::size_t n, std::size_t k) {
  unsigned char own[sizeof(Number)];
  for (std::size_t b = 0; b < sizeof(Number); ++b) own[b] = bytes[b * n + k];
  Number number;
  std::memcpy(&number, own, sizeof number);
  return static_cast<float>(number);
}

/// The part of a chunk that was asked for, to its place among the values.
template <class Number>
void place(const PackedRows& packed, const PackedRows::Chunk& chunk,
           const std::vector<unsigned char>& bytes, std::vector<float>& values) {
  const std::size_t n = bytes.size() / sizeof(Number);
  const Index first = std::max(chunk.row, packed.first);
  const Index last = std::min(chunk.row + packed.chunk_rows, packed.first + packed.rows);
  const Index columns = std::min(packed.chunk_columns, packed.columns - chunk.column);
  const Index width = columns * packed.components;
  for (Index row = first; row < last; ++row) {
    const auto from =
        static_cast<std::size_t>((row - chunk.row) * packed.chunk_columns * packed.components);
    float* to =
        values.data() + ((row - packed.first) * packed.columns + chunk.column) * packed.components;
    for (Index k = 0; k < width; ++k)
      to[k] = number_at<Number>(bytes.data(), n, from + static_cast<std::size_t>(k));
  }
}

/// False if the bytes cannot be inflated to the size of a chunk.
bool unpack_chunk(const PackedRows& packed, const PackedRows::Chunk& chunk,
                  std::vector<float>& values) {
  const auto numbers =
      static_cast<std::size_t>(packed.chunk_rows * packed.chunk_columns * packed.components);
  std::vector<unsigned char> bytes(numbers * record::size_of(packed.element));
  uLongf size = bytes.size();
  const auto* source = reinterpret_cast<const Bytef*>(chunk.bytes.data());
  if (uncompress(bytes.data(), &size, source, chunk.bytes.size()) != Z_OK || size != bytes.size())
    return false;
  switch (packed.element) {
    case Element::real64:
      place<double>(packed, chunk, bytes, values);
      break;
    case Element::real32:
      place<float>(packed, chunk, bytes, values);
      break;
    case Element::int64:
      place<std::int64_t>(packed, chunk, bytes, values);
      break;
    case Element::int32:
      place<std::int32_t>(packed, chunk, bytes, values);
      break;
    case Element::uint8:
      place<std::uint8_t>(packed, chunk, bytes, values);
      break;
  }
  return true;
}

}  // namespace

std::vector<float> unpack(const PackedRows& packed) {
  std::vector<float> values(
      static_cast<std::size_t>(packed.rows * packed.columns * packed.components));
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_good = true;
  const auto work = [&] {
    for (std::size_t k = next++; k < packed.chunks.size(); k = next++)
      if (!unpack_chunk(packed, packed.chunks[k], values)) is_good = false;
  };
  const std::size_t workers = std::min<std::size_t>(
      packed.chunks.size(), std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (!is_good) throw file_error("record", "a chunk of its numbers is damaged");
  return values;
}

}  // namespace talus::view
