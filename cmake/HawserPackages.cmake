# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB` in a build folder: packages hawser, hawser-dev and hawser-doc. The tree lies in /usr/lib/hawser, so no
# file is that of another MPI; what belongs elsewhere in a Debian system is put there by packages/layout.cmake, and
# mpirun and mpicc are alternatives, behind those of other implementations.
set(CPACK_GENERATOR DEB)  # the only kind with a layout; another one, by -G, packs the tree as it is
set(CPACK_PACKAGE_NAME hawser)
set(CPACK_PACKAGE_VENDOR "The Hawser authors")
set(CPACK_PACKAGE_CONTACT "The Hawser authors <authors@hawser.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "MPI over transports that are chosen at run time")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/hawser)
set(CPACK_COMPONENTS_ALL runtime dev doc)
set(CPACK_STRIP_FILES ON)
# What is in a package must not depend on the umask of who makes it.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/packages/layout.cmake)
set(HAWSER_PACKAGES_SOURCE ${CMAKE_CURRENT_LIST_DIR}/packages)
set(CPACK_HAWSER_SOURCE ${PROJECT_SOURCE_DIR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib ${CMAKE_BINARY_DIR}/lib/hawser)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME hawser)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libhwloc15)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${HAWSER_PACKAGES_SOURCE}/runtime/postinst;${HAWSER_PACKAGES_SOURCE}/runtime/prerm;${HAWSER_PACKAGES_SOURCE}/runtime/conffiles")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Runs MPI programs: the launcher, the libraries and the components.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME hawser-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "hawser (= ${PROJECT_VERSION}), libfmt-dev, libexpected-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "g++, cmake (>= 3.25)")
set(CPACK_DEBIAN_DEV_PACKAGE_CONTROL_EXTRA
  "${HAWSER_PACKAGES_SOURCE}/dev/postinst;${HAWSER_PACKAGES_SOURCE}/dev/prerm")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Builds MPI programs and components: mpi.h, mpicc, the SDK, examples.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME hawser-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOC_DESCRIPTION "How to use Hawser, how it works, and how to write a component.")
include(CPack)
