#include "cli/progress.hpp"

#include <string_view>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace takt::cli {

ProgressStyle ProgressArguments::chosen() const {
  constexpr std::string_view known[] = {"auto", "plain", "none"};
  const std::string name = choose_format("style of progress", style, "", known);
  if (is_off || name == "none") return ProgressStyle::none;
  return name == "plain" ? ProgressStyle::plain : ProgressStyle::automatic;
}

void add_progress_options(Command& command, ProgressArguments& arguments) {
  command
      .add("--progress", arguments.style,
           "auto: a table on a terminal, a line every ten seconds elsewhere; plain: lines; none")
      .value("STYLE")
      .fallback("auto")
      .suggest({"auto", "plain", "none"});
  command.flag("--no-progress", arguments.is_off, "The same as --progress none").excludes({"--progress"});
}

}  // namespace takt::cli
