# talus_precompiled(TARGET HEADERS <a> … [LIBRARIES lib …]): precompiled headers of other projects, which
# every layer (talus_precompiled) and every test (tests_precompiled) shares instead of parsing them.
#
# They hold nothing of Talus: a changed header of Talus compiles only the files that include it. Files still
# include what they use: the preset clang, which clang-tidy reads, has no precompiled headers.
function(talus_precompiled target)
  cmake_parse_arguments(arg "" "" "HEADERS;LIBRARIES" ${ARGN})
  target_link_libraries(${target} PRIVATE talus_options ${arg_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

set(TALUS_PRECOMPILED_HEADERS
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory> <numbers>
    <numeric> <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector>
    <Eigen/Dense> <Eigen/Sparse> <fmt/format.h>)
set(empty ${PROJECT_BINARY_DIR}/precompiled.cpp)
if(NOT EXISTS ${empty})
  file(WRITE ${empty} "")
endif()
add_library(talus_precompiled OBJECT ${empty})
talus_precompiled(talus_precompiled HEADERS ${TALUS_PRECOMPILED_HEADERS})
