// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "framework/mca/print.hpp"
#include "tools/common/svg_text.hpp"
#include "tools/topo/report.hpp"
#include "tools/topo/scene.hpp"

namespace hawser::tools {

namespace {

// Told apart without red and green, and by the dashes where there are no colours.
struct Stroke {
  const char* colour;
  const char* dashes;
};
constexpr Stroke kStrokes[] = {{"#b35900", "7 4"}, {"#7b3fa0", "2 4"}, {"#4d6a88", "10 4 2 4"},
                               {"#a8326e", "5 5"}, {"#8a7a00", "3 3"}, {"#5a5a5a", "8 3"},
                               {"#006d77", "1 5"}, {"#9c6644", "12 5"}};
constexpr const char* kChosenColour = "#0b6bcb";

std::string escaped(std::string_view text) {
  return svg_escaped(clean(text));
}

/// At most `columns` characters, shortened at the end. Counts bytes: names are ASCII but for odd ones.
std::string fitted(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : clean(text.substr(0, columns - 3)) + "...";
}

std::string text_at(double x, double y, std::string_view classes, std::string_view text) {
  return svg_text_at(x, y, classes, clean(text));
}

std::string card_svg(const SceneCard& card, double width) {
  std::string out = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"10\" class=\"card\"/>\n",
      card.x, card.y, width, card.height);
  out += text_at(card.x + 14, card.y + 25, "host", fitted(card.title, 32));
  return out + text_at(card.x + 14, card.y + 44, card.unreachable ? "small bad" : "small", card.subtitle);
}

std::string box_svg(const SceneBox& box) {
  const char* kind = box.chosen ? "box chosen-box" : box.pale ? "box pale-box" : "box";
  const std::string tone = box.pale ? " pale" : "";
  std::string out = fmt::format(
      "<g class=\"nic\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"6\" class=\"{}\"/>\n",
      box.x, box.y, kBoxWidth, box.height, kind);
  double y = box.y + 19;
  out += text_at(box.x + 12, y, "name" + tone, fitted(box.title, 26));
  if (!box.speed.empty()) out += text_at(box.x + kBoxWidth - 12, y, "small end" + tone, box.speed);
  for (const auto& address : box.addresses)
    out += text_at(box.x + 12, y += kLineHeight, "address" + tone, address);
  for (const auto& words : box.words) out += text_at(box.x + 12, y += kLineHeight, "words", words);
  return out + "</g>\n";
}

// Pairs that are used end in a straight piece with the label on it: each interface on the right is in one
// pair at most, so labels do not meet.
constexpr double kLabelRoom = 176;

std::string line_svg(const Scene& scene, const SceneLine& line) {
  const SceneBox& from = scene.boxes[line.from];
  const SceneBox& to = scene.boxes[line.to];
  const bool chosen = line.reason == kChosen;
  const double x1 = from.x + kBoxWidth;
  const double x2 = to.x - (chosen ? kLabelRoom : 0);
  const double bend = (x2 - x1) * 0.45;
  std::string path =
      fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1, from.middle(), x1 + bend,
                  from.middle(), x2 - bend, to.middle(), x2, to.middle());
  std::string style = "class=\"chosen\"";
  if (chosen) {
    path += fmt::format("H{:.1f}", to.x);
  } else {
    const Stroke& stroke = kStrokes[line.reason % std::size(kStrokes)];
    style = fmt::format("class=\"lost\" stroke=\"{}\" stroke-dasharray=\"{}\"", stroke.colour, stroke.dashes);
  }
  return fmt::format("<path d=\"{}\" {}><title>{}</title></path>\n", path, style, escaped(line.tip));
}

std::string label_svg(const Scene& scene, const SceneLine& line) {
  constexpr double kCharacter = 7.1;
  constexpr double kToBox = 30;
  const SceneBox& to = scene.boxes[line.to];
  const double width = static_cast<double>(line.label.size()) * kCharacter + 16;
  const double x = to.x - kToBox - width;
  std::string out = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"22\" rx=\"11\" class=\"tag\"/>\n", x,
      to.middle() - 11, width);
  return out + text_at(x + width / 2, to.middle() + 4.5, "tag-text", line.label);
}

