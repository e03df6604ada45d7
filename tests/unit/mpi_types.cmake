# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The parts of the MPI layer that know no communication, without the rest.
if(TARGET hawser_pml)
  set(mpi_types datatype type_shape type_copy type_signature type_build predefined op op_kernels)
  list(TRANSFORM mpi_types PREPEND ${PROJECT_SOURCE_DIR}/mpi/)
  list(TRANSFORM mpi_types APPEND .cpp)
  hawser_add_test(unit_mpi_types datatype_property_test.cpp datatype_test.cpp op_test.cpp ${mpi_types}
    LIBS hawser_pml ONE_THREAD)
  set_target_properties(unit_mpi_types PROPERTIES UNITY_BUILD OFF)  # the parts have names of their own alike
endif()
