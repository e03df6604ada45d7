# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What a peer or a stranger may send to tcp.
hawser_add_fuzz(tcp LIBS hawser_btl_tcp_objects)
