#include "cli/progress.hpp"

#include <string_view>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace takt::cli {

ProgressStyle ProgressArguments::chosen() const {
  return is_off ? ProgressStyle::none : progress_style(style);
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
