# pieces(FOLDER TYPE HEADER OUT): every FOLDER/*.cpp that says PIECE(TYPE, NAME) (reference/base/piece.hpp) defines one
# constant of this name. Writes the source that lists them all as
# ulpgate::<folder's name>::all() and sets OUT to that source. Adding a piece is adding a file.
function(pieces folder type header out)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  get_filename_component(namespace ${folder} NAME)
  get_filename_component(own ${header} NAME_WE)
  set(declarations "")
  set(references "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    file(STRINGS ${CMAKE_SOURCE_DIR}/${folder}/${file} defines REGEX "^PIECE\\(")
    if(defines AND NOT stem STREQUAL own AND NOT stem MATCHES "_test$")
      string(REGEX REPLACE "^PIECE\\([^,]+, *([A-Za-z0-9_]+)\\).*" "\\1" constant "${defines}")
      string(APPEND declarations "extern const ${type} ${constant};\n")
      string(APPEND references "&${constant}, ")
    endif()
  endforeach()
  set(generated ${CMAKE_BINARY_DIR}/pieces/${namespace}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "// Written by .cmake/pieces.cmake from ${folder}.
#include <array>
#include \"${header}\"
namespace ulpgate::${namespace} {
${declarations}
std::span<const ${type}* const> all() {
    static constexpr auto list = std::to_array<const ${type}*>({${references}nullptr});
    return std::span(list).first(list.size() - 1);
}
}  // namespace ulpgate::${namespace}
")
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

# room_sources(FOLDER OUT [EXCLUDE_REGEX]): every .cpp below FOLDER but tests.
function(room_sources folder out)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  if(ARGC GREATER 2)
    list(FILTER files EXCLUDE REGEX "${ARGV2}")
  endif()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# room_tests(ROOM LIBRARIES...): every *_test.cpp below ROOM as one GoogleTest program, each test a ctest.
function(room_tests room)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${room}/*_test.cpp)
  if(NOT files)
    return()
  endif()
  add_executable(${room}_tests ${files})
  target_link_libraries(${room}_tests PRIVATE ${ARGN} rapidcheck rapidcheck_gtest GTest::gtest GTest::gtest_main)
  # Debian's rapidcheck is a static library without PIC.
  target_link_options(${room}_tests PRIVATE -no-pie)
  target_compile_definitions(${room}_tests PRIVATE ULPGATE_HOME="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    ULPGATE_SOURCE="${CMAKE_SOURCE_DIR}" ULPGATE_CC="${CMAKE_C_COMPILER}")
  add_dependencies(${room}_tests ulpgate_programs)
  gtest_discover_tests(${room}_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS ${room})
endfunction()
