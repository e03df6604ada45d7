// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A component of which nothing but the file is looked at, built once per fault:
//   FILE_NAME      its name
//   FILE_SYMBOL    exports one symbol too many
//   FILE_LAYOUT    was built with other sizes
//   FILE_FLAGS     the flags of its descriptor
//   FILE_STORAGE   where its second parameter is stored
#include "framework/btl/abi.hpp"

#if !defined(FILE_LAYOUT)
#define FILE_LAYOUT hawser::btl::kLayout
#endif
#if !defined(FILE_FLAGS)
#define FILE_FLAGS 0
#endif
#if !defined(FILE_STORAGE)
#define FILE_STORAGE g_second
#endif

namespace {

std::int64_t g_first = 0;
[[maybe_unused]] std::int64_t g_second = 0;
[[maybe_unused]] constexpr hawser::btl::LayoutRow kOther[hawser::btl::kLayoutCount] = {{"Attributes", 1}};

const hawser::mca::ParamRow kRows[] = {
    hawser::mca::param_int("first", &g_first, "1", {1, 16}, 4, "one of two"),
    hawser::mca::param_int("second", &FILE_STORAGE, "1", {1, 16}, 4, "the other of two"),
};

hawser::btl::Component* create() {
  return nullptr;
}
void destroy(hawser::btl::Component*) {}

}  // namespace

#if defined(FILE_SYMBOL)
extern "C" __attribute__((visibility("default"))) int hawser_btl_helper() {
  return 1;
}
#endif

extern "C" __attribute__((visibility("default")))
const hawser_btl_descriptor hawser_btl_component = {hawser::btl::kMagic,
                                                    sizeof(hawser_btl_descriptor),
                                                    hawser::btl::kAbiMajor,
                                                    hawser::btl::kAbiMinor,
                                                    2,
                                                    "btl",
                                                    FILE_NAME,
                                                    "1.0",
                                                    HAWSER_TOOLCHAIN,
                                                    kRows,
                                                    &create,
                                                    &destroy,
                                                    FILE_LAYOUT,
                                                    hawser::btl::kLayoutCount,
                                                    FILE_FLAGS,
                                                    nullptr,
                                                    nullptr,
                                                    0,
                                                    0};
