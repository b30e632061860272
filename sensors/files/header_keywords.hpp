#pragma once
/// What takt does with each keyword of a format's header: one table a format. Its reader, its reference page,
/// `takt list keywords` and the tests use the same table, so that no keyword is forgotten.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::sensors {

enum class KeywordUse : std::uint8_t {
  /// Decides how bytes, values, times or axes are read, or what is counted.
  obeyed,
  /// Describes the observation: copied to the history of the outputs (Source::description).
  carried,
  /// The reader does not support it, or does not support some of its values: an error that names it.
  refused,
  /// Says nothing about bytes, values or times, and nothing for people: padding, reserved fields.
  unused,
};

[[nodiscard]] std::string_view name_of(KeywordUse use);

struct HeaderKeyword {
  std::string_view name;
  KeywordUse use = KeywordUse::obeyed;
  /// What it means and what the reader does with it, one line of Markdown.
  std::string_view meaning;
};

/// All keywords, or fields, that the specification of a format defines.
struct HeaderKeywords {
  /// As a user reads it in messages: `SIGPROC`, `SigMF`.
  std::string_view format;
  /// File name of the reference page that shows this table: `sigproc.md`.
  std::string_view page;
  std::span<const HeaderKeyword> rows;

  /// Null for a keyword that is not in the table.
  [[nodiscard]] const HeaderKeyword* find(std::string_view name) const;
};

/// The table as a reference page shows it.
[[nodiscard]] std::string to_markdown(const HeaderKeywords& keywords);

/// Collects, while a header is read, what users are to know about it.
class HeaderNotes {
 public:
  /// Both must outlive the object. `file` is named in warnings.
  HeaderNotes(const HeaderKeywords& keywords, std::string_view file) : keywords_(keywords), file_(file) {}

  /// Looks the keyword up in the table. A carried one becomes a line of the description; an unknown one is
  /// carried, too, and becomes a warning, once for each keyword. Returns null for an unknown keyword.
  const HeaderKeyword* take(std::string_view keyword, std::string_view value);

  /// `KEYWORD: value`, in the order of the header; control characters are replaced by `?`.
  [[nodiscard]] const std::vector<std::string>& description() const { return description_; }
  /// One sentence each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

 private:
  const HeaderKeywords& keywords_;
  std::string_view file_;
  std::vector<std::string> description_, warnings_;
  std::vector<std::string> unknown_;
};

}  // namespace takt::sensors
