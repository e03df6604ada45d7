// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/common/terminal.hpp"

namespace hawser::check {

namespace {

const char* to_text(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kSkipped:
      return "skipped";
  }
  return "unknown";
}

std::size_t number_of(const std::vector<Verdict>& verdicts, Outcome outcome) {
  return static_cast<std::size_t>(std::count_if(verdicts.begin(), verdicts.end(),
                                                [=](const Verdict& one) { return one.outcome == outcome; }));
}

}  // namespace

std::string verdict_line(const Verdict& verdict, bool colour) {
  constexpr std::size_t kName = 32, kShape = 12;
  const tools::Paint paint{colour};
  const std::string word = tools::padded(to_text(verdict.outcome), 8);
  const std::string shown = verdict.outcome == Outcome::kPassed   ? paint.good(word)
                            : verdict.outcome == Outcome::kFailed ? paint.bad(word)
                                                                  : paint.dim(word);
  std::string text = fmt::format("{} {} {} {:6.2f} s\n", shown, tools::padded(verdict.check->name, kName),
                                 tools::padded(check::to_text(verdict.shape), kShape), verdict.seconds);
  if (verdict.outcome == Outcome::kFailed)
    text += fmt::format("         promised: {}\n", verdict.check->promise);
  for (const std::string& reason : verdict.reasons) text += fmt::format("         {}\n", reason);
  return text;
}

std::string summary(const std::vector<Verdict>& verdicts) {
  return fmt::format("{} passed, {} failed, {} skipped", number_of(verdicts, Outcome::kPassed),
                     number_of(verdicts, Outcome::kFailed), number_of(verdicts, Outcome::kSkipped));
}

std::string json_report(const Subject& subject, const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json report;
  report["component"] = subject.name;
  report["file"] = subject.file;
  report["passed"] = number_of(verdicts, Outcome::kPassed);
  report["failed"] = number_of(verdicts, Outcome::kFailed);
  report["skipped"] = number_of(verdicts, Outcome::kSkipped);
  report["checks"] = nlohmann::ordered_json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::ordered_json one;
    one["name"] = verdict.check->name;
    one["promise"] = verdict.check->promise;
    one["where"] = check::to_text(verdict.shape);
    one["outcome"] = to_text(verdict.outcome);
    one["reasons"] = verdict.reasons;
    one["seconds"] = verdict.seconds;
    report["checks"].push_back(std::move(one));
  }
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string list_text() {
  std::string text;
  for (const Check* check : all_checks()) text += fmt::format("{:32} {}\n", check->name, check->promise);
  return text;
}

}  // namespace hawser::check
