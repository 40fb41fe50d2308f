# Which mruby is there: its folders, the definitions that it was compiled with, on which the layout of its objects depends, and which
# file of vm/releases/ tells what its headers do not. vm/probe.cpp is built with each file and run against the library
# until all that the file says holds. Sets MRUBY_DEFINITIONS, MRUBY_INCLUDES, MRUBY_LINKS and MRUBY_RELEASE.
find_program(MRUBY_CONFIG NAMES mruby-config DOC "mruby's own program that tells how it was compiled")
set(MRUBY_INCLUDES "")
set(MRUBY_LINKS "")
# Debian's libmruby-dev has no such program (its package `mruby` has): then one of these, Debian's 3.1, 3.3 and later.
set(candidates "MRB_USE_RATIONAL MRB_USE_COMPLEX" "MRB_USE_RATIONAL MRB_USE_COMPLEX MRB_USE_BIGINT MRB_USE_DEBUG_HOOK"
               "MRB_USE_RATIONAL MRB_USE_COMPLEX MRB_USE_BIGINT MRB_USE_DEBUG_HOOK MRB_USE_SET")
if(MRUBY_CONFIG)
  execute_process(COMMAND ${MRUBY_CONFIG} --cflags --ldflags OUTPUT_VARIABLE flags RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${MRUBY_CONFIG} --cflags --ldflags: ${failed}; name another with -DMRUBY_CONFIG=PROGRAM")
  endif()
  string(REGEX MATCHALL "-DMRB_[A-Za-z0-9_]+(=[^ \n]+)?" candidates "${flags}")
  list(TRANSFORM candidates REPLACE "^-D" "")
  list(JOIN candidates " " candidates)
  if(candidates STREQUAL "")
    set(candidates " ")
  endif()
  # Debian's program names folders of the machine that built the package, too.
  string(REGEX MATCHALL "-[IL][^ \n]+" folders "${flags}")
  foreach(folder ${folders})
    string(REGEX REPLACE "^-[IL]\"?([^\"]*)\"?$" "\\1" path "${folder}")
    if(folder MATCHES "^-I" AND IS_DIRECTORY ${path})
      list(APPEND MRUBY_INCLUDES ${path})
    elseif(folder MATCHES "^-L" AND IS_DIRECTORY ${path})
      list(APPEND MRUBY_LINKS ${path})
    endif()
  endforeach()
endif()

file(GLOB releases ${CMAKE_CURRENT_LIST_DIR}/vm/releases/*.hpp)
list(SORT releases ORDER DESCENDING)
set(found "")
set(reasons "")
set(logs "")
list(TRANSFORM MRUBY_LINKS PREPEND "-L" OUTPUT_VARIABLE folder_options)
foreach(definitions IN LISTS candidates)
  separate_arguments(list UNIX_COMMAND "${definitions}")
  list(TRANSFORM list PREPEND "-D")
  foreach(release IN LISTS releases)
    get_filename_component(name ${release} NAME_WE)
    try_run(ran built ${CMAKE_CURRENT_BINARY_DIR}/probe ${CMAKE_CURRENT_LIST_DIR}/vm/probe.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${KUMIHIMO_ROOT};${MRUBY_INCLUDES}" "-DCMAKE_CXX_STANDARD=20"
      COMPILE_DEFINITIONS -std=c++20 -DMRB_NO_PRESYM ${list} "-DKUMIHIMO_MRUBY_RELEASE=\"releases/${name}.hpp\""
      LINK_LIBRARIES ${folder_options} mruby m
      COMPILE_OUTPUT_VARIABLE log RUN_OUTPUT_VARIABLE said)
    string(STRIP "${said}" said)
    if(built AND ran STREQUAL "0")
      set(found ${name})
      set(MRUBY_RELEASE "releases/${name}.hpp")
      set(MRUBY_DEFINITIONS ${list})
      list(TRANSFORM MRUBY_DEFINITIONS REPLACE "^-D" "")
      set(version ${said})
      break()
    endif()
    if(NOT built)
      string(REGEX MATCH "error: [^\n]*" said "${log}")
    elseif(said STREQUAL "")
      set(said "the probe ended with ${ran}")
    endif()
    string(APPEND reasons "  ${name}, ${definitions}: ${said}\n")
    string(APPEND logs "${name}, ${definitions}:\n${log}\n")
  endforeach()
  if(found)
    break()
  endif()
endforeach()
if(NOT found)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/probe.log "${logs}")
  message(FATAL_ERROR
    "This libmruby is none that this knows. It runs with mruby 3.1 (Debian 12's), 3.3 (Debian 13's) and those that are like "
    "them in memory; what was looked for:\n${reasons}"
    "If no header is found, install libmruby-dev. For an mruby of your own, name its program: -DMRUBY_CONFIG=PROGRAM. For another "
    "release, write what differs into a file beside those in ${CMAKE_CURRENT_LIST_DIR}/vm/releases/. "
    "The compiler's messages are in ${CMAKE_CURRENT_BINARY_DIR}/probe.log.")
endif()
string(REPLACE "_" "." known ${found})
if(NOT version MATCHES "^${known}[.]")
  message(WARNING "mruby ${version} has not been tried; what this relies on in memory is as in ${known}.")
endif()
message(STATUS "mruby ${version}, as ${MRUBY_RELEASE}; ${MRUBY_DEFINITIONS}")
