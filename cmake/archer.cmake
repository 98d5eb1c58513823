# Archer tells ThreadSanitizer about the barriers of OpenMP, without which every loop after another looks like a race. libomp
# loads libarcher.so by itself, but that of Ubuntu is linked with -Bsymbolic-functions, so that it calls its own empty
# stand-ins instead of ThreadSanitizer and switches itself off. So the same objects are linked here without that; the
# tests' preset names the result in OMP_TOOL_LIBRARIES.
get_filename_component(folder "${OpenMP_omp_LIBRARY}" DIRECTORY)
find_library(MEGURI_ARCHER archer_static HINTS ${folder})
if(MEGURI_ARCHER)
  set(tool ${CMAKE_BINARY_DIR}/libarcher.so)
  add_custom_command(OUTPUT ${tool} DEPENDS ${MEGURI_ARCHER} VERBATIM COMMENT "Linking Archer"
    COMMAND ${CMAKE_C_COMPILER} -shared -o ${tool} -Wl,--whole-archive ${MEGURI_ARCHER} -Wl,--no-whole-archive -lstdc++)
  add_custom_target(archer ALL DEPENDS ${tool})
else()
  message(WARNING "There is no libarcher_static.a beside libomp: ThreadSanitizer may report races that are none.")
endif()
