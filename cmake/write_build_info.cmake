# cmake -D OUTPUT=… -D SOURCE_DIR=… -D VERSION=… -D COMPILER=… -D FLAGS=… -P write_build_info.cmake
# Writes what provenance says of this build; touches the file only when something changed.
find_package(Git QUIET)
set(commit "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(text "#pragma once\n\n#define TALUS_BUILD_VERSION \"${VERSION}\"\n#define TALUS_BUILD_COMPILER \"${COMPILER}\"\n")
string(APPEND text "#define TALUS_BUILD_FLAGS \"${FLAGS}\"\n#define TALUS_BUILD_COMMIT \"${commit}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
