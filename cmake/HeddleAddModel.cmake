# heddle_add_model(NAME [MODEL model] ...): compiles a model during the build, as a library that other targets link.
#
#   heddle_add_model(minilm MODEL all-MiniLM-L6-v2 DIMS batch_size=1..8 sequence_length=1..512)
#   target_link_libraries(program PRIVATE minilm)        #include "minilm.h"
#
# NAME is the name of the target, the default prefix of the C functions, and the stem of the files in the current binary
# folder.
#
#   MODEL model          an .onnx file, a Hugging Face directory, a .gguf or .mlir file (relative to the current source
#                        folder), or a quoted operation; default: NAME.onnx, NAME.mlir or the folder NAME
#   TYPE type            static (default), shared, or module: a .so that is loaded, not linked ($<TARGET_FILE:NAME>)
#   PREFIX prefix        prefix of the C functions; default: NAME
#   DIMS name=n ...      sizes, or ranges of sizes, of the model's dynamic dimensions
#   CPUS cpu ...         CPUs to generate code for; default: generic if the target is Arm, otherwise heddle's default
#   TARGET triple        target machine; default: the machine that the project is built for
#   DEVICE device        cpu (default), or a kind of device that `heddle compile --help` lists
#   STRATEGY op=name ... strategies for operations, by name or as files relative to the current source folder; knobs
#                        may follow as in `heddle compile --strategy`
#   ONLY output ...      outputs to compute; default: all
#   PRECISION precision  f32 (default), or another precision that `heddle compile --help` lists
#   WEIGHTS where        embedded (default), or file: NAME.weights, for heddle_instance_options.weights_path
#   OPTIONS option ...   further options of `heddle compile`, passed unchanged
#   DEPENDS file ...     further files whose changes cause a new compilation; changes of the model's files, strategies
#                        and heddle always do
#
# The target's properties HEDDLE_HEADER, HEDDLE_LIBRARY and HEDDLE_WEIGHTS have the paths of its files.
# HEDDLE_EXECUTABLE is the heddle program that compiles the models; in a cross build it must run on the build machine.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

# Returns the absolute path if the text names a file or folder in the source folder, otherwise the text itself.
function(_heddle_resolve text result)
  get_filename_component(path "${text}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${path}")
    set(path "${text}")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Returns the triple of the target machine if it differs from the build machine; otherwise an empty string.
