// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/gather.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "framework/mca/param_file.hpp"

namespace hawser::tools {

namespace {

void note_error(Findings& findings, const Result<void>& result) {
  if (!result) findings.errors.push_back(result.error().text);
}

void declare(Findings& findings, std::string_view framework, const std::vector<mca::ParamRow>& rows) {
  note_error(findings, findings.registry.declare(framework, "", rows.data(), rows.size()));
}

void read_given(const Given& given, Findings& findings) {
  for (const auto& file : given.tune) {
    auto settings = mca::read_param_file(file, mca::Source::kTuneFile);
    if (settings) {
      note_error(findings, findings.registry.apply(*settings));
    } else {
      findings.errors.push_back(settings.error().text);
    }
  }
  std::vector<mca::Setting> settings;
  for (const auto& [name, value] : given.mca) {
    settings.push_back({name, value, mca::Source::kCommandLine, "command line"});
  }
  note_error(findings, findings.registry.apply(settings));
}

void judge_unknown(Findings& findings) {
  std::string_view what = findings.runtime.unknown_params;
  if (what == "ignore") return;
  auto& lines = what == "error" ? findings.errors : findings.notes;
  for (auto& line : findings.registry.unknown_settings(findings.loader.unjudged_prefixes())) {
    lines.push_back(std::move(line));
  }
}

}  // namespace

void add_given_options(CLI::App& app, Given& given) {
  app.add_option("--mca", given.mca, "as for `hawser run`: see what it would do")
      ->type_name("NAME VALUE")
      ->allow_extra_args(false);
  app.add_option("--tune", given.tune, "as for `hawser run`: a parameter file")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void gather(const Given& given, Findings& findings) {
  note_error(findings, findings.registry.read_sources());
  read_given(given, findings);
  declare(findings, "", runtime_param_rows(findings.runtime));
  declare(findings, "bml", bml::bml_param_rows(findings.bml));
  declare(findings, "mpi", mpi::mpi_param_rows(findings.mpi));
  note_error(findings, findings.loader.discover(findings.registry, findings.runtime.component_path));
  auto notes = findings.loader.select(findings.runtime.btl);
  if (notes) {
    findings.notes = std::move(*notes);
  } else {
    findings.errors.push_back(notes.error().text);
  }
  judge_unknown(findings);
}

int tell(const Findings& findings, std::string_view command) {
  for (const auto& note : findings.notes) fmt::print(stderr, "{}: note: {}\n", command, note);
  for (const auto& error : findings.errors) fmt::print(stderr, "{}: error: {}\n", command, error);
  return findings.errors.empty() ? 0 : 1;
}

std::string framework_of(const mca::ParamView& param) {
  return param.framework.empty() ? param.name.substr(0, param.name.find('_')) : param.framework;
}

}  // namespace hawser::tools
