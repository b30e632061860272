#pragma once
/// The text of a program, places in it, and errors with the line and a caret as compilers print them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace takt::frontend {

/// A range of characters of a program's text; `length` 0 is an unknown place.
struct Place {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The text of a source file under the name that the user gave.
class SourceText {
 public:
  SourceText() = default;
  SourceText(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Returns the text of a place; empty for an unknown one.
  [[nodiscard]] std::string_view at(Place place) const;
  /// Returns line and column, which count from 1; only the file of an unknown place.
  [[nodiscard]] SourceLocation locate(Place place) const;
  /// Returns the line of a place, and below it a caret and tildes under the place.
  [[nodiscard]] std::string excerpt(Place place) const;

 private:
  [[nodiscard]] std::size_t line_of(std::uint32_t offset) const;

  std::string name_, text_;
  std::vector<std::uint32_t> line_starts_;
};

/// Returns a C text without its comments.
[[nodiscard]] std::string without_comments(std::string_view text);

/// A violation of a rule of programs.
struct Violation {
  Place place;
  /// The rule, as a word for programs that read errors as JSON: `single-assignment`.
  std::string rule;
  std::string message;
  /// A related place, and what it is: where the section was first written.
  Place other = {};
  std::string note = {};
  /// What to write instead; empty if there is no general advice.
  std::string rewrite = {};
};

/// The violations of one program. The message has the form of compiler errors; exit code 2.
class ProgramError : public ConfigError {
 public:
  ProgramError(const SourceText& source, std::vector<Violation> violations);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  /// Returns the violations as a JSON array of objects with file, line, column, rule, message, note, rewrite.
  [[nodiscard]] const std::string& json() const { return json_; }

 private:
  std::vector<Violation> violations_;
  std::string json_;
};

}  // namespace takt::frontend
