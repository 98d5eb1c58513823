# The archive: one object, made of all of the library's, in which internal names are local. Names such as mg_log would
# clash with those of other libraries in a static program.
set(whole ${CMAKE_BINARY_DIR}/meguri_whole.o)
set(archived ${CMAKE_BINARY_DIR}/meguri_archived.o)
add_custom_command(
  OUTPUT ${archived}
  COMMAND ${CMAKE_C_COMPILER} -nostdlib -r -o ${whole} $<TARGET_OBJECTS:meguri_objects>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=meguri_* ${whole} ${archived}
  DEPENDS $<TARGET_OBJECTS:meguri_objects>
  COMMAND_EXPAND_LISTS VERBATIM)
add_library(meguri_static STATIC ${archived})
set_source_files_properties(${archived} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
set_target_properties(meguri_static PROPERTIES OUTPUT_NAME meguri EXPORT_NAME static)
