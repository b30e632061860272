#include "core/formats/yaml_fault.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace takt {

namespace {

/// A brace, bracket or quote and its position.
struct Mark {
  char sign = 0;
  Place place;
};

char closing(char opening) {
  return opening == '{' ? '}' : opening == '[' ? ']' : opening;
}

/// Scans the brackets and quotes of a text up to a position, or to its end.
class BracketScanner {
 public:
  BracketScanner(std::string_view text, Place stop) : text_(text), stop_(stop) {}

  void scan() {
    while (!is_done()) {
      skip_blanks();
      if (!is_done()) token();
    }
  }

  /// Brackets open at the stop, the innermost one last.
  [[nodiscard]] const std::vector<Mark>& open() const { return open_; }
  /// The quote open at the stop.
  [[nodiscard]] const std::optional<Mark>& open_quote() const { return open_quote_; }
  /// The last quoted text over several lines, and the line of its end.
  [[nodiscard]] const std::optional<std::pair<Mark, int>>& long_quote() const { return long_quote_; }

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] bool is_done() const {
    return at_end() || (stop_.line > 0 && std::pair(line_, column()) >= std::pair(stop_.line, stop_.column));
  }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_) + 1; }
  [[nodiscard]] Place here() const { return {line_, column()}; }
  [[nodiscard]] char now() const { return at_end() ? '\n' : text_[at_]; }
  [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\n'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void advance() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_begin_ = at_;
  }
  void skip_line() {
    while (!at_end() && now() != '\n') advance();
  }
  void skip_blanks() {
    while (!at_end() && (is_blank(now()) || now() == '#'))
      if (now() == '#')
        skip_line();
      else
        advance();
  }

  /// Scans a token after blanks or punctuation.
  void token() {
    const char c = now();
    if (c == '"' || c == '\'') {
      quoted();
    } else if (c == '{' || c == '[') {
      open_.push_back({c, here()});
      advance();
    } else if (c == '}' || c == ']') {
      if (!open_.empty() && closing(open_.back().sign) == c) open_.pop_back();
      advance();
    } else if (c == ',' || c == ':' || ((c == '-' || c == '?') && is_blank(next()))) {
      advance();
    } else if ((c == '|' || c == '>') && open_.empty()) {
      block();
    } else {
      plain();
    }
  }

  void quoted() {
    const Mark begin{now(), here()};
    advance();
    while (!at_end()) {
      const char c = now();
      const bool is_escape =
          (begin.sign == '"' && c == '\\') || (begin.sign == '\'' && c == '\'' && next() == c);
      advance();
      if (is_escape && !at_end())
        advance();
      else if (c == begin.sign) {
        if (line_ != begin.place.line) long_quote_ = {begin, line_};
        return;
      }
    }
    open_quote_ = begin;
  }

  /// Scans unquoted text: up to a comment, a key's colon or the end of the line; in brackets also up to their
  /// punctuation.
  void plain() {
    while (!at_end() && now() != '\n') {
      const char c = now();
      if (c == ':' && (is_blank(next()) || (!open_.empty() && (next() == ',' || next() == '}')))) return;
      if (c == '#' && is_blank(text_[at_ - 1])) return;
      if (!open_.empty() && std::string_view("{}[],").find(c) != std::string_view::npos) return;
      advance();
    }
  }

  /// Scans a block text: the lines with a larger indentation than its first one.
  void block() {
    const std::size_t own = indentation(line_begin_);
    skip_line();
    while (!at_end()) {
      const std::size_t begin = at_ + 1, indent = indentation(begin);
      const bool is_blank_line = begin + indent >= text_.size() || is_blank(text_[begin + indent]);
      if (!is_blank_line && indent <= own) return;
      advance();
      skip_line();
    }
  }
  [[nodiscard]] std::size_t indentation(std::size_t line_begin) const {
    std::size_t count = 0;
    while (line_begin + count < text_.size() && text_[line_begin + count] == ' ') ++count;
    return count;
  }

  std::string_view text_;
  Place stop_;
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
  std::vector<Mark> open_;
  std::optional<Mark> open_quote_;
  std::optional<std::pair<Mark, int>> long_quote_;
};

/// Replaces yaml-cpp's terms by those of users.
std::string plain_words(const std::string& fault) {
  constexpr auto table = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"illegal map value",
       "a ':' without a key: quote a text that contains ': ', and indent the keys of a mapping equally"},
      {"end of map not found",
       "this mapping is incomplete: expected 'key: value', indented like the keys above"},
      {"end of sequence not found", "this list is incomplete: expected '- ', indented like the lines above"},
      {"illegal block entry", "a '- ' where no list is possible: expected it in its own line below 'key:'"},
      {"illegal map key", "a key where none is possible"},
      {"the referenced anchor is not defined",
       "an alias (*name) of an anchor (&name) that is not defined above"},
      {"unknown token", "a character that cannot begin a value: quote the text"},
  });
  const auto found =
      std::ranges::find(table, std::string_view(fault), [](const auto& row) { return row.first; });
  return found == table.end() ? fault : std::string(found->second);
}

char sign_at(std::string_view text, Place place) {
  for (int line = 1; line < place.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const auto column = static_cast<std::size_t>(std::max(place.column, 1) - 1);
  return column < text.size() ? text[column] : '\n';
}

}  // namespace

YamlFault explain_yaml_fault(std::string_view text, Place stop, const std::string& fault) {
  BracketScanner before(text, stop), all(text, {});
  before.scan();
  all.scan();
  // The parser's position for an end of the file is of little use.
  const bool is_flow = fault.find("flow not found") != std::string::npos;
  const std::vector<Mark>& open = before.open().empty() && is_flow ? all.open() : before.open();
  if (all.open_quote() && (fault.find("EOF") != std::string::npos || open.empty()))
    return {
        all.open_quote()->place,
        fmt::format("the quoted text that begins here is not closed: expected {}", all.open_quote()->sign)};
  if (const auto& quote = before.long_quote(); quote && stop.line == quote->second)
    return {quote->first.place,
            fmt::format("the quoted text that begins here ends only in line {}: is its closing {} missing?",
                        quote->second, quote->first.sign)};
  if (fault == "illegal flow end" && open.empty()) return {stop, "a closing bracket without an opening one"};
  const auto is_same = [&](const Mark& mark) {
    return std::pair(mark.place.line, mark.place.column) ==
           std::pair(open.back().place.line, open.back().place.column);
  };
  const bool is_never_closed = !open.empty() && std::ranges::any_of(all.open(), is_same);
  // In brackets the parser also reports a second ':' as a missing end.
  const bool is_colon = is_flow && !is_never_closed && sign_at(text, stop) == ':';
  const bool is_open =
      is_never_closed || (!open.empty() && !is_colon && (is_flow || fault == "illegal flow end"));
  if (is_open) {
    const auto& [sign, place] = open.back();
    return {place, fmt::format("this '{}' is not closed{}: expected '{}'", sign,
                               stop.line > place.line ? fmt::format(" before line {}", stop.line) : "",
                               closing(sign))};
  }
  return {stop, plain_words(is_colon ? "illegal map value" : fault)};
}

}  // namespace takt
