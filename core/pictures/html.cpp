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
section { background: var(--card); border: 1px solid var(--grid); border-radius: 8px; padding: 1rem 1.1rem; overflow-x: auto; }
section.wide, section.own-width { grid-column: 1 / -1; }
svg { display: block; max-width: 100%; height: auto; }
section.own-width svg { max-width: none; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .5rem; text-align: left; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--muted); font-weight: 600; }
table.sortable th { cursor: pointer; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.prose { white-space: normal; min-width: 20rem; }
summary { cursor: pointer; color: var(--muted); }
@media print { section { break-inside: avoid; } }
)css";

constexpr std::string_view script = R"js(
for (const heading of document.querySelectorAll("table.sortable th"))
  heading.addEventListener("click", () => {
    const body = heading.closest("table").tBodies[0], column = heading.cellIndex;
    const key = row => row.cells[column].textContent, direction = heading.dataset.up ? -1 : 1;
    heading.dataset.up = direction > 0 ? "1" : "";
    const compare = (a, b) => a === b ? 0 : isNaN(a) || isNaN(b) ? (isNaN(a) - isNaN(b)) || a.localeCompare(b) : a - b;
    body.append(...[...body.rows].sort((a, b) => direction * compare(key(a), key(b))));
  });
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
  return fmt::format("<section{}>\n<h2>{}</h2>\n<p>{}</p>\n{}</section>\n", kind, escape_markup(title),
                     escape_markup(says), content);
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>\n{}{}{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
      escape_markup(title), page_colours(), picture_style(), style, body, script);
}

}  // namespace takt
