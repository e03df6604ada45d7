// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hawser::mpi {

/// The class of a code that the program added; any other is its own class.
int class_of_added(int code) noexcept;
/// What the program said about a class or code that it added: may be empty. False: it did not add that.
bool text_of_added(int code, std::string& text);
/// Of MPI_LASTUSEDCODE.
int* last_used_code() noexcept;

}  // namespace hawser::mpi
