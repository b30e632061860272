# takt_add_library(core UNITS a b PUBLIC a LINK x y): adds the library of a directory, named takt_core, alias
# takt::core. A unit is a header, a source or both, named once without its extension; headers of public units
# are installed. Sources of one directory are compiled as one (TAKT_UNITY), so names in anonymous namespaces
# must be unique in their directory. COLD directories are compiled with -O1: their code has no inner loops, and
# takes a third to half of the time to compile.
# takt_add_test(name SOURCES x_test.cpp APART y_test.cpp LINK takt::core): adds one GoogleTest binary, and its
# suites to ctest; with LOCK, or PROCESS_PER_TEST for tests with global state, its single tests. Tests with the
# same LOCK run one after another: `ranks` for tests in which several processes compute, `hosts` for tests that
# mostly wait. Each test has one label for `ctest -L`: LABEL, else the LOCK, else `slow` if TIMEOUT is at least
# 300 s, else `unit`; tests of pages: `browser`. Eight sources are compiled as one (TAKT_UNITY), in the time of
# three separate ones; APART lists sources with conflicting local names.

include(GNUInstallDirs)

find_program(TAKT_CCACHE ccache)
if(TAKT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Required to cache sources that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TAKT_CCACHE})
endif()

# Precompiled headers; they took a quarter of the compile time of a source.
set(TAKT_COMMON_HEADERS <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <numeric> <optional> <span>
    <string> <string_view> <utility> <vector> <fmt/format.h>)

add_library(takt_options INTERFACE)
target_compile_features(takt_options INTERFACE cxx_std_20)
target_compile_options(takt_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
                       # In unity builds a local name may hide one of another file.
                       $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,-Wno-subobject-linkage,-Wshadow>
                       $<$<BOOL:${TAKT_WERROR}>:-Werror> $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positives in std::string, which appear with precompiled headers (GCC bugs 105329, 105651).
  target_compile_options(takt_options INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(TAKT_SANITIZE)
  # In instrumented code GCC cannot track initialisation and warns about std::regex and others.
  target_compile_options(takt_options INTERFACE -fsanitize=${TAKT_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_link_options(takt_options INTERFACE -fsanitize=${TAKT_SANITIZE})
  if(TAKT_SANITIZE MATCHES "thread")
    # ThreadSanitizer does not support fences. Asio's fences are not needed if one thread runs an io_context.
    # takt's fences order a store before a load, so that no sleeper misses a wake-up; data are synchronised by
    # acquire and release.
    target_compile_definitions(takt_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
    target_compile_options(takt_options INTERFACE -Wno-tsan)
  endif()
endif()

function(takt_add_library name)
  cmake_parse_arguments(arg "" "" "UNITS;PUBLIC;LINK;PRIVATE_LINK;COLD" ${ARGN})
  set(sources)
  set(public_headers)
  foreach(unit IN LISTS arg_UNITS)
    set(files)
    foreach(file ${unit}.cpp ${unit}.hpp)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
        list(APPEND files ${file})
      endif()
    endforeach()
    if(NOT files)
      message(FATAL_ERROR "takt_${name}: there is neither ${unit}.cpp nor ${unit}.hpp in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    list(APPEND sources ${files})
    # Unity builds are per directory, so a new source changes no other directory.
    cmake_path(GET unit PARENT_PATH folder)
    list(FILTER files INCLUDE REGEX "\\.cpp$")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP "${name}_${folder}")
    if(folder IN_LIST arg_COLD)
      # Sources with options of their own are left out of unity builds, so these are of the generated source.
      if(TAKT_UNITY)
        set(files ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/takt_${name}.dir/Unity/unity_${name}_${folder}_cxx.cxx)
      endif()
      set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
    endif()
  endforeach()
  foreach(unit IN LISTS arg_PUBLIC)
    if(NOT unit IN_LIST arg_UNITS)
      message(FATAL_ERROR "takt_${name}: the public unit ${unit} is not among its units")
    endif()
    list(APPEND public_headers ${unit}.hpp)
  endforeach()

  add_library(takt_${name} ${sources})
  add_library(takt::${name} ALIAS takt_${name})
  set_target_properties(takt_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
                        CXX_EXTENSIONS OFF)
  target_compile_features(takt_${name} PUBLIC cxx_std_20)
  # No program replaces functions of the libraries, so compilers may inline exported ones.
  target_compile_options(takt_${name} PRIVATE -fno-semantic-interposition)
  # An inner loop that crosses lines of the instruction cache takes up to 1.7 times as long. Without
  # alignment, its position changes with whatever is linked before it.
  target_compile_options(takt_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-falign-functions=64 -falign-loops=32>)
  if(name STREQUAL "core")
    target_precompile_headers(takt_core PRIVATE ${TAKT_COMMON_HEADERS})
  else()
    target_precompile_headers(takt_${name} REUSE_FROM takt_core)
  endif()
  # Headers include each other relative to the root; other projects may also write <takt/core/units.hpp>.
  target_include_directories(takt_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/takt>)
  set_target_properties(takt_${name} PROPERTIES UNITY_BUILD ${TAKT_UNITY} UNITY_BUILD_MODE GROUP)
  target_link_libraries(takt_${name} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK} $<BUILD_INTERFACE:takt_options>)
  target_sources(takt_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${public_headers})
  install(TARGETS takt_${name} EXPORT takt FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/takt)
endfunction()

function(takt_add_test name)
  cmake_parse_arguments(arg "PROCESS_PER_TEST" "LABEL;LOCK;TIMEOUT" "SOURCES;APART;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name}_test ${arg_SOURCES} ${arg_APART})
  target_link_libraries(${name}_test PRIVATE ${arg_LINK} takt_options takt_test_support)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${name}_test PROPERTIES CXX_EXTENSIONS OFF)
  # Halves the compile time; the expensive code of tests is in the libraries.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-Og>)
  set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${TAKT_UNITY})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_precompile_headers(${name}_test REUSE_FROM takt_test_support)
  if(TAKT_SANITIZE)
    # False positive of GCC 12 in <regex> under sanitizers (GCC bug 105562).
    target_compile_options(${name}_test PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
    if(arg_LOCK)
      set(arg_LABEL ${arg_LOCK})
    elseif(arg_TIMEOUT GREATER_EQUAL 300)
      set(arg_LABEL slow)
    endif()
  endif()
  if(arg_LOCK OR arg_PROCESS_PER_TEST)
    set(properties TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABEL})
    if(arg_LOCK)
      # Starts them first, so that they do not run alone at the end, one after another.
      list(APPEND properties RESOURCE_LOCK ${arg_LOCK} COST 100)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." PROPERTIES ${properties} DISCOVERY_TIMEOUT 60
                         DISCOVERY_MODE PRE_TEST)
    return()
  endif()
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites)
  file(GENERATE OUTPUT ${suites}.cmake CONTENT "set(name ${name})
set(program $<TARGET_FILE:${name}_test>)
set(list ${suites}.txt)
set(timeout ${arg_TIMEOUT})
set(properties LABELS ${arg_LABEL})
include(${PROJECT_SOURCE_DIR}/.cmake/AddSuites.cmake)
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites}.cmake)
endfunction()
