#pragma once
/// Failures to do what was asked. They are thrown where they are found and caught once, in `cli`.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// A place in a text file; lines and columns count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  /// `file:line:column`, without the parts that are unknown.
  [[nodiscard]] std::string to_string() const;
};

/// The user asked for something that cannot be: a wrong option, file or configuration. Exit code 2.
/// The message says what is wrong, where, what was expected and what to do.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(const std::string& message) : std::runtime_error(message), message_(message) {}
  ConfigError(const SourceLocation& where, const std::string& message)
      : std::runtime_error(where.to_string() + ": " + message), where_(where), message_(message) {}

  /// The place, empty where the message has none, and the message without it.
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  SourceLocation where_;
  std::string message_;
};

/// The work itself failed (a rank died, a disk is full, a peer is gone). Exit code 1.
class WorkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The configuration errors of one file, all of them: collect, go on, then throw once.
class ErrorList {
 public:
  void add(const SourceLocation& where, const std::string& message);
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  /// In the order of their lines and columns, each with its place.
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
  /// Throws one ConfigError that holds every message, a line each, in order; does nothing when there is none.
  void throw_if_any() const;

 private:
  std::vector<SourceLocation> places_;
  std::vector<std::string> messages_;
};

/// `unknown kernel 'fftt'; did you mean 'fft'? (known: pass fft spin)`: the sentence for an unknown name,
/// with the nearest one (Damerau-Levenshtein distance) where one is near, and the known ones in the order
/// given.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       std::vector<std::string_view> known);

/// The beginning of a text that somebody else wrote, for a message: at most 60 characters, those that a
/// terminal would not show as themselves replaced by `?`.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace takt
