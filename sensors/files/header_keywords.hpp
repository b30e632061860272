#pragma once
/// The treatment of each keyword of a format's header: one table per format. Its reader, its reference page,
/// `takt list keywords` and the tests use the same table, so that no keyword is omitted.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::sensors {

enum class KeywordUse : std::uint8_t {
  /// Determines how bytes, values, times or axes are read, or what is counted.
  obeyed,
  /// Describes the observation: copied to the history of the outputs (Source::description).
  carried,
  /// The reader does not support the keyword or some of its values: an error that names it.
  refused,
  /// Has no information about bytes, values or times, and none for people: padding, reserved fields.
  unused,
};

[[nodiscard]] std::string_view name_of(KeywordUse use);

struct HeaderKeyword {
  std::string_view name;
  KeywordUse use = KeywordUse::obeyed;
  /// Its meaning and the reader's action, one line of Markdown.
  std::string_view meaning;
};

/// All keywords, or fields, in the specification of a format.
struct HeaderKeywords {
  /// Name in messages: `SIGPROC`, `SigMF`.
  std::string_view format;
  /// File name of the reference page with this table: `sigproc.md`.
  std::string_view page;
  std::span<const HeaderKeyword> rows;

  /// Returns null for a keyword that is not in the table.
  [[nodiscard]] const HeaderKeyword* find(std::string_view name) const;
};

/// Returns the table in the form of a reference page.
[[nodiscard]] std::string to_markdown(const HeaderKeywords& keywords);

/// Collects the description and the warnings of a header while it is read.
class HeaderNotes {
 public:
  /// Both must outlive the object. `file` is named in warnings.
  HeaderNotes(const HeaderKeywords& keywords, std::string_view file) : keywords_(keywords), file_(file) {}

  /// Looks the keyword up in the table. A carried keyword becomes a line of the description. An unknown one
  /// is carried, too, with one warning per keyword. Returns null for an unknown keyword.
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
