# The page of `talus view` (viewer/), one HTML file: the target viewer_page makes it where Node.js and npm
# are there. It is not part of `all`, because it fetches packages: ./talus asks for it, and goes on without.
find_program(TALUS_NODE NAMES node nodejs DOC "Node.js, which builds the viewer's page")
find_program(TALUS_NPM NAMES npm DOC "npm, which fetches what the viewer's page is built with")
set(page ${PROJECT_BINARY_DIR}/viewer/index.html)
if(TALUS_NODE AND TALUS_NPM)
  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${viewer}/src/*)
  list(APPEND page_sources ${viewer}/index.html ${viewer}/vite.config.js ${viewer}/tsconfig.json)
  add_custom_command(OUTPUT ${viewer}/node_modules/.package-lock.json
                     COMMAND ${TALUS_NPM} ci --no-audit --no-fund --ignore-scripts --loglevel=error
                     DEPENDS ${viewer}/package.json ${viewer}/package-lock.json
                     WORKING_DIRECTORY ${viewer} COMMENT "Fetching the viewer's packages" VERBATIM)
  add_custom_command(OUTPUT ${page}
                     COMMAND ${TALUS_NODE} node_modules/typescript/bin/tsc --noEmit
                     COMMAND ${TALUS_NODE} node_modules/vite/bin/vite.js build --logLevel warn --emptyOutDir
                             --outDir ${PROJECT_BINARY_DIR}/viewer
                     DEPENDS ${page_sources} ${viewer}/node_modules/.package-lock.json
                     WORKING_DIRECTORY ${viewer} COMMENT "Building the viewer's page" VERBATIM)
  add_custom_target(viewer_page DEPENDS ${page})
endif()
# Where it has not been built, the program is installed without it, and `talus view` says so.
install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DATADIR}/talus/viewer OPTIONAL)
