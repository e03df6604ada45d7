/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* What a run is given in the environment: one checker, compiled once, serves all variants of a model. */
c_decl {
\#include <stdlib.h>
  static unsigned char given(const char* name) {
    const char* text = getenv(name);
    return text ? (unsigned char)atoi(text) : 0;
  }
};
