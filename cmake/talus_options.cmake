# Compile options of every Talus target, and the sanitizer switch of the asan and tsan presets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(TALUS_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")
option(TALUS_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)

add_library(talus_options INTERFACE)
# Results must not depend on the optimisation level or on whether the machine has fused multiply-add.
target_compile_options(talus_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12 about std::string and Eigen members when it optimises.
  target_compile_options(talus_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(TALUS_WARNINGS_AS_ERRORS)
  target_compile_options(talus_options INTERFACE -Werror)
endif()
if(TALUS_SANITIZE)
  target_compile_options(talus_options INTERFACE -fsanitize=${TALUS_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(talus_options INTERFACE -fsanitize=${TALUS_SANITIZE})
endif()