function(_heddle_triple result)
  set(triple)
  if(CMAKE_CROSSCOMPILING OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
      message(FATAL_ERROR "heddle_add_model: heddle cannot compile for the system ${CMAKE_SYSTEM_NAME}")
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
      set(triple x86_64-linux-gnu)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
      set(triple aarch64-linux-gnu)
    else()
      message(FATAL_ERROR "heddle_add_model: no target triple is known for the processor ${CMAKE_SYSTEM_PROCESSOR}; "
                          "give one with TARGET")
    endif()
  endif()
  set(${result} ${triple} PARENT_SCOPE)
endfunction()

# Returns the default model for NAME in the source folder.
function(_heddle_default_model name result)
  foreach(candidate IN ITEMS ${name}.onnx ${name}.mlir ${name})
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${candidate}")
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "heddle_add_model(${name}): no MODEL is given, and there is no ${name}.onnx, ${name}.mlir or ${name} in "
                      "${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()

function(heddle_add_model name)
  set(one MODEL TYPE PREFIX TARGET DEVICE PRECISION WEIGHTS)
  set(many DIMS CPUS STRATEGY ONLY OPTIONS DEPENDS)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "${one}" "${many}")
  if(ARG_UNPARSED_ARGUMENTS)
    message(AUTHOR_WARNING "heddle_add_model(${name}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(AUTHOR_WARNING "heddle_add_model(${name}): no value after ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT HEDDLE_EXECUTABLE)
    message(FATAL_ERROR "heddle_add_model(${name}): the program heddle was not found; set HEDDLE_EXECUTABLE to "
                        "the path of a program heddle that runs on this machine")
  endif()
  if(NOT ARG_MODEL)
    _heddle_default_model(${name} ARG_MODEL)
  endif()
  _heddle_resolve("${ARG_MODEL}" model)

  if(NOT ARG_TYPE)
    set(ARG_TYPE static)
  endif()
  if(ARG_TYPE STREQUAL "static")
    set(library ${name}.a)
    set(kind STATIC)
  elseif(ARG_TYPE MATCHES "^(shared|module)$")
    set(library ${name}.so)
    string(TOUPPER ${ARG_TYPE} kind)
  else()
    message(FATAL_ERROR "heddle_add_model(${name}): TYPE must be static, shared or module, found ${ARG_TYPE}")
  endif()
  if(NOT ARG_TARGET)
    _heddle_triple(ARG_TARGET)
  endif()
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX ${name})
  endif()

  set(outputs ${library} ${name}.h)
  set(options --name ${ARG_PREFIX})
  if(ARG_WEIGHTS STREQUAL "file")
    list(APPEND options --weights ${name}.weights)
    list(APPEND outputs ${name}.weights)
  elseif(ARG_WEIGHTS AND NOT ARG_WEIGHTS STREQUAL "embedded")
    message(FATAL_ERROR "heddle_add_model(${name}): WEIGHTS must be embedded or file, found ${ARG_WEIGHTS}")
  endif()
  foreach(dim IN LISTS ARG_DIMS)
    list(APPEND options --dim ${dim})
  endforeach()
  foreach(output IN LISTS ARG_ONLY)
    list(APPEND options --only ${output})
  endforeach()
  foreach(choice IN LISTS ARG_STRATEGY)
    if(choice MATCHES "^([^=]+)=([^:]+)(.*)$")
      set(op "${CMAKE_MATCH_1}")
      set(knobs "${CMAKE_MATCH_3}")
      _heddle_resolve("${CMAKE_MATCH_2}" file)
      set(choice "${op}=${file}${knobs}")
    endif()
    list(APPEND options --strategy "${choice}")
  endforeach()
  if(NOT ARG_CPUS AND ARG_TARGET MATCHES "^(aarch64|arm64)") # heddle's default is the build machine's CPU
    set(ARG_CPUS generic)
  endif()
  if(ARG_CPUS)
    list(JOIN ARG_CPUS "," cpus)
    list(APPEND options --mcpu ${cpus})
  endif()
  foreach(option IN ITEMS TARGET DEVICE PRECISION)
    if(ARG_${option})
      string(TOLOWER ${option} word)
      list(APPEND options --${word} ${ARG_${option}})
    endif()
  endforeach()

  # The command runs in the binary folder so that headers do not contain the path of this folder.
  add_custom_command(OUTPUT ${outputs} COMMENT "Compiling the model ${name}" VERBATIM
    COMMAND ${HEDDLE_EXECUTABLE} compile ${model} -o ${library} --depfile ${name}.d ${options} ${ARG_OPTIONS}
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.d
    DEPENDS ${HEDDLE_EXECUTABLE} ${ARG_DEPENDS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  list(TRANSFORM outputs PREPEND ${CMAKE_CURRENT_BINARY_DIR}/ OUTPUT_VARIABLE paths)
  add_custom_target(${name}.model DEPENDS ${paths})

  add_library(${name} ${kind} IMPORTED GLOBAL)
  add_dependencies(${name} ${name}.model)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION ${CMAKE_CURRENT_BINARY_DIR}/${library}
    HEDDLE_LIBRARY ${CMAKE_CURRENT_BINARY_DIR}/${library}
    HEDDLE_HEADER ${CMAKE_CURRENT_BINARY_DIR}/${name}.h)
  target_include_directories(${name} INTERFACE ${CMAKE_CURRENT_BINARY_DIR})
  if(ARG_WEIGHTS STREQUAL "file")
    set_target_properties(${name} PROPERTIES HEDDLE_WEIGHTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.weights)
  endif()
  if(kind STREQUAL "STATIC")
    target_link_libraries(${name} INTERFACE m) # generated code needs no other library
  elseif(kind STREQUAL "SHARED")
    set_target_properties(${name} PROPERTIES IMPORTED_SONAME ${library})
  endif()
endfunction()

cmake_policy(POP)
