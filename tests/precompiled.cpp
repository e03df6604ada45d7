// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Its compilation makes the precompiled header of the tests.
int main() {}
