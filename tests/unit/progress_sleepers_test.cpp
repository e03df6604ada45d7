// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/sleepers.hpp"

#include <gtest/gtest.h>

#include "framework/progress/engine.hpp"

namespace hawser::progress {
namespace {

// A thread that was woken does not sleep; one that was not would sleep for ever here.
void expect_woken(Sleepers::Sleeper& sleeper) {
  sleeper.sleep(kForever);
}

TEST(Sleepers, ACompletionWakesThoseWhoWaitForItOrForAnything) {
  Sleepers sleepers;
  int mine = 0, other = 0;
  Sleepers::Sleeper first, second, curious;
  sleepers.add(first, &mine);
  sleepers.add(second, &other);
  sleepers.add(curious, nullptr);
  sleepers.wake(&mine);
  expect_woken(first);
  expect_woken(curious);
  EXPECT_TRUE(sleepers.any()) << "the second sleeps on";
  sleepers.wake(&other);
  expect_woken(second);
  EXPECT_FALSE(sleepers.any());
}

TEST(Sleepers, ACompletionOfWhateverWakesAll) {
  Sleepers sleepers;
  int mine = 0;
  Sleepers::Sleeper first, second;
  sleepers.add(first, &mine);
  sleepers.add(second, nullptr);
  sleepers.wake(nullptr);
  expect_woken(first);
  expect_woken(second);
  EXPECT_FALSE(sleepers.any());
}

TEST(Sleepers, EachWakeUpForOneIsAnothers) {
  Sleepers sleepers;
  Sleepers::Sleeper first, second, gone;
  sleepers.add(gone, nullptr);
  sleepers.add(first, nullptr);
  sleepers.add(second, nullptr);
  sleepers.remove(gone);
  sleepers.wake_one();
  sleepers.wake_one();
  expect_woken(first);
  expect_woken(second);
  EXPECT_FALSE(sleepers.any());
  sleepers.wake_one();  // nobody is left
}

TEST(Sleepers, WhoChangesItsMindIsWokenForTheNewThing) {
  Sleepers sleepers;
  int before = 0, now = 0;
  Sleepers::Sleeper sleeper;
  sleepers.add(sleeper, &before);
  sleepers.add(sleeper, &now);
  sleepers.wake(&before);
  EXPECT_TRUE(sleepers.any());
  sleepers.wake(&now);
  expect_woken(sleeper);
  sleepers.remove(sleeper);  // woken, it is off the list already
  EXPECT_FALSE(sleepers.any());
}

}  // namespace
}  // namespace hawser::progress
