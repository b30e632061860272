#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/text_fill.hpp"

namespace takt::cli {

namespace {

constexpr std::size_t columns = text_columns, help_column = 26;

std::string help_text(const Argument& argument) {
  std::string text = argument.help();
  if (argument.is_option() && argument.may_repeat()) text += " (may be given several times)";
  if (!argument.fallback_text().empty()) text += fmt::format(" [{}]", argument.fallback_text());
  return text;
}

/// Returns `takt plan [OPTIONS] --machine MACHINE GRAPH...`.
std::string usage(const Command& command) {
  std::string text = fmt::format("takt {} [OPTIONS]", command.name());
  for (const Argument& argument : command.arguments())
    if (argument.is_option() && argument.is_required()) text += " " + synopsis(argument);
  for (const Argument& argument : command.arguments())
    if (!argument.is_option())
      text += fmt::format(fmt::runtime(argument.is_required() ? " {}" : " [{}]"), synopsis(argument));
  return text;
}

/// Returns the headings of the arguments, in their order.
std::vector<std::string> groups_of(const Command& command) {
  std::vector<std::string> groups;
  for (const Argument& argument : command.arguments())
    if (argument.is_option() && std::ranges::find(groups, argument.group_name()) == groups.end())
      groups.push_back(argument.group_name());
  return groups;
}

std::string lines_of(const Argument& argument) {
  const std::string left = "  " + synopsis(argument);
  std::string text = left;
  if (left.size() + 2 > help_column) text += '\n';
  text += std::string(help_column - (text.ends_with('\n') ? 0 : left.size()), ' ');
  return text + fill(help_text(argument), columns - help_column, help_column) + '\n';
}

// ---- Man pages

/// Escapes text for roff: no line begins with a control character, and backslashes are literal.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string man_header(const std::string& title, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"takt {}\" \"takt\"\n.SH NAME\n{} \\- {}\n", title, TAKT_VERSION,
                     roff(title), roff(summary));
}

/// Formats notes and examples, with their line ends.
std::string man_lines(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += fmt::format(".nf\n{}\n.fi\n.PP\n", roff(text));
  return result;
}

// ---- Completion

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names{"--help"};
  for (const Argument& argument : command.arguments())
    if (argument.is_option()) names.push_back(argument.name());
  return names;
}

/// Returns a case of bash's `case $previous in`.
std::string bash_case(std::string_view before, const std::vector<std::string>& words) {
  return fmt::format("        {}) words=\"{}\" ;;\n", before, fmt::join(words, " "));
}

/// Returns the completions after an option with a value, or after a word with suggestions. Without words,
/// bash completes file names.
std::string bash_values(const Command& command) {
  std::string cases;
  for (const Argument& argument : command.arguments()) {
    std::string names = argument.names();
    std::ranges::replace(names, ',', '|');
    if (argument.is_option() && !argument.is_flag()) cases += bash_case(names, argument.suggestions());
    for (const auto& [word, words] : argument.suggestions_after()) cases += bash_case(word, words);
  }
  return cases;
}

/// Returns the completions where no value must follow: options after a dash, otherwise the command's words.
std::string bash_command(const Command& command) {
  std::vector<std::string> plain;
  for (const Argument& argument : command.arguments())
    if (!argument.is_option())
      plain.insert(plain.end(), argument.suggestions().begin(), argument.suggestions().end());
  return fmt::format(
      "    {})\n"
      "      case $previous in\n{}"
      "        *) case $current in -*) words=\"{}\" ;; *) words=\"{}\" ;; esac ;;\n"
      "      esac ;;\n",
      command.name(), bash_values(command), fmt::join(option_names(command), " "), fmt::join(plain, " "));
}

std::string bash_script(std::span<const Command> commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const Command& command : commands) {
    names.push_back(command.name());
    cases += bash_command(command);
  }
  // bash splits --option=value into three words.
  return fmt::format(
      "# Completion of takt for bash: source <(takt completion bash)\n"
      "_takt() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words\n"
      "  if [ \"$previous\" = = ]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n"
      "  if [ \"$current\" = = ]; then current=; fi\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words=\"{} --help --version\"\n"
      "  else\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _takt takt\n",
      fmt::join(names, " "), cases);
}

