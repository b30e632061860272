#include "core/formats/yaml_lines.hpp"

#include <array>
#include <string>

#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/mark.h>

namespace takt {

namespace {

constexpr bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether a character may occur in a word; a table, since it is queried for a hundred million characters.
constexpr auto in_words = [] {
  std::array<bool, 256> in{};
  for (std::size_t c = 0; c < in.size(); ++c)
    in[c] = is_alphanumeric(static_cast<char>(c)) || c == '.' || c == '+' || c == '-' || c == '/';
  return in;
}();

bool is_in_word(char c) {
  return in_words[static_cast<unsigned char>(c)];
}

/// Largest nesting of collections on a line: deeper ones are left to yaml-cpp.
constexpr int most_nested = 8;
/// yaml-cpp rejects keys of more than a thousand characters.
constexpr std::size_t longest_word = 500;

/// Reads a text line by line; without a handler only to check the form.
class LineReader {
 public:
  LineReader(std::string_view text, YAML::EventHandler* handler) : text_(text), handler_(handler) {}

  bool read() {
    skip_blank_lines();
    if (at_ == text_.size()) return false;
    if (handler_ != nullptr) {
      handler_->OnDocumentStart(mark());
      handler_->OnMapStart(mark(), "", 0, YAML::EmitterStyle::Block);
    }
    while (at_ < text_.size()) {
      if (!read_entry()) return false;
      skip_blank_lines();
    }
    if (handler_ != nullptr) {
      handler_->OnMapEnd();
      handler_->OnDocumentEnd();
    }
    return true;
  }

 private:
  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  [[nodiscard]] YAML::Mark mark() const {
    YAML::Mark mark;
    mark.pos = static_cast<int>(at_);
    mark.line = line_;
    mark.column = static_cast<int>(at_ - line_begin_);
    return mark;
  }

  bool take(char expected) {
    if (at_ >= text_.size() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// Consumes the end of a line, with preceding blanks.
  bool end_line() {
    skip_spaces();
    if (at_ == text_.size()) return true;
    if (text_[at_] != '\n') return false;
    ++at_;
    ++line_;
    line_begin_ = at_;
    return true;
  }
  void skip_blank_lines() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      skip_spaces();
      if (at_ < text_.size() && text_[at_] != '\n') {
        at_ = begin;
        return;
      }
      (void)end_line();
    }
  }

  /// Reads `key: word`, or `key:` and the lines of a list.
  bool read_entry() {
    if (at_ != line_begin_ || !read_word() || !take(':')) return false;
    if (now() == ' ') {
      skip_spaces();
      if (now() != '\n') return read_value(0) && end_line();
    }
    return end_line() && read_list();
  }

  bool read_list() {
    skip_blank_lines();
    skip_spaces();
    const std::size_t indentation = at_ - line_begin_;
    if (now() != '-') return false;
    if (handler_ != nullptr) handler_->OnSequenceStart(mark(), "", 0, YAML::EmitterStyle::Block);
    for (bool is_first = true;; is_first = false) {
      if (!is_first) {
        skip_blank_lines();
        const std::size_t begin = at_;
        skip_spaces();
        if (at_ == text_.size() || at_ - line_begin_ != indentation || now() != '-') {
          // Another entry of the mapping, at the margin, or another form.
          if (at_ < text_.size() && (at_ != line_begin_ || now() == '-')) return false;
          at_ = begin;
          break;
        }
      }
      if (!take('-') || !take(' ')) return false;
      skip_spaces();
      if (now() != '{' && now() != '[') return false;
      if (!read_value(0) || !end_line()) return false;
    }
    if (handler_ != nullptr) handler_->OnSequenceEnd();
    return true;
  }

  bool read_value(int depth) {
    if (now() == '{') return depth < most_nested && read_mapping(depth);
    if (now() == '[') return depth < most_nested && read_flow_list(depth);
    return read_word();
  }

  bool read_mapping(int depth) {
    if (handler_ != nullptr) handler_->OnMapStart(mark(), "", 0, YAML::EmitterStyle::Flow);
    take('{');
    do {
      skip_spaces();
      if (!read_word() || !take(':') || now() != ' ') return false;
      skip_spaces();
      if (!read_value(depth + 1)) return false;
      skip_spaces();
    } while (take(','));
    if (!take('}')) return false;
    if (handler_ != nullptr) handler_->OnMapEnd();
    return true;
  }

  bool read_flow_list(int depth) {
    if (handler_ != nullptr) handler_->OnSequenceStart(mark(), "", 0, YAML::EmitterStyle::Flow);
    take('[');
    do {
      skip_spaces();
      if (!read_value(depth + 1)) return false;
      skip_spaces();
    } while (take(','));
    if (!take(']')) return false;
    if (handler_ != nullptr) handler_->OnSequenceEnd();
    return true;
  }

  /// Reads a plain word.
  bool read_word() {
    const std::string_view word = plain_word(text_.substr(at_));
    if (word.empty()) return false;
    if (handler_ != nullptr) handler_->OnScalar(mark(), "?", 0, std::string(word));
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  YAML::EventHandler* handler_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 0;
};

}  // namespace

std::string_view plain_word(std::string_view text) {
  const auto letter = [text](std::size_t at) { return at < text.size() ? text[at] : '\n'; };
  // A negative number begins with its sign.
  const std::size_t first = letter(0) == '-' ? 1 : 0;
  if (!is_alphanumeric(letter(first))) return {};
  std::size_t end = first;
  while (is_in_word(letter(end))) ++end;
  const std::string_view word = text.substr(0, end);
  const char next = letter(end);
  if (next != ' ' && next != '\n' && next != ',' && next != '}' && next != ']' && next != ':') return {};
  // Two words with a blank between them are one value.
  if (next == ' ') {
    std::size_t after = end;
    while (letter(after) == ' ') ++after;
    const char c = letter(after);
    if (c != '\n' && c != ',' && c != '}' && c != ']') return {};
  }
  if (word.size() > longest_word || word == "null" || word == "Null" || word == "NULL") return {};
  return word;
}

bool has_plain_lines(std::string_view text) {
  return LineReader(text, nullptr).read();
}

void read_plain_lines(std::string_view text, YAML::EventHandler& handler) {
  (void)LineReader(text, &handler).read();
}

}  // namespace takt
