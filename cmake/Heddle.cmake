# Definitions for all folders that use MLIR: include directories, heddle_pch(NAME options...), which adds a precompiled
# header, heddle_library(NAME sources... [EXCEPTIONS] [LINK targets...]),
# heddle_tool(NAME sources... [EXCEPTIONS] [ARCHIVES] [PCH target] [LINK targets...]),
# heddle_table and heddle_operations, which generate files that C++ code includes, and heddle_unity, which groups the
# sources of a target.

include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR}/compiler/include ${CMAKE_BINARY_DIR}/compiler/include)
separate_arguments(HEDDLE_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${HEDDLE_LLVM_DEFINITIONS})
if(HEDDLE_CCACHE) # ccache supports precompiled headers of Clang only if they contain no time stamps
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# heddle_pch(NAME options...): a precompiled header of MLIR's headers, for code that is built without exceptions and with
# these compiler options. Its source file is not rewritten by later runs of CMake, since a newer file would cause a
# complete rebuild. HeddlePch is the precompiled header of Heddle itself.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch.cpp CONTENT "")
function(heddle_pch name)
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> ${ARGN})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Pch.h)
endfunction()
heddle_pch(HeddlePch)

# The compiler's libraries and tools link with MLIR and LLVM: with shared libraries or, if HEDDLE_ARCHIVES is set, with
# archives. Loading the shared libraries takes 30 ms, a sixth of the time to compile an attention operation, but a
# program that is linked with archives takes 190 MB. So heddle uses archives, and the tests use shared libraries. The
# archives are given as files because their CMake targets depend on the shared LLVM and on development files that the
# distribution does not install with them. The linker uses only the needed members of the archives, regardless of the
# order of the archives.
add_library(HeddleMlir INTERFACE)
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
find_library(HEDDLE_ZLIB NAMES z libz.so.1 REQUIRED)
find_library(HEDDLE_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
target_link_libraries(HeddleMlir INTERFACE
  "$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_ARCHIVES>>,${archives};${HEDDLE_ZLIB};${HEDDLE_ZSTD},MLIR;LLVM>")

# heddle_table(FILE MACRO NAMES...): writes FILE with a line MACRO(NAME) for each name. C++ code defines MACRO and
# includes the file.
function(heddle_table file macro)
  list(TRANSFORM ARGN REPLACE "(.+)" "${macro}(\\1)\n" OUTPUT_VARIABLE lines)
  list(JOIN lines "" text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY) # does not write a file that already has this content
endfunction()

# dialect/Heddle.td has the list of operations: for each include of ops/STEM.td there may be a file STEM.cpp in other
# folders. heddle_operations(FOLDER SOURCES TABLE): sets SOURCES to all .cpp files of FOLDER, including files
# that serve several operations, and writes TABLE with HEDDLE_OPERATION(STEM) for each operation whose STEM.cpp is in
# FOLDER.
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

# heddle_unity(TARGET): if CMAKE_UNITY_BUILD is on, groups the sources of the target, in the order in which they are
# listed, into batches of HEDDLE_UNITY_BATCH files that are compiled as one. This saves most of the compile time, which is
# spent on MLIR's headers. Files with `using namespace llvm` get batches of their own, because Type and Value would be
# ambiguous in a batch that also has `using namespace mlir`.
set(HEDDLE_UNITY_BATCH 12 CACHE STRING "Number of files that a unity build compiles as one")
function(heddle_unity target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(mlir 0)
  set(llvm 0)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT EXISTS ${path})
      continue() # a generated file
    endif()
    set(kind mlir)
    file(STRINGS ${path} usesLlvm REGEX "^using namespace llvm;" LIMIT_COUNT 1)
    if(usesLlvm)
      set(kind llvm)
    endif()
    math(EXPR batch "${${kind}} / ${HEDDLE_UNITY_BATCH}")
    math(EXPR ${kind} "${${kind}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${batch})
  endforeach()
endfunction()

# heddle_library: a C++ library of the compiler. EXCEPTIONS is for code that handles exceptions or uses a library that
# throws them (protobuf, CLI11); all other code is built without exceptions.
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
  heddle_unity(${name})
endfunction()

# heddle_tool: an executable of the compiler. It is compiled with -fPIC like a library, so it can use the same
# precompiled header. EXCEPTIONS: as for heddle_library. ARCHIVES: the executable is linked with archives of MLIR and
# LLVM (see HeddleMlir), except in sanitizer builds. PCH: the precompiled header, HeddlePch by default.
function(heddle_tool name)
  cmake_parse_arguments(ARG "EXCEPTIONS;ARCHIVES" "PCH" "LINK" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH HeddlePch)
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  if(ARG_EXCEPTIONS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>)
  else()
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
    target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
  endif()
  if(ARG_ARCHIVES AND NOT HEDDLE_SANITIZE)
    set_target_properties(${name} PROPERTIES HEDDLE_ARCHIVES ON)
    target_link_options(${name} PRIVATE -no-pie -Wl,--gc-sections -Wl,--as-needed)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} HeddleMlir)
  heddle_unity(${name})
endfunction()
