#include "core/pictures/palette.hpp"

#include <fmt/format.h>

namespace takt {

namespace {

constexpr std::string_view dark_screens = "@media (prefers-color-scheme: dark) {\n";

/// Returns a rule for filling, and one for lines, of each colour.
std::string rules(std::string_view Colour::*shade) {
  std::string css;
  for (const Colour& colour : palette)
    css += fmt::format(".f-{0} {{ fill: {1}; }} .s-{0} {{ stroke: {1}; }}\n", colour.name, colour.*shade);
  return css;
}

std::string variables(std::string_view Colour::*shade) {
  std::string css = ":root {";
  for (const Colour& colour : palette) css += fmt::format(" --{}: {};", colour.name, colour.*shade);
  return css + " }\n";
}

}  // namespace

const std::string& picture_style() {
  // No CSS variables: converters do not support them.
  static const std::string css = fmt::format(
      "svg {{ font: 12px system-ui, -apple-system, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; }}\n"
      "path {{ fill: none; }}\n{}{}{}}}\n",
      rules(&Colour::light), dark_screens, rules(&Colour::dark));
  return css;
}

const std::string& page_colours() {
  static const std::string css =
      fmt::format(":root {{ color-scheme: light dark; }}\n{}{}{}}}\n", variables(&Colour::light),
                  dark_screens, variables(&Colour::dark));
  return css;
}

std::string picture_file(const std::string& svg) {
  const std::size_t inside = svg.find('>', svg.find("<svg")) + 1;
  return fmt::format("{}\n<style>\n{}</style>\n<rect width=\"100%\" height=\"100%\" class=\"f-card\"/>{}",
                     std::string_view(svg).substr(0, inside), picture_style(),
                     std::string_view(svg).substr(inside));
}

}  // namespace takt
