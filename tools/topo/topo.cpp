// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/topo.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include "tools/common/gather.hpp"
#include "tools/common/output.hpp"
#include "tools/common/terminal.hpp"
#include "tools/topo/look.hpp"
#include "tools/topo/peer.hpp"
#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

struct Options {
  Given given;
  std::vector<std::string> peers;
  bool same_node = false;
  bool json = false;
  bool all = false;
  std::string svg;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--peer", options.peers,
                 "show the pairs that would join us with this peer: the file that `hawser topo --json` wrote "
                 "there (- "
                 "is stdin), or its addresses with, if you like, prefix and speed in Mbit/s: "
                 "10.9.0.2/24,fd00::2@1000")
      ->type_name("FILE|ADDRESSES")
      ->allow_extra_args(false);
  app.add_flag("--same-node", options.same_node,
               "the peers are processes of this node; if not given, their descriptions decide");
  app.add_flag("-a,--all", options.all, "fold nothing: every interface, route and combination has a line");
  app.add_flag("--json", options.json, "for programs, and for --peer on another host: all of it as JSON");
  app.add_option("--svg", options.svg, "write a picture instead of the text (- is stdout)")
      ->type_name("FILE");
  add_given_options(app, options.given);
  app.footer(
      "Nothing is sent and no job is started. Of the combinations of addresses those with the least doubt "
      "are used: "
      "no carrier, bridge without ports, no neighbours, tunnel, point-to-point, link-local and different "
      "private "
      "networks add to it. Among those, as many pairs as possible at the least total cost, which comes from "
      "speed, "
      "locality and routes.");
}

/// "" or what is wrong with the options as a whole.
std::string contradiction(const Options& options) {
  if (options.json && options.svg == "-") return "--json and --svg - both write to stdout: give --svg a file";
  if (std::ranges::count(options.peers, "-") > 1) return "--peer -: stdin can be read once only";
  if (options.same_node && options.peers.empty())
    return "--same-node says something of peers: give --peer too";
  return "";
}

constexpr const char* kCommand = "hawser topo";

int show(const Options& options) {
  Findings findings;
  gather(options.given, findings);
  const TopoHost host = look_here(findings);
  std::vector<std::unique_ptr<TopoHost>> peers;
  std::vector<Pairing> pairings;
  for (const auto& text : options.peers) {
    auto peer = read_peer(text, host);
    if (!peer) {
      findings.errors.push_back(peer.error().text);
      continue;
    }
    peers.push_back(std::make_unique<TopoHost>(std::move(*peer)));
    pairings.push_back(pair_up(host, *peers.back(), options.same_node));
  }
  int written = 0;
  if (options.svg == "-") {
    written = write_out(kCommand, "-", topo_svg(host, pairings));
  } else if (!options.svg.empty()) {
    written = write_out(kCommand, options.svg, topo_svg(host, pairings));
  }
  if (options.json) {
    written = std::max(written, write_out(kCommand, "-", topo_json(host, pairings, findings)));
  } else if (options.svg.empty()) {
    written = write_out(kCommand, "-",
                        topo_text(host, pairings, findings, {terminal_width(), wants_colour(), options.all}));
  }
  return std::max(written, tell(findings, "hawser topo"));
}

}  // namespace

int topo_main(int argc, char** argv) {
  CLI::App app("Interfaces of this machine as tcp sees them, and the pairs that join it with others.",
               "hawser topo");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    if (const std::string wrong = contradiction(options); !wrong.empty()) {
      fmt::print(stderr, "hawser topo: {}\n", wrong);
      return 2;
    }
    return show(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "hawser topo: {}\n", failure.what());
    return 1;
  }
}

}  // namespace hawser::tools
