#include "core/pictures/html.hpp"

#include <fmt/format.h>

namespace takt {

namespace {

// Series colours: Okabe and Ito's palette, distinct for the colour-blind, lightened for dark screens.
constexpr std::string_view style = R"css(
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --ink: #1d2330; --muted: #5d6678; --line: #dde1e8; --heat: #d55e00; --good: #009e73;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #b8860b; --c5: #56a4d8; --c6: #6b4fa0; --c7: #5d6678;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151b; --card: #1b2029; --ink: #e4e8ef; --muted: #97a1b3; --line: #323947; --heat: #ff8a3d; --good: #2fd3a3;
    --c0: #4da6e0; --c1: #ff8a3d; --c2: #2fd3a3; --c3: #e39ac2; --c4: #e6b84d; --c5: #8fc8f0; --c6: #a78be0; --c7: #97a1b3;
  }
}
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; background: var(--page); color: var(--ink);
       font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .15rem; }
p { margin: 0 0 .75rem; color: var(--muted); max-width: 75ch; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 1rem; align-items: start; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.1rem; overflow-x: auto; }
section.wide { grid-column: 1 / -1; }
svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
svg text { fill: var(--ink); }
svg text.muted { fill: var(--muted); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--muted); stroke-width: 1; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .5rem; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--muted); font-weight: 600; }
table.sortable th { cursor: pointer; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.best { color: var(--good); font-weight: 600; }
td.error { white-space: normal; min-width: 20rem; color: var(--heat); }
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

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
      escape_markup(title), style, body, script);
}

}  // namespace takt
