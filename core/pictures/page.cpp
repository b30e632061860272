#include "core/pictures/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/html.hpp"
#include "core/pictures/packed.hpp"
#include "core/pictures/page_bundle.hpp"

namespace takt {

namespace {

const PageBundle& bundle_or_error() {
  const PageBundle& bundle = page_bundle();
  if (bundle.script.empty())
    throw WorkError(
        "this takt was built without pages: use --format svg, csv, dot or text, or install nodejs and npm, "
        "configure and rebuild");
  return bundle;
}

std::string policy(const PageBundle& bundle) {
  return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:",
                     bundle.script_hash, bundle.style_hash);
}

/// A script element ends at `</script` and has further special marks; `<` occurs in JSON within texts
/// only.
std::string inside_script(std::string_view json) {
  std::string inside;
  inside.reserve(json.size());
  for (const char letter : json)
    if (letter == '<')
      inside += "\\u003c";
    else
      inside += letter;
  return inside;
}

/// Returns the data element of a page; large data are compressed if smaller, for faster transfer.
std::string data_element(std::string_view json) {
  constexpr std::size_t much = 256 * 1024;
  if (json.size() >= much)
    if (const std::string small = packed(json); small.size() < json.size())
      return fmt::format("<script type=\"application/x-takt-packed\" id=\"takt\">{}</script>\n", small);
  return fmt::format("<script type=\"application/json\" id=\"takt\">{}</script>\n", inside_script(json));
}

std::string document(const PageBundle& bundle, std::string_view title, std::string_view meta,
                     std::string_view data) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n<noscript>This page draws with "
      "JavaScript, which is off.</noscript>\n{}<script>{}</script>\n</body>\n</html>\n",
      meta, escape_markup(title), bundle.style, data, bundle.script);
}

}  // namespace

Page only_pictures(Page page, std::span<const std::string> names) {
  if (names.empty()) return page;
  std::vector<std::string> known;
  for (const View& view : page.views)
    known.push_back(nlohmann::ordered_json::parse(view)["name"].get<std::string>());
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw ConfigError(unknown_name("picture", name, {known.begin(), known.end()}));
  std::vector<View> chosen;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (std::ranges::find(names, known[i]) != names.end()) chosen.push_back(std::move(page.views[i]));
  page.views = std::move(chosen);
  return page;
}

std::string page_json(const Page& page) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  for (const PageFact& fact : page.facts) facts.push_back({fact.name, fact.value, fact.meaning});
  const auto text = [](const auto& value) {
    return nlohmann::ordered_json(value).dump(-1, ' ', false,
                                              nlohmann::ordered_json::error_handler_t::replace);
  };
  std::string data = fmt::format(R"({{"format":"takt-view/1","title":{},"says":{},"facts":{},"views":[)",
                                 text(page.title), text(page.says), text(facts));
  for (std::size_t i = 0; i < page.views.size(); ++i) data += (i > 0 ? "," : "") + page.views[i];
  return data + "]}";
}

std::string to_html(const Page& page) {
  const PageBundle& bundle = bundle_or_error();
  return document(
      bundle, page.title,
      fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy(bundle)),
      data_element(page_json(page)));
}

std::string live_page() {
  return document(bundle_or_error(), "takt", "", "");
}

std::string live_page_policy() {
  return policy(bundle_or_error()) + "; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";
}

}  // namespace takt
