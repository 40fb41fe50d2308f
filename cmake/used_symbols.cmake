# One change to libdeflate while it is built: its table builder walks over the symbols in use, not over all of them.
#
# For entries of a few KB building the decode tables is 28 % of the time, most of it in two loops over all 288 symbols, of which 60
# are used: the others all count into the same cell, and wait for each other there. One branch-free pass that lists the symbols
# with a length, and the two loops over that list, give 16 to 21 % on such entries; tables, results and refusals are the same.
# A libdeflate whose builder looks different is built as it is.
function(kumihimo_use_symbol_list sources)
  set(original ${KUMIHIMO_LIBDEFLATE}/lib/deflate_decompress.c)
  if(NOT EXISTS ${original})
    return()
  endif()
  file(READ ${original} text)
  set(blank "[ \t\r\n]+")
  set(every "for \\(sym = 0@semicolon@ sym < num_syms@semicolon@ sym\\+\\+\\)")
  # CMake splits at semicolons, so they travel under another name.
  string(REPLACE ";" "@semicolon@" text "${text}")
  set(histogram "${every}${blank}len_counts\\[lens\\[sym\\]\\]\\+\\+@semicolon@")
  set(sort "${every}${blank}sorted_syms\\[offsets\\[lens\\[sym\\]\\]\\+\\+\\] = sym@semicolon@")
  string(REGEX MATCHALL "${histogram}" histograms "${text}")
  string(REGEX MATCHALL "${sort}" sorts "${text}")
  list(LENGTH histograms found)
  list(LENGTH sorts found_sorts)
  if(NOT found EQUAL 1 OR NOT found_sorts EQUAL 1)
    message(STATUS "libdeflate: the table builder looks different; built unchanged")
    return()
  endif()
  string(REGEX REPLACE "${histogram}" "u16 used[DEFLATE_MAX_NUM_SYMS + 1]@semicolon@ unsigned used_count = 0, k@semicolon@
	for (sym = 0@semicolon@ sym < num_syms@semicolon@ sym++) {
		used[used_count] = sym@semicolon@
		used_count += lens[sym] != 0@semicolon@
	}
	for (k = 0@semicolon@ k < used_count@semicolon@ k++)
		len_counts[lens[used[k]]]++@semicolon@
	len_counts[0] = num_syms - used_count@semicolon@" text "${text}")
  string(REGEX REPLACE "${sort}" "for (k = 0@semicolon@ k < used_count@semicolon@ k++)
		sorted_syms[offsets[lens[used[k]]]++] = used[k]@semicolon@
	offsets[0] = len_counts[0]@semicolon@" text "${text}")
  string(REPLACE "@semicolon@" ";" text "${text}")
  set(changed ${CMAKE_CURRENT_BINARY_DIR}/libdeflate/deflate_decompress.c)
  file(WRITE ${changed}.new "${text}")
  configure_file(${changed}.new ${changed} COPYONLY)
  set(list ${${sources}})
  list(REMOVE_ITEM list ${original})
  list(APPEND list ${changed})
  set(${sources} ${list} PARENT_SCOPE)
endfunction()
