#include "core/formats/yaml_parser.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <streambuf>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "core/formats/yaml_fault.hpp"
#include "core/formats/yaml_lines.hpp"

namespace takt {

/// Records yaml-cpp's events.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(const std::string& text, std::string file, ErrorList& errors, const YamlLimits& limits)
      : text_(text), errors_(errors), limits_(limits) {
    tree_.entries_.clear();
    // An estimate of the number of values: a growing vector needs half as much memory again.
    const auto parts = static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return c == '\n' || c == ',' || c == ':' || c == '{' || c == '['; }));
    tree_.entries_.reserve(parts + parts / 16 + 16);
    tree_.sources_.push_back(std::move(file));
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!tree_.entries_.empty()) refuse(mark, "a second document begins here: expected one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (const std::string_view word = written(mark, "null", "Null", "NULL"); !word.empty()) {
      add_text(word, mark, anchor);
      last_null_ = mark.pos;
    } else {
      const bool is_left_out = written(mark, "~").empty();
      add({.kind = Kind::nothing, .place = is_left_out ? place_of_nothing(mark) : place(mark)}, mark, anchor);
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Anchor& target = anchors_.at(anchor);
    if (target.values == 0) refuse(mark, "an alias within its own anchor: endless");
    check_limits(mark, target.values, target.depth);
    add({.kind = Kind::alias, .place = place(mark), .first = target.entry}, mark, 0);
    values_ += target.values - 1;
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, target.depth + 1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    add_text(value, mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Kind::mapping, mark, anchor);
  }
  void OnMapEnd() override {
    remove_bad_keys(open_.back().entry);
    close();
  }

  /// Returns the position of a mark; for a null mark, the file.
  [[nodiscard]] SourceLocation where(const YAML::Mark& mark) const {
    return (mark.is_null() ? Place{} : place(mark)).in(tree_.sources_.front());
  }

  [[nodiscard]] SourceLocation where(const Place& place) const { return place.in(tree_.sources_.front()); }

  [[nodiscard]] YamlTree take() && {
    if (tree_.entries_.empty()) tree_.entries_.emplace_back();
    return std::move(tree_);
  }

 private:
  using Kind = YamlTree::Kind;
  static constexpr std::uint32_t none = YamlTree::none;

  /// A collection that has not ended yet.
  struct Open {
    std::uint32_t entry;
    std::uint32_t last = none;
    YAML::anchor_t anchor = 0;
    /// Depth of the collections nested in it.
    std::size_t depth = 0;
    /// Values before it.
    std::uint64_t values_before = 0;
  };
  /// An anchored entry: without values until it has ended.
  struct Anchor {
    std::uint32_t entry;
    std::uint64_t values;
    std::size_t depth;
  };

  static Place place(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    throw ConfigError(where(mark), message);
  }

  void check_limits(const YAML::Mark& mark, std::uint64_t values, std::size_t depth) const {
    if (open_.size() + depth > limits_.depth)
      refuse(mark, fmt::format("lists and mappings are nested more than {} deep", limits_.depth));
    if (values_ + values > limits_.values)
      refuse(mark, fmt::format("more than {} values, with aliases expanded", limits_.values));
  }

  /// Returns which of the words is at a mark; the library does not return the text of nulls.
  template <class... Word>
  [[nodiscard]] std::string_view written(const YAML::Mark& mark, Word... words) const {
    if (mark.is_null() || static_cast<std::size_t>(mark.pos) > text_.size()) return {};
    const std::string_view rest = std::string_view(text_).substr(static_cast<std::size_t>(mark.pos));
    std::string_view found;
    ((rest.starts_with(words) ? void(found = words) : void()), ...);
    return found;
  }

  /// An omitted value is reported at the position of the next one; the position of its key is more useful.
  [[nodiscard]] Place place_of_nothing(const YAML::Mark& mark) const {
    if (open_.empty()) return place(mark);
    const auto& [entry, last, anchor, depth, values] = open_.back();
    const YamlTree::Entry& collection = tree_.entries_[entry];
    return collection.kind == Kind::mapping && collection.size % 2 == 1 ? tree_.entries_[last].place
                                                                        : place(mark);
  }

  void add_text(std::string_view text, const YAML::Mark& mark, YAML::anchor_t anchor) {
    add({.kind = Kind::text,
         .place = place(mark),
         .first = place_in_texts(text, mark),
         .size = static_cast<std::uint32_t>(text.size())},
        mark, anchor);
  }

  /// Returns the position of a text in `texts_`: the last equal one, or the end. Keys repeat in every line.
  std::uint32_t place_in_texts(std::string_view text, const YAML::Mark& mark) {
    std::string& texts = tree_.texts_;
    if (texts.size() + text.size() >= none) refuse(mark, "more than four thousand million letters");
    std::uint32_t end = static_cast<std::uint32_t>(texts.size());
    if (text.empty()) return end;
    std::uint32_t& known =
        last_texts_[(text.size() * 31 + static_cast<unsigned char>(text.front())) % last_texts_.size()];
    if (std::string_view(texts).substr(known, text.size()) == text) return known;
    texts += text;
    return known = end;
  }

  std::uint32_t add(const YamlTree::Entry& entry, const YAML::Mark& mark, YAML::anchor_t anchor) {
    std::vector<YamlTree::Entry>& entries = tree_.entries_;
    check_limits(mark, 1, 0);
    ++values_;
    const auto index = static_cast<std::uint32_t>(entries.size());
    if (index == none) refuse(mark, "more than four thousand million values");
    // The word at an omitted value's position is the next one in the text.
    if (std::exchange(last_null_, -1) == mark.pos && index > 1) {
      entries.back().kind = Kind::nothing;
      entries.back().place = entries[index - 2].place;
    }
    entries.push_back(entry);
    if (anchor != 0) anchors_.insert_or_assign(anchor, Anchor{index, 1, 0});
    if (open_.empty()) return index;
    auto& [collection, last, own_anchor, depth, values] = open_.back();
    (last == none ? entries[collection].first : entries[last].next) = index;
    last = index;
    ++entries[collection].size;
    return index;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const std::uint64_t before = values_;
    const std::uint32_t entry = add({.kind = kind, .place = place(mark)}, mark, anchor);
    if (anchor != 0) anchors_.at(anchor).values = 0;
    open_.push_back({.entry = entry, .anchor = anchor, .values_before = before});
  }

  void close() {
    const Open ended = open_.back();
    open_.pop_back();
    if (!open_.empty()) open_.back().depth = std::max(open_.back().depth, ended.depth + 1);
    if (ended.anchor != 0)
      anchors_.insert_or_assign(ended.anchor,
                                Anchor{ended.entry, values_ - ended.values_before, ended.depth + 1});
  }

  /// Removes keys that are no texts, and duplicates after the first one, and reports them.
  void remove_bad_keys(std::uint32_t mapping) {
    std::vector<YamlTree::Entry>& entries = tree_.entries_;
    constexpr std::uint32_t few = 16;
    const bool has_many = entries[mapping].size > 2 * few;
    seen_.clear();
    seen_index_.clear();
    std::uint32_t before = none;
    for (std::uint32_t at = entries[mapping].first; at != none;) {
      const YamlNode key(&tree_, at);
      const std::uint32_t value = entries[at].next, next = entries[value].next;
      if (const std::string fault = fault_of(key, has_many); !fault.empty()) {
        errors_.add(key.where(), fault);
        (before == none ? entries[mapping].first : entries[before].next) = next;
        entries[mapping].size -= 2;
      } else {
        before = value;
      }
      at = next;
    }
  }

  /// Returns the fault of a key that follows the known ones; empty if there is none.
  [[nodiscard]] std::string fault_of(const YamlNode& key, bool has_many) {
    if (!key.is_text()) return fmt::format("a key must be a single value, not {}", describe(key.kind()));
    const std::string_view text = key.text();
    const YamlNode* first = nullptr;
    if (has_many) {
      const auto [known, is_new] = seen_index_.try_emplace(text, seen_.size());
      if (!is_new) first = &seen_[known->second];
    } else {
      const auto known = std::ranges::find(seen_, text, &YamlNode::text);
      if (known != seen_.end()) first = &*known;
    }
    if (first != nullptr)
      return fmt::format("the key '{}' is already at {}", excerpt(text), first->where().to_string());
    seen_.push_back(key);
    return {};
  }

  const std::string& text_;
  ErrorList& errors_;
  const YamlLimits& limits_;
  YamlTree tree_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchor> anchors_;
  /// So far, counted once per alias.
  std::uint64_t values_ = 0;
  /// Position of the last word null, if the previous value is one.
  int last_null_ = -1;
  /// Latest positions of texts, by length and first character.
  std::array<std::uint32_t, 64> last_texts_{};
  /// Keys of the mapping that ends.
  std::vector<YamlNode> seen_;
  std::unordered_map<std::string_view, std::size_t> seen_index_;
};

