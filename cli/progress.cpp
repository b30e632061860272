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
           "auto: a table on a terminal, else a line every ten seconds; plain: lines; none: nothing")
      .value("STYLE")
      .fallback("auto")
      .suggest({"auto", "plain", "none"});
  command.flag("--no-progress", arguments.is_off, "Same as --progress none").excludes({"--progress"});
}

}  // namespace takt::cli
