# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What people write, and what every rank publishes of itself.
hawser_add_fuzz(params)
