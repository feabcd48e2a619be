# talus_layer(NAME [INTERNAL] [PROGRAM_ONLY] SOURCES a.cpp … [LAYERS base math …] [PUBLIC lib …] [PRIVATE lib …])
#
# Declares one layer: the static library talus_<NAME>, alias talus::<NAME>, made of the .cpp files of
# this folder. LAYERS are the layers it may use (scripts/layers.toml is the law; scripts/check_layers.py
# compares). Headers of the folder are installed, those in detail/ and those of an INTERNAL layer are not;
# of a PROGRAM_ONLY layer nothing is: programs outside do not use it, nor need what it links.
# With TALUS_UNITY_BUILD up to 64 sources are compiled as one: templates that they share are instantiated once, which
# takes half the time of eight by eight.
# Names in anonymous namespaces therefore differ within a layer (scripts/check_files.py).
function(talus_layer name)
  cmake_parse_arguments(arg "INTERNAL;PROGRAM_ONLY" "" "SOURCES;LAYERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(talus_${name} STATIC ${arg_SOURCES})
  add_library(talus::${name} ALIAS talus_${name})
  set_target_properties(talus_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(talus_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(talus_${name} PRIVATE $<BUILD_INTERFACE:talus_options>)
  target_precompile_headers(talus_${name} REUSE_FROM talus_precompiled)
  set_target_properties(talus_${name} PROPERTIES UNITY_BUILD ${TALUS_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 64)
  target_compile_features(talus_${name} PUBLIC cxx_std_20)
  foreach(layer IN LISTS arg_LAYERS)
    target_link_libraries(talus_${name} PUBLIC talus_${layer})
  endforeach()
  target_link_libraries(talus_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  if(NOT arg_PROGRAM_ONLY)
    set_property(GLOBAL APPEND PROPERTY TALUS_LAYERS talus_${name})
  endif()
  if(NOT arg_INTERNAL AND NOT arg_PROGRAM_ONLY)
    install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/talus/${name}
            FILES_MATCHING PATTERN *.hpp PATTERN detail EXCLUDE PATTERN mpi EXCLUDE)
  endif()
endfunction()

# talus_kernels(LAYER STEM): adds STEM_baseline.cpp, and STEM_avx2.cpp and STEM_avx512.cpp compiled for
# these instruction sets where the machine is of that family; defines TALUS_X86 there. Such a file must
# include nothing with inline functions that other files share (math/lanes.hpp says why).
function(talus_kernels layer stem)
  target_sources(talus_${layer} PRIVATE ${stem}_baseline.cpp)
  set_source_files_properties(${stem}_baseline.cpp ${stem}_avx2.cpp ${stem}_avx512.cpp
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    target_sources(talus_${layer} PRIVATE ${stem}_avx2.cpp ${stem}_avx512.cpp)
    set_source_files_properties(${stem}_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2")
    set_source_files_properties(${stem}_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-Wno-uninitialized")  # of _mm512_sqrt_pd, falsely
    target_compile_definitions(talus_${layer} PRIVATE TALUS_X86)
  endif()
endfunction()
