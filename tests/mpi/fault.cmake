# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The whole stack over transports that misbehave by rules; see docs/fault-injection.md.
if(NOT TARGET hawser_btl_fault)
  return()
endif()

# hawser_fault_test(NAME TARGET RULES...): programs whose messages are numbered and looked at byte by byte.
function(hawser_fault_test name target)
  hawser_mpi_test(fault_${name}_order mpi_p2p_order RANKS 3 BTL self,fault MCA btl_fault_target ${target} ${ARGN})
  hawser_mpi_test(fault_${name}_sizes mpi_p2p_sizes RANKS 2 BTL self,fault MCA btl_fault_target ${target} ${ARGN}
    ARGS 1000000)
endfunction()

set(refusals btl_fault_refuse 4 btl_fault_refuse_run 5)
set(pieces btl_fault_delay 50 btl_fault_delay_time 200us btl_fault_short_write 5000 btl_fault_short_read 3000)
foreach(target shm tcp)
  hawser_fault_test(refusals_${target} ${target} ${refusals})
  hawser_fault_test(pieces_${target} ${target} ${pieces})
  hawser_fault_test(overtaken_${target} ${target} btl_fault_reorder 5)
  hawser_fault_test(doubled_${target} ${target} btl_fault_duplicate 5 btl_fault_reorder 7 bml_guard always)
endforeach()
# One of two rails breaks on the way, with and without a message that it had taken.
hawser_fault_test(broken_rail tcp btl_tcp_if_include lo btl_tcp_links 2 btl_fault_module "lo#1" btl_fault_reset_after 40)
hawser_fault_test(lossy_rail tcp btl_tcp_if_include lo btl_tcp_links 2 btl_fault_module "lo#1" btl_fault_drop 40)
