# cmake --install: the program, the library, the plugins, the headers, the recipes and the CMake package. The build
# folder carries the same package, so that -DCMAKE_PREFIX_PATH=<build folder> works as well.
include(CMakePackageConfigHelpers)

set(_package "lib/cmake/marey")
set(_share "share/marey")
get_filename_component(MAREY_LIBTORCH_ROOT "${LibTorch_INCLUDE_DIR}" DIRECTORY)

install(TARGETS marey EXPORT mareyTargets LIBRARY DESTINATION lib)
install(TARGETS marey_program RUNTIME DESTINATION bin)
install(DIRECTORY framework/include/marey DESTINATION include)
install(DIRECTORY framework/scaffold/ DESTINATION ${_share}/scaffold)
install(FILES "${CMAKE_BINARY_DIR}/${_share}/completion.json" "${CMAKE_BINARY_DIR}/${_share}/recipe.schema.json"
  DESTINATION ${_share})
install(EXPORT mareyTargets NAMESPACE marey:: DESTINATION ${_package})
export(EXPORT mareyTargets NAMESPACE marey:: FILE "${CMAKE_BINARY_DIR}/${_package}/mareyTargets.cmake")

configure_file(cmake/mareyConfig.cmake.in "${CMAKE_BINARY_DIR}/${_package}/mareyConfig.cmake" @ONLY)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/${_package}/mareyConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
foreach(_module FindLibTorch MareyFmt MareyPlugin)
  file(COPY "cmake/${_module}.cmake" DESTINATION "${CMAKE_BINARY_DIR}/${_package}")
  install(FILES "cmake/${_module}.cmake" DESTINATION ${_package})
endforeach()
install(FILES "${CMAKE_BINARY_DIR}/${_package}/mareyConfig.cmake" "${CMAKE_BINARY_DIR}/${_package}/mareyConfigVersion.cmake"
  DESTINATION ${_package})
