# share/marey in the build folder: templates of `marey new plugin`, and what the program says about its components for
# editors and shells.
set(_share "${CMAKE_BINARY_DIR}/share/marey")
file(MAKE_DIRECTORY "${_share}")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/framework/scaffold" "${_share}/scaffold" SYMBOLIC)
get_property(_plugins GLOBAL PROPERTY MAREY_PLUGINS)
add_custom_command(
  OUTPUT "${_share}/completion.json" "${_share}/recipe.schema.json"
  COMMAND ${CMAKE_COMMAND} -E env --unset=MAREY_PLUGIN_PATH $<TARGET_FILE:marey_program> completion-data --out "${_share}"
  DEPENDS marey_program marey ${_plugins}
  COMMENT "Writing the recipe schema and completion data" VERBATIM)
add_custom_target(marey_share ALL DEPENDS "${_share}/completion.json")
