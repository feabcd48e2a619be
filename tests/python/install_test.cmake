# `cmake --install` puts a whole package below a prefix: Python finds it there, with its types, and it solves.
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component python
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE typed ${WORK}/prefix/py.typed)
cmake_path(GET typed PARENT_PATH package)
cmake_path(GET package PARENT_PATH folder)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${folder} ${PYTHON} -B -c
                        "import talus; assert talus.__file__.startswith('${folder}'); print(talus.solve(talus.Lcp([[1.0]], [-2.0])).z)"
                WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "[2.]\n")
  message(FATAL_ERROR "expected [2.], got ${printed}")
endif()