namespace {

/// A text as a stream, without a copy of it.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(const std::string& text) {
    char* const begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

/// Returns the position of a tab in the indentation at an error; yaml-cpp's message does not mention tabs.
std::optional<Place> tab_in_indentation(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null()) return std::nullopt;
  for (int line = 0; line <= mark.line; ++line) {
    const std::string_view content = text.substr(0, text.find('\n'));
    const std::size_t indentation = content.find_first_not_of(" \t"), tab = content.find('\t');
    if (line >= mark.line - 1 && indentation != content.npos && tab < indentation)
      return Place{line + 1, static_cast<int>(tab) + 1};
    text.remove_prefix(std::min(content.size() + 1, text.size()));
  }
  return std::nullopt;
}

/// Returns the first character that YAML does not allow unescaped. yaml-cpp treats zero as a backslash.
std::optional<std::size_t> control_character(std::string_view text) {
  const auto found = std::ranges::find_if(text, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f;
  });
  if (found == text.end()) return std::nullopt;
  return static_cast<std::size_t>(found - text.begin());
}

Place place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return {static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(at - line_begin) + 1};
}

}  // namespace

YamlTree parse_yaml(const std::string& text, std::string file, ErrorList& errors, const YamlLimits& limits) {
  YamlBuilder builder(text, std::move(file), errors, limits);
  if (text.size() >= limits.long_text && has_plain_lines(text)) {
    read_plain_lines(text, builder);
    return std::move(builder).take();
  }
  if (const std::optional<std::size_t> at = control_character(text))
    throw ConfigError(
        builder.where(place_of(text, *at)),
        fmt::format("not valid YAML: a control character (\\x{:02x}): expected text in UTF-8; in "
                    "double quotes write it as \"\\x{:02x}\"",
                    static_cast<unsigned char>(text[*at]), static_cast<unsigned char>(text[*at])));
  TextBuffer buffer(text);
  std::istream in(&buffer);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (const std::optional<Place> tab = tab_in_indentation(text, error.mark))
      throw ConfigError(builder.where(*tab), "not valid YAML: a tab in the indentation: expected spaces");
    const Place stop = error.mark.is_null() ? Place{} : Place{error.mark.line + 1, error.mark.column + 1};
    const auto [place, message] = explain_yaml_fault(text, stop, error.msg);
    throw ConfigError(builder.where(place), "not valid YAML: " + message);
  }
  return std::move(builder).take();
}

}  // namespace takt
