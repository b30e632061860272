#include "core/pictures/html.hpp"

#include <fmt/format.h>

#include "core/pictures/palette.hpp"

namespace takt {

namespace {

constexpr std::string_view style = R"css(
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; background: var(--page); color: var(--ink);
       font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .15rem; }
p { margin: 0 0 .75rem; color: var(--muted); max-width: 75ch; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 1rem; align-items: start; }
section { background: var(--card); border: 1px solid var(--grid); border-radius: 8px; padding: 1rem 1.1rem; min-width: 0; }
section.wide, section.own-width { grid-column: 1 / -1; }
.scrolls { overflow-x: auto; }
/* Letters of 12 pixels stay above 10: what has no room moves within its card. */
svg { display: block; max-width: 100%; min-width: 34rem; height: auto; }
section.own-width svg { max-width: none; min-width: 0; }
:focus-visible { outline: 2px solid var(--c0); outline-offset: 1px; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .5rem; text-align: left; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--muted); font-weight: 600; }
th button { font: inherit; color: inherit; border: 0; padding: 0; background: none; cursor: pointer; text-align: inherit; }
@media (max-width: 600px), (pointer: coarse) { body { padding: .5rem; } section { padding: .5rem; } th button, summary { min-height: 2.75rem; min-width: 2.75rem; } }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.prose { white-space: normal; min-width: 20rem; }
summary { cursor: pointer; color: var(--muted); }
@media print { .scrolls { overflow: visible; } svg, section.own-width svg { min-width: 0; max-width: 100%; } section { break-inside: avoid; } }
)css";

constexpr std::string_view script = R"js(
for (const heading of document.querySelectorAll("table.sortable th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener("click", () => {
    const body = heading.closest("table").tBodies[0], column = heading.cellIndex;
    const key = row => row.cells[column].textContent, direction = heading.dataset.up ? -1 : 1;
    heading.dataset.up = direction > 0 ? "1" : "";
    const compare = (a, b) => a === b ? 0 : isNaN(a) || isNaN(b) ? (isNaN(a) - isNaN(b)) || a.localeCompare(b) : a - b;
    for (const each of heading.parentElement.cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    body.append(...[...body.rows].sort((a, b) => direction * compare(key(a), key(b))));
  });
}
)js";

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  return result;
}

std::string html_card(std::string_view title, std::string_view says, const std::string& content,
                      CardWidth width) {
  const std::string_view kind = width == CardWidth::column ? ""
                                : width == CardWidth::page ? " class=\"wide\""
                                                           : " class=\"own-width\"";
  // Wide contents scroll within the card, by keys, too; pictures have the card's name.
  const std::string name = escape_markup(title);
  std::string named = content;
  if (named.starts_with("<svg ")) named.insert(4, fmt::format(" aria-label=\"{}\"", name));
  return fmt::format(
      "<section{}>\n<h2>{}</h2>\n<p>{}</p>\n<div class=\"scrolls\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n{}</div>\n</section>\n",
      kind, name, escape_markup(says), name, named);
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>\n{}{}{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
      escape_markup(title), page_colours(), picture_style(), style, body, script);
}

}  // namespace takt
