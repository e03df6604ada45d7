// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang's thread-safety attributes; nothing under other compilers.
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#if defined(__clang__)
#define HAWSER_TSA(x) __attribute__((x))
#else
#define HAWSER_TSA(x)
#endif

#define HAWSER_CAPABILITY(name) HAWSER_TSA(capability(name))
#define HAWSER_SCOPED_CAPABILITY HAWSER_TSA(scoped_lockable)
#define HAWSER_GUARDED_BY(x) HAWSER_TSA(guarded_by(x))
#define HAWSER_PT_GUARDED_BY(x) HAWSER_TSA(pt_guarded_by(x))
#define HAWSER_REQUIRES(...) HAWSER_TSA(requires_capability(__VA_ARGS__))
#define HAWSER_EXCLUDES(...) HAWSER_TSA(locks_excluded(__VA_ARGS__))
#define HAWSER_ACQUIRE(...) HAWSER_TSA(acquire_capability(__VA_ARGS__))
#define HAWSER_RELEASE(...) HAWSER_TSA(release_capability(__VA_ARGS__))
#define HAWSER_TRY_ACQUIRE(...) HAWSER_TSA(try_acquire_capability(__VA_ARGS__))
#define HAWSER_ASSERT_HELD(x) HAWSER_TSA(assert_capability(x))
#define HAWSER_NO_ANALYSIS HAWSER_TSA(no_thread_safety_analysis)
