# Compiler options for all of Heddle: warnings, sanitizers, the compiler cache.

add_compile_options(-Wall -Wextra -Wno-unused-parameter $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
# GCC would warn about members that an initialiser omits. They are 0, which is intended.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
endif()

if(HEDDLE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
elseif(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=vptr
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
  if(HEDDLE_COVERAGE)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()

# ccache caches files that use a precompiled header only with these settings of CCACHE_SLOPPINESS.
find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HEDDLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
