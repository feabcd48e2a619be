# What `cmake --install` adds to the layers' own rules (talus_layer.cmake): the target talus::talus,
# which stands for all layers, and the package files that find_package(talus) reads.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY TALUS_LAYERS)
add_library(talus_all INTERFACE)
add_library(talus::talus ALIAS talus_all)
set_target_properties(talus_all PROPERTIES EXPORT_NAME talus)
target_link_libraries(talus_all INTERFACE ${layers})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
install(TARGETS talus_all ${layers} EXPORT talus-targets)
install(EXPORT talus-targets NAMESPACE talus:: DESTINATION ${package_dir})
configure_file(${CMAKE_CURRENT_LIST_DIR}/talus-config.cmake.in ${PROJECT_BINARY_DIR}/talus-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/talus-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/talus-config.cmake ${PROJECT_BINARY_DIR}/talus-config-version.cmake
        DESTINATION ${package_dir})
