# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Run by cpack once the files of a package are staged: moves to their places in a Debian system what is looked for
# there, and points to the tree in /usr/lib/hawser.
cmake_minimum_required(VERSION 3.25)
set(prefix usr/lib/hawser)

# into(PACKAGE FROM TO): moves a file or folder of the tree, if there is one.
function(into package from to)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${package})
  if(EXISTS ${root}/${prefix}/${from})
    get_filename_component(folder ${root}/${to} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(RENAME ${root}/${prefix}/${from} ${root}/${to})
  endif()
endfunction()

foreach(package runtime dev doc)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${package})
  into(${package} share/man usr/share/man)
  into(${package} share/bash-completion usr/share/bash-completion)
  into(${package} share/zsh/site-functions usr/share/zsh/vendor-completions)
  file(REMOVE_RECURSE ${root}/${prefix}/share/zsh)
  # The names mpirun, mpicc and so on are alternatives; their pages go with them.
  file(GLOB pages ${root}/usr/share/man/man1/mpi*.1)
  foreach(page ${pages})
    get_filename_component(name ${page} NAME_WLE)
    file(READ ${page} text)
    string(REPLACE ".so man1/mpicc.1" ".so man1/mpicc.hawser.1" text "${text}")
    file(WRITE ${root}/usr/share/man/man1/${name}.hawser.1 "${text}")
    file(REMOVE ${page})
  endforeach()
  file(GLOB pages ${root}/usr/share/man/man1/*.1)
  foreach(page ${pages})
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  set(name hawser-${package})
  if(package STREQUAL runtime)
    set(name hawser)
  endif()
  into(${package} share/doc/hawser usr/share/doc/${name})
  file(COPY_FILE ${CPACK_HAWSER_SOURCE}/LICENSE ${root}/copyright.tmp)
  file(MAKE_DIRECTORY ${root}/usr/share/doc/${name})
  file(RENAME ${root}/copyright.tmp ${root}/usr/share/doc/${name}/copyright)
endforeach()

file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/doc/usr/lib)  # empty by now

into(runtime etc/hawser/mca-params.conf etc/hawser/mca-params.conf)
file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/runtime/${prefix}/etc)
file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/runtime/usr/bin)
file(CREATE_LINK ../lib/hawser/bin/hawser ${CPACK_TEMPORARY_DIRECTORY}/runtime/usr/bin/hawser SYMBOLIC)

# find_package(hawser) and pkg-config look in /usr; the files they find there lead on.
set(root ${CPACK_TEMPORARY_DIRECTORY}/dev)
file(GLOB configs RELATIVE ${root} ${root}/${prefix}/lib*/cmake/hawser/hawserConfig*.cmake
  ${root}/${prefix}/lib*/*/cmake/hawser/hawserConfig*.cmake)
foreach(config ${configs})
  get_filename_component(name ${config} NAME)
  file(WRITE ${root}/usr/share/cmake/hawser/${name} "include(/${config})\n")
endforeach()
file(GLOB_RECURSE descriptions ${root}/${prefix}/*.pc)
foreach(description ${descriptions})
  get_filename_component(name ${description} NAME)
  file(READ ${description} text)
  string(REGEX REPLACE "prefix=[^\n]*" "prefix=/${prefix}" text "${text}")
  file(WRITE ${root}/usr/share/pkgconfig/${name} "${text}")
endforeach()
