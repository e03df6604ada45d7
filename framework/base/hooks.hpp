// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hook points: places where a test stops or delays the code at its worst moment. Compiled in only with
// HAWSER_HOOKS; otherwise nothing is left of them. In a program, HAWSER_HOOKS_DELAY_US=N makes every hook
// wait a random time up to N microseconds (seed in HAWSER_HOOKS_SEED).

namespace hawser::hooks {

using Function = void (*)(void* context);

/// Installs `function` at the point of that name (a literal); null takes it away.
void set(const char* name, Function function, void* context);
/// Runs what is installed at `name`.
void run(const char* name) noexcept;

}  // namespace hawser::hooks

#if defined(HAWSER_HOOKS)
#define HAWSER_HOOK(name) ::hawser::hooks::run(name)
#else
#define HAWSER_HOOK(name) static_cast<void>(0)
#endif
