#pragma once
/// The command `takt view`: what its files share.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace takt::cli {

struct ViewArguments {
  std::vector<std::string> files;
  /// `key=value`, for a recording's source.
  std::vector<std::string> settings;
  /// Names of the requested pictures; empty: all, or the most important one.
  std::vector<std::string> pictures;
  std::string format, output, pipeline;
  /// In partitions of data.
  std::optional<std::size_t> processors;
  bool is_followed = false, is_edited = false;

  [[nodiscard]] const std::string& file() const { return files.front(); }
  [[nodiscard]] std::size_t owners() const { return processors.value_or(4); }
  [[nodiscard]] std::string choose(std::string_view what,
                                   std::initializer_list<std::string_view> known) const {
    return choose_format(what, format, output, {known.begin(), known.size()});
  }
};

/// Returns what the arguments ask for: a page, the data of a page if the file is edited, or a text.
[[nodiscard]] std::string show(const ViewArguments& arguments);

/// Returns true for a trace.graph of a SCHEDULE program, or another file that is named or begins as one.
[[nodiscard]] bool is_unit_trace(const std::string& file);
/// Returns `m.yaml` for `m.yaml:verify`; other texts stay unchanged.
[[nodiscard]] std::string file_of_machine(const std::string& text);

/// Serves the page of a trace until its button `quit`, or a signal, ends it.
void follow_unit_trace(const ViewArguments& arguments);
/// Serves the page of a text file with an editor, until its button `quit`, or a signal, ends it.
void edit_file(const ViewArguments& arguments);

}  // namespace takt::cli
