# What every folder's CMakeLists.txt uses that needs MLIR: its includes, the shared precompiled header,
# heddle_library(NAME sources... [EXCEPTIONS] [LINK targets...]), and heddle_table and heddle_operations for what is
# said once and read in several places.

include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR}/compiler/include ${CMAKE_BINARY_DIR}/compiler/include)
separate_arguments(HEDDLE_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${HEDDLE_LLVM_DEFINITIONS})
if(HEDDLE_CCACHE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# One precompiled header of MLIR's own headers, shared by all that is built without exceptions.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch.cpp CONTENT "") # written once: what is newer is compiled again, and all with it
add_library(HeddlePch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_compile_options(HeddlePch PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
target_precompile_headers(HeddlePch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Pch.h)

# What all of the compiler's side is linked with: MLIR and LLVM, as shared libraries or, where HEDDLE_ARCHIVES is set, as
# archives. The dynamic loader needs 30 ms for the shared ones, a sixth of what compiling an attention takes, and a
# program of archives has 190 MB: heddle takes the archives, the tests share the libraries.
# The archives are taken as files: their CMake targets depend on the shared LLVM, and on development files that the
# distribution does not install with them. The linker picks what is used, in any order.
add_library(HeddleMlir INTERFACE)
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
find_library(HEDDLE_ZLIB NAMES z libz.so.1 REQUIRED)
find_library(HEDDLE_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
target_link_libraries(HeddleMlir INTERFACE
  "$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_ARCHIVES>>,${archives};${HEDDLE_ZLIB};${HEDDLE_ZSTD},MLIR;LLVM>")

# heddle_table(FILE MACRO NAMES...): FILE has a line MACRO(NAME) for each, to be included where MACRO is defined.
function(heddle_table file macro)
  list(TRANSFORM ARGN REPLACE "(.+)" "${macro}(\\1)\n" OUTPUT_VARIABLE lines)
  list(JOIN lines "" text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY) # leaves a file alone that says so already
endfunction()

# dialect/Heddle.td is the list of operations: what it includes as ops/STEM.td may have a file STEM.cpp in other folders.
# heddle_operations(FOLDER SOURCES TABLE): SOURCES is set to the .cpp files of such a folder, those that operations share
# among them, and TABLE has HEDDLE_OPERATION(STEM) for each operation that has a file there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dialect/Heddle.td)
file(STRINGS ${CMAKE_SOURCE_DIR}/dialect/Heddle.td HEDDLE_STEMS REGEX "^include \"ops/")
list(TRANSFORM HEDDLE_STEMS REPLACE "^include \"ops/(.*)\\.td\"$" "\\1")
function(heddle_operations folder sources table)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(${sources} ${files} PARENT_SCOPE)
  set(stems ${HEDDLE_STEMS})
  foreach(stem IN LISTS HEDDLE_STEMS)
    if(NOT EXISTS ${folder}/${stem}.cpp)
      list(REMOVE_ITEM stems ${stem})
    endif()
  endforeach()
  heddle_table(${table} HEDDLE_OPERATION ${stems})
endfunction()

# C++ library of the compiler's side. EXCEPTIONS: for code that must live with a
# library that throws (protobuf, CLI11); everything else is built without.
function(heddle_library name)
  cmake_parse_arguments(ARG "EXCEPTIONS" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>)
  else()
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
    target_precompile_headers(${name} REUSE_FROM HeddlePch)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} HeddleMlir)
endfunction()

# An executable of the compiler's side. Compiled like a library, so that it shares the header. ARCHIVES: see HeddleMlir.
function(heddle_tool name)
  cmake_parse_arguments(ARG "EXCEPTIONS;ARCHIVES" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  if(ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>)
  else()
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
    target_precompile_headers(${name} REUSE_FROM HeddlePch)
  endif()
  if(ARG_ARCHIVES AND NOT HEDDLE_SANITIZE)
    set_target_properties(${name} PROPERTIES HEDDLE_ARCHIVES ON)
    target_link_options(${name} PRIVATE -no-pie -Wl,--gc-sections -Wl,--as-needed)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} HeddleMlir)
endfunction()
