// One libFuzzer program per target: TALUS_FUZZ_TARGET is its function.
#include <fuzz/targets.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talus::fuzz::TALUS_FUZZ_TARGET({data, size});
  return 0;
}
