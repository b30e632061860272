#pragma once
/// Failures to do what was asked. They are thrown where they are detected and caught once, in `cli`.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace takt {

/// A position in a text file; lines and columns count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  /// Returns `file:line:column`, without the unknown parts.
  [[nodiscard]] std::string to_string() const;
};

/// An impossible request of the user: a wrong option, file or configuration. Exit code 2. The message
/// contains what is wrong, where, what was expected and what to do.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(const std::string& message) : std::runtime_error(message), message_(message) {}
  ConfigError(const SourceLocation& where, const std::string& message)
      : std::runtime_error(where.to_string() + ": " + message), where_(where), message_(message) {}

  /// Return the position, empty if the message has none, and the message without it.
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

/// Collects all configuration errors of one file, to throw them once. Keeps the first hundred and counts the
/// others, as in a file written wrongly by a program.
class ErrorList {
 public:
  void add(const SourceLocation& where, const std::string& message);
  void add(const ConfigError& error) { add(error.where(), error.message()); }
  /// Runs the action; returns whether it succeeded. Adds its ConfigError to the list.
  template <class Action>
  bool attempt(Action&& action) {
    try {
      std::forward<Action>(action)();
      return true;
    } catch (const ConfigError& error) {
      add(error);
      return false;
    }
  }

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const { return messages_.size() + more_; }
  /// Returns them in the order of their lines and columns, each with its position.
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
  /// Throws one ConfigError with all messages in order, a line each; does nothing if there are none.
  void throw_if_any() const;

 private:
  std::vector<SourceLocation> places_;
  std::vector<std::string> messages_;
  /// Errors that are only counted.
  std::size_t more_ = 0;
};

/// Returns the sentence for an unknown name: `unknown kernel 'fftt'; did you mean 'fft'? (known: pass fft
/// spin)`. Names the nearest known name (Damerau-Levenshtein distance) if one is near, and the known ones in
/// the given order.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       std::vector<std::string_view> known);

/// Returns the beginning of an external text for a message: at most 60 characters, with unprintable ones
/// replaced by `?`.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace takt