/// Escapes text within single quotes of fish.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("'\\", at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string fish_script(std::span<const Command> commands) {
  std::string script = "# Completion of takt for fish: takt completion fish | source\n";
  for (const Command& command : commands) {
    script += fmt::format("complete -c takt -n __fish_use_subcommand -a {} -d '{}'\n", command.name(),
                          quoted(command.summary()));
    const std::string condition = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name());
    for (const Argument& argument : command.arguments()) {
      if (!argument.is_option()) {
        if (!argument.suggestions().empty())
          script +=
              fmt::format("complete -c takt {} -a '{}'\n", condition, fmt::join(argument.suggestions(), " "));
        for (const auto& [word, words] : argument.suggestions_after())
          script += fmt::format(
              "complete -c takt -n '__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}' -a "
              "'{}'\n",
              command.name(), word, fmt::join(words, " "));
        continue;
      }
      script += fmt::format("complete -c takt {} -l {} -d '{}'", condition, argument.name().substr(2),
                            quoted(argument.help()));
      if (!argument.is_flag()) script += " -r";
      if (!argument.suggestions().empty())
        script += fmt::format(" -a '{}'", fmt::join(argument.suggestions(), " "));
      script += '\n';
    }
  }
  return script;
}

}  // namespace

std::string synopsis(const Argument& argument) {
  if (!argument.is_option())
    return fmt::format("{}{}", argument.value_name(), argument.may_repeat() ? "..." : "");
  std::string names = argument.names();
  if (const std::size_t comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  if (!argument.text_without_value().empty()) return fmt::format("{}[={}]", names, argument.value_name());
  return argument.is_flag() ? names : fmt::format("{} {}", names, argument.value_name());
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", fill(command.summary(), columns),
                                 fill(usage(command), columns - 7, 7));
  std::string plain;
  for (const Argument& argument : command.arguments())
    if (!argument.is_option()) plain += lines_of(argument);
  if (!plain.empty()) text += "\nArguments\n" + plain;
  for (const std::string& group : groups_of(command)) {
    text += fmt::format("\n{}\n", group);
    for (const Argument& argument : command.arguments())
      if (argument.is_option() && argument.group_name() == group) text += lines_of(argument);
  }
  for (const std::string& note : command.notes()) text += fmt::format("\n{}\n", fill(note, columns));
  if (!command.examples().empty()) text += "\nExamples\n";
  for (const std::string& example : command.examples()) text += fmt::format("  {}\n", example);
  return text;
}

std::string program_help(std::span<const Command> commands) {
  std::string text = fmt::format("takt: {}\n\nUsage: takt COMMAND [OPTIONS] ...\n\nCommands\n",
                                 fill(program_summary, columns - 6));
  for (const Command& command : commands)
    text += fmt::format("  {:<12}{}\n", command.name(), fill(command.summary(), columns - 14, 14));
  return text +
         "\nOptions\n"
         "  --help      This text; takt COMMAND --help explains a command\n"
         "  --version   Print the version and exit\n";
}

std::string command_man_page(const Command& command) {
  std::string text = man_header("takt-" + command.name(), command.summary());
  text += fmt::format(".SH SYNOPSIS\n{}\n", roff(usage(command)));
  std::string plain;
  const auto entry = [](const Argument& argument) {
    return fmt::format(".TP\n.B {}\n{}\n", roff(synopsis(argument)), roff(help_text(argument)));
  };
  for (const Argument& argument : command.arguments())
    if (!argument.is_option()) plain += entry(argument);
  if (!plain.empty()) text += ".SH ARGUMENTS\n" + plain;
  for (const std::string& group : groups_of(command)) {
    text += fmt::format(".SH {}\n", roff(group));
    for (const Argument& argument : command.arguments())
      if (argument.is_option() && argument.group_name() == group) text += entry(argument);
  }
  if (!command.notes().empty()) text += ".SH NOTES\n" + man_lines(command.notes());
  if (!command.examples().empty()) text += ".SH EXAMPLES\n" + man_lines(command.examples());
  return text + ".SH SEE ALSO\n.BR takt (1)\n";
}

std::string program_man_page(std::span<const Command> commands) {
  std::string text = man_header("takt", program_summary);
  text += ".SH SYNOPSIS\ntakt COMMAND [OPTIONS] ...\n.SH COMMANDS\n";
  for (const Command& command : commands)
    text += fmt::format(".TP\n.BR takt\\-{} (1)\n{}\n", roff(command.name()), roff(command.summary()));
  return text +
         ".SH EXIT STATUS\n0 done, 1 the work failed or a check found violations, 2 the command line or a "
         "file is wrong, 128 + signal after a crash.\n";
}

std::string completion_script(std::string_view shell, std::span<const Command> commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh")
    return "# Completion of takt for zsh: source <(takt completion zsh)\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw ConfigError(unknown_name("shell", shell, {"bash", "zsh", "fish"}));
}

}  // namespace takt::cli
