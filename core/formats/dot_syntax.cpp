#include "core/formats/dot_syntax.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/graphs/graph_limits.hpp"

namespace takt {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

enum class TokenKind : std::uint8_t { identifier, keyword, arrow, punctuation, end };

struct Token {
  TokenKind kind = TokenKind::end;
  /// An identifier's text, a keyword in lower case, or the punctuation itself.
  std::string text;
  Place place;
};

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[noreturn]] void refuse(Place place, const std::string& message) const {
    throw ConfigError({file_, place.line, place.column}, message);
  }

  Token next() {
    skip_blanks_and_comments();
    Token token{TokenKind::identifier, {}, here()};
    if (at_end()) return {TokenKind::end, "the end of the file", here()};
    const char c = peek();
    if (c == '"') {
      token.text = quoted();
    } else if (c == '<') {
      token.text = html();
    } else if (starts_word(c)) {
      token.text = take_while([](char each) { return starts_word(each) || is_digit(each); });
      if (const std::optional<std::string> keyword = as_keyword(token.text)) {
        token.kind = TokenKind::keyword;
        token.text = *keyword;
      }
    } else if (is_digit(c) || c == '.' || (c == '-' && (is_digit(peek(1)) || peek(1) == '.'))) {
      token.text = numeral();
    } else if (c == '-' && (peek(1) == '>' || peek(1) == '-')) {
      token.kind = TokenKind::arrow;
      token.text = {take(), take()};
    } else if (std::string_view("{}[]=;,:+").find(c) != std::string_view::npos) {
      token.kind = TokenKind::punctuation;
      token.text = take();
    } else {
      refuse(here(), fmt::format("unexpected character '{}'", printable(c)));
    }
    return token;
  }

 private:
  static std::string printable(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code >= 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }

  static std::optional<std::string> as_keyword(std::string word) {
    constexpr std::array keywords{"strict", "graph", "digraph", "node", "edge", "subgraph"};
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (std::find(keywords.begin(), keywords.end(), word) == keywords.end()) return std::nullopt;
    return word;
  }

  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  [[nodiscard]] Place here() const { return {line_, static_cast<int>(position_ - line_start_) + 1}; }

  char take() {
    const char c = text_[position_++];
    if (c == '\n') {
      ++line_;
      line_start_ = position_;
    }
    return c;
  }

  template <class Predicate>
  std::string take_while(Predicate belongs) {
    std::string taken;
    while (!at_end() && belongs(peek())) taken += take();
    return taken;
  }

  void skip_to(std::string_view end, const char* what) {
    const Place start = here();
    while (text_.substr(position_, end.size()) != end) {
      if (at_end()) refuse(start, fmt::format("{} is not closed", what));
      (void)take();
    }
    for (std::size_t i = 0; i < end.size(); ++i) (void)take();
  }

  void skip_line() {
    (void)take_while([](char c) { return c != '\n'; });
  }

  void skip_blanks_and_comments() {
    while (!at_end()) {
      if (is_blank(peek()))
        (void)take();
      else if ((peek() == '/' && peek(1) == '/') || (peek() == '#' && position_ == line_start_))
        skip_line();
      else if (peek() == '/' && peek(1) == '*')
        skip_to("*/", "a comment");
      else
        return;
    }
  }

  /// `"..."`: a backslash escapes a quote or joins lines, and is otherwise literal.
  std::string quoted() {
    const Place start = here();
    std::string result;
    (void)take();
    for (;;) {
      if (at_end()) refuse(start, "a quoted text is not closed");
      const char c = take();
      if (c == '"') return result;
      if (c == '\\' && peek() == '"')
        result += take();
      else if (c == '\\' && peek() == '\n')
        (void)take();
      else if (c == '\\' && peek() == '\\')
        (result += c) += take();
      else
        result += c;
    }
  }

  /// `<...>` with balanced brackets inside.
  std::string html() {
    const Place start = here();
    std::string result;
    for (int depth = 0;;) {
      if (at_end()) refuse(start, "an HTML text is not closed");
      const char c = take();
      result += c;
      if (c == '<') ++depth;
      if (c == '>' && --depth == 0) return result;
    }
  }

  std::string numeral() {
    const Place start = here();
    std::string result;
    if (peek() == '-') result += take();
    result += take_while(is_digit);
    if (peek() == '.') result += take();
    result += take_while(is_digit);
    if (starts_word(peek()) || result.find_first_of("0123456789") == std::string::npos)
      refuse(start,
             fmt::format("'{}' is neither a number nor a name; write it in quotes",
                         excerpt(result + take_while([](char c) { return starts_word(c) || is_digit(c); }))));
    return result;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0, line_start_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) { advance(); }

  DotSyntax parse() {
    const bool strict = accept(TokenKind::keyword, "strict");
    result_.is_undirected = accept(TokenKind::keyword, "graph");
    if (!result_.is_undirected) expect(TokenKind::keyword, "digraph");
    if (token_.kind == TokenKind::identifier) advance();
    expect(TokenKind::punctuation, "{");
    merge_edges_ = strict;
    (void)statements(Defaults{}, 0);
    if (token_.kind != TokenKind::end)
      lexer_.refuse(token_.place,
                    fmt::format("expected the end of the file, found '{}'", excerpt(token_.text)));
    return std::move(result_);
  }

 private:
  struct Defaults {
    DotAttributes node, edge;
  };

  void advance() { token_ = lexer_.next(); }
  [[nodiscard]] bool is(TokenKind kind, std::string_view text) const {
    return token_.kind == kind && token_.text == text;
  }
  bool accept(TokenKind kind, std::string_view text) {
    if (!is(kind, text)) return false;
    advance();
    return true;
  }
  void expect(TokenKind kind, std::string_view text) {
    if (!accept(kind, text))
      lexer_.refuse(token_.place, fmt::format("expected '{}', found '{}'", text, excerpt(token_.text)));
  }

  /// Parses an identifier; quoted texts joined by + are one.
  DotValue identifier(std::string_view what) {
    if (token_.kind != TokenKind::identifier)
      lexer_.refuse(token_.place, fmt::format("expected {}, found '{}'", what, excerpt(token_.text)));
    DotValue value{token_.text, token_.place};
    advance();
    while (accept(TokenKind::punctuation, "+")) {
      if (token_.kind != TokenKind::identifier)
        lexer_.refuse(token_.place,
                      fmt::format("expected a text after '+', found '{}'", excerpt(token_.text)));
      value.text += token_.text;
      advance();
    }
    return value;
  }

  using Nodes = std::vector<std::size_t>;

  /// Parses statements up to the closing brace; returns the nodes in them, each once. Defaults apply until
  /// then, also in inner groups.
  Nodes statements(Defaults defaults, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest)
      lexer_.refuse(token_.place, fmt::format("groups are nested more than {} deep", deepest));
    Nodes mentioned;
    while (!accept(TokenKind::punctuation, "}")) {
      statement(defaults, depth, mentioned);
      (void)accept(TokenKind::punctuation, ";");
    }
    std::sort(mentioned.begin(), mentioned.end());
    mentioned.erase(std::unique(mentioned.begin(), mentioned.end()), mentioned.end());
    return mentioned;
  }

  [[nodiscard]] bool at_group() const {
    return is(TokenKind::keyword, "subgraph") || is(TokenKind::punctuation, "{");
  }
  Nodes group(const Defaults& defaults, int depth) {
    if (accept(TokenKind::keyword, "subgraph") && token_.kind == TokenKind::identifier) advance();
    expect(TokenKind::punctuation, "{");
    return statements(defaults, depth + 1);
  }

  void statement(Defaults& defaults, int depth, Nodes& mentioned) {
    if (accept(TokenKind::keyword, "graph")) {
      // Attributes of an inner group do not affect the task graph.
      DotAttributes ignored;
      attribute_list(depth == 0 ? result_.attributes : ignored);
    } else if (accept(TokenKind::keyword, "node")) {
      attribute_list(defaults.node);
    } else if (accept(TokenKind::keyword, "edge")) {
      attribute_list(defaults.edge);
    } else {
      nodes_or_edges(defaults, depth, mentioned);
    }
  }

  void nodes_or_edges(const Defaults& defaults, int depth, Nodes& mentioned) {
    const bool is_group = at_group();
    Nodes from;
    if (is_group) {
      from = group(defaults, depth);
    } else {
      const DotValue name = identifier("a statement or '}'");
      if (accept(TokenKind::punctuation, "=")) {
        DotValue value = identifier("a value");
        if (depth == 0) result_.attributes.insert_or_assign(name.text, std::move(value));
        return;
      }
      from = {node(name, defaults)};
    }
    mentioned.insert(mentioned.end(), from.begin(), from.end());
    if (token_.kind == TokenKind::arrow) return edges(std::move(from), defaults, depth, mentioned);
    if (!is_group) attribute_list(result_.nodes[from.front()].attributes);
  }

  /// Parses the rest of a chain of nodes and groups: every node of one has an edge to every node of the next.
  void edges(Nodes from, const Defaults& defaults, int depth, Nodes& mentioned) {
    std::vector<std::size_t> added;
    while (token_.kind == TokenKind::arrow) {
      if (result_.is_undirected != (token_.text == "--"))
        lexer_.refuse(token_.place, result_.is_undirected
                                        ? "expected '--': the edges of a graph have no direction"
                                        : "expected '->': the edges of a digraph have a direction");
      const Place place = token_.place;
      advance();
      Nodes to =
          at_group() ? group(defaults, depth) : Nodes{node(identifier("the name of a node"), defaults)};
      if (from.size() * to.size() > largest_edge_count - std::min(largest_edge_count, result_.edges.size()))
        lexer_.refuse(place, fmt::format("more than {} edges", largest_edge_count));
      for (std::size_t a : from)
        for (std::size_t b : to)
          added.push_back(result_.is_undirected ? edge(std::min(a, b), std::max(a, b), place, defaults)
                                                : edge(a, b, place, defaults));
      mentioned.insert(mentioned.end(), to.begin(), to.end());
      from = std::move(to);
    }
    DotAttributes attributes;
    attribute_list(attributes);
    for (std::size_t each : added)
      for (const auto& [key, value] : attributes) result_.edges[each].attributes.insert_or_assign(key, value);
  }

  /// Parses a node by its name. An optional port only affects the drawing of edges.
  std::size_t node(const DotValue& name, const Defaults& defaults) {
    for (int parts = 0; parts < 2 && accept(TokenKind::punctuation, ":"); ++parts)
      (void)identifier("a port after ':'");
    const auto [entry, is_new] = nodes_.try_emplace(name.text, result_.nodes.size());
    if (is_new) result_.nodes.push_back({name.text, name.place, defaults.node});
    return entry->second;
  }

  std::size_t edge(std::size_t from, std::size_t to, Place place, const Defaults& defaults) {
    const std::size_t next = result_.edges.size();
    if (merge_edges_) {
      const auto [entry, is_new] = edges_.try_emplace({from, to}, next);
      if (!is_new) return entry->second;
    }
    result_.edges.push_back({from, to, place, defaults.edge});
    return next;
  }

  void attribute_list(DotAttributes& attributes) {
    while (accept(TokenKind::punctuation, "[")) {
      while (!accept(TokenKind::punctuation, "]")) {
        DotValue name = identifier("an attribute or ']'");
        expect(TokenKind::punctuation, "=");
        attributes.insert_or_assign(std::move(name.text), identifier("a value"));
        if (!accept(TokenKind::punctuation, ",")) (void)accept(TokenKind::punctuation, ";");
      }
    }
  }

  Lexer lexer_;
  Token token_;
  DotSyntax result_;
  bool merge_edges_ = false;
  std::unordered_map<std::string, std::size_t> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> edges_;
};

}  // namespace

DotSyntax parse_dot(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

std::string dot_identifier(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '"';
    if (text[i] == '\\' && (next == '"' || next == '\n'))
      throw ConfigError(
          fmt::format("DOT cannot express the name '{}': a backslash stands before a quote, a line "
                      "break or the end",
                      text));
    if (text[i] == '"') quoted += '\\';
    quoted += text[i];
  }
  return quoted + '"';
}

}  // namespace takt
