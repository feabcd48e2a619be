# Compile options of every Talus target, and the sanitizer switch of the asan and tsan presets.
# With ccache, what has been compiled before in any checkout is not compiled again; with mold, links are quick.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(TALUS_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")
option(TALUS_FUZZ "Build the libFuzzer programs of tests/fuzz; needs clang" OFF)
option(TALUS_UNITY_BUILD "Compile several sources of a layer or test as one" ON)
option(TALUS_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)

find_program(TALUS_CCACHE ccache DOC "ccache, which keeps compiled files")
if(TALUS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are read by their content, not by their time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TALUS_CCACHE})
endif()

add_library(talus_options INTERFACE)
find_program(TALUS_MOLD mold DOC "mold, which links quickly")
if(TALUS_MOLD)
  target_link_options(talus_options INTERFACE -fuse-ld=mold)
endif()
# What the precompiled headers need (talus_precompiled.cmake): the same for every file that shares them.
target_link_libraries(talus_options INTERFACE Eigen3::Eigen fmt::fmt)
# Consumers compiled with other vector flags must see the same alignment of Eigen's types.
target_compile_definitions(talus_options INTERFACE EIGEN_MAX_ALIGN_BYTES=16)
# Results must not depend on the optimisation level or on whether the machine has fused multiply-add.
target_compile_options(talus_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12 about std::string and Eigen members when it optimises.
  target_compile_options(talus_options INTERFACE -Wno-maybe-uninitialized -fpch-preprocess)
endif()
if(TALUS_WARNINGS_AS_ERRORS)
  target_compile_options(talus_options INTERFACE -Werror)
endif()
if(TALUS_SANITIZE)
  target_compile_options(talus_options INTERFACE -fsanitize=${TALUS_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(talus_options INTERFACE -fsanitize=${TALUS_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(talus_options INTERFACE
                           -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignore.txt)
  endif()
endif()