std::string sample(double y, const char* style) {
  return fmt::format("<path d=\"M24 {0:.1f}H84\" {1}/>\n", y - 4, style);
}

// Lines of the legend, and how far down it goes.
std::string legend_svg(const Scene& scene, double& y) {
  constexpr double kText = 98;
  const auto columns = static_cast<std::size_t>((scene.width - kText - 24) / 6.4);
  std::string out;
  auto entry = [&](const std::string& words) {
    std::string lines = mca::wrapped(words, "", columns);
    for (std::size_t end; (end = lines.find('\n')) != lines.npos; lines.erase(0, end + 1), y += 18) {
      out += text_at(kText, y, "legend", lines.substr(0, end));
    }
    y += 4;
  };
  if (scene.chosen != 0) {
    out += sample(y, "class=\"chosen key\"");
    entry(fmt::format("used ({} {})", scene.chosen, scene.chosen == 1 ? "pair" : "pairs"));
  }
  for (std::size_t i = 0; i < scene.reasons.size(); ++i) {
    const SceneReason& reason = scene.reasons[i];
    const Stroke& stroke = kStrokes[i % std::size(kStrokes)];
    if (reason.drawn) {
      out += sample(y, fmt::format("class=\"lost key\" stroke=\"{}\" stroke-dasharray=\"{}\"", stroke.colour,
                                   stroke.dashes)
                           .c_str());
    } else {
      out += text_at(24, y, "small", "not drawn");
    }
    entry(fmt::format("{} ({} {})", reason.text, reason.count,
                      reason.count == 1 ? "combination" : "combinations"));
  }
  if (scene.left_out != 0) entry(fmt::format("{} more lines are left out", scene.left_out));
  return out;
}

std::string style_svg() {
  return fmt::format(R"(.card {{ fill: #ffffff; stroke: #c3ccd6; stroke-width: 1; }}
.host {{ font-size: 17px; font-weight: bold; }}
.small {{ font-size: 12px; fill: #44526b; }}
.node {{ font-size: 12px; font-weight: bold; fill: #44526b; }}
.bad {{ fill: #b3261e; font-weight: bold; }}
.box {{ fill: #f7fafc; stroke: #8fa1b3; stroke-width: 1; }}
.chosen-box {{ fill: #e8f2fd; stroke: {0}; stroke-width: 2; }}
.pale-box {{ fill: #eeeeee; stroke: #b5b5b5; stroke-dasharray: 4 3; }}
.name {{ font-size: 14px; font-weight: bold; }}
.address {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; }}
.words {{ font-size: 11.5px; font-style: italic; fill: #6b6b6b; }}
.pale {{ fill: #75757a; }}
.chosen {{ fill: none; stroke: {0}; stroke-width: 6; stroke-linecap: round; }}
.lost {{ fill: none; stroke-width: 1.2; opacity: 0.75; }}
.tag {{ fill: #ffffff; stroke: {0}; stroke-width: 1.5; }}
.tag-text {{ font-size: 12px; font-weight: bold; text-anchor: middle; fill: {0}; }}
)",
                     kChosenColour);
}

}  // namespace

std::string topo_svg(const TopoHost& host, const std::vector<Pairing>& pairings) {
  const Scene scene = make_scene(host, pairings);
  std::string body;
  for (const auto& card : scene.cards) body += card_svg(card, kBoxWidth + 28);
  for (const auto& heading : scene.headings) body += text_at(heading.x, heading.y, "node", heading.text);
  for (const auto& line : scene.lines) {
    if (line.reason != kChosen) body += line_svg(scene, line);
  }
  for (const auto& line : scene.lines) {
    if (line.reason == kChosen) body += line_svg(scene, line);
  }
  for (const auto& box : scene.boxes) body += box_svg(box);
  for (const auto& line : scene.lines) {
    if (line.reason == kChosen) body += label_svg(scene, line);
  }
  double height = scene.height + 40;
  body += legend_svg(scene, height);
  const std::string title =
      pairings.empty() ? "Interfaces of " + host.name : "Pairs of interfaces from " + host.name;
  return svg_document(scene.width, height, clean(title), style_svg(), body);
}

}  // namespace hawser::tools
