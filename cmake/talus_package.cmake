# `cpack --config build/release/CPackConfig.cmake` makes a Debian package of what `cmake --install` installs: program, library, headers,
# the page of `talus view` and the Python package where they have been built, manual pages, completions.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME talus)
set(CPACK_PACKAGE_VENDOR "The Talus developers")
set(CPACK_PACKAGE_CONTACT "The Talus developers <talus@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Talus simulates rigid bodies that touch: hard contact, dry friction, impacts. Every step of a
recorded simulation carries a certificate: how far its impulses are from Coulomb's law, computed
independently of the solver that found them.")
# What find_package(talus) looks for in turn; plots, pictures and films by other programs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, chromium")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "ffmpeg, g++, cmake, libeigen3-dev, libhdf5-dev, libqhull-dev, libassimp-dev, libyaml-cpp-dev, libpugixml-dev, libtinygltf-dev, libpng-dev, nlohmann-json3-dev, libfmt-dev, libtbb-dev")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
include(CPack)
