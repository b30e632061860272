#include "core/formats/xml_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt {

namespace {

constexpr int deepest_element = 200;

constexpr std::array<std::pair<std::string_view, char>, 5> named_entities{
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  XmlElement read() && {
    skip_between();
    if (at_end()) refuse("expected an element such as <platform>");
    XmlElement root = element(0);
    skip_between();
    if (!at_end()) refuse("expected nothing after the outermost element");
    return root;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { refuse(place_, message); }
  [[noreturn]] void refuse(Place place, const std::string& message) const {
    throw ConfigError(place.in(file_), message);
  }

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void advance(std::size_t count = 1) {
    for (; count > 0 && !at_end(); --count) {
      if (text_[at_++] == '\n')
        place_ = {place_.line + 1, 1};
      else
        ++place_.column;
    }
  }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) advance();
  }
  /// Skips up to and including the mark.
  void skip_past(std::string_view mark, const char* what) {
    const Place from = place_;
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) refuse(from, fmt::format("{} is not closed: expected {}", what, mark));
    advance(end + mark.size() - at_);
  }

  /// Skips everything up to the next tag of an element.
  void skip_between() {
    while (!at_end()) {
      if (sees("<!--"))
        skip_past("-->", "the comment");
      else if (sees("<![CDATA["))
        skip_past("]]>", "the CDATA section");
      else if (sees("<?"))
        skip_past("?>", "the instruction");
      else if (sees("<!"))
        skip_past(">", "the declaration");
      else if (sees("<"))
        return;
      else
        advance();
    }
  }

  std::string name() {
    const std::size_t from = at_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ':' || c == '.';
    };
    while (!at_end() && belongs(text_[at_])) advance();
    if (at_ == from) refuse("expected a name");
    return std::string(text_.substr(from, at_ - from));
  }

  std::string value() {
    if (!sees("\"") && !sees("'")) refuse("expected a value in quotes");
    const char quote = text_[at_];
    const Place from = place_;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(from, "the value is not closed");
    std::string_view raw = text_.substr(at_ + 1, end - at_ - 1);
    std::string result;
    while (!raw.empty()) {
      if (raw.front() == '&')
        result += entity(raw, from);
      else {
        result += raw.front();
        raw.remove_prefix(1);
      }
    }
    advance(end + 1 - at_);
    return result;
  }

  /// Consumes an entity at the front.
  char entity(std::string_view& raw, Place place) const {
    for (const auto& [text, c] : named_entities)
      if (raw.starts_with(text)) {
        raw.remove_prefix(text.size());
        return c;
      }
    int code = 0;
    std::size_t i = 2;
    for (; raw.starts_with("&#") && i < raw.size() && i < 5 && raw[i] >= '0' && raw[i] <= '9'; ++i)
      code = 10 * code + (raw[i] - '0');
    if (code == 0 || code > 127 || i >= raw.size() || raw[i] != ';')
      refuse(place, "the value has an unknown entity");
    raw.remove_prefix(i + 1);
    return static_cast<char>(code);
  }

  XmlElement element(int depth) {
    if (depth > deepest_element)
      refuse(fmt::format("elements are nested more than {} deep", deepest_element));
    XmlElement element;
    element.place = place_;
    advance();
    element.name = name();
    for (;;) {
      skip_space();
      if (at_end()) refuse(element.place, fmt::format("<{}> is not closed", element.name));
      if (sees("/>")) {
        advance(2);
        return element;
      }
      if (sees(">")) break;
      XmlAttribute attribute{{}, {}, place_};
      attribute.name = name();
      skip_space();
      if (!sees("=")) refuse(fmt::format("attribute '{}' has no value", attribute.name));
      advance();
      skip_space();
      attribute.value = value();
      if (element.find(attribute.name) != nullptr)
        refuse(attribute.place, fmt::format("attribute '{}' is given twice", attribute.name));
      element.attributes.push_back(std::move(attribute));
    }
    advance();
    for (;;) {
      skip_between();
      if (at_end()) refuse(element.place, fmt::format("<{}> is not closed", element.name));
      if (sees("</")) {
        const Place closing = place_;
        advance(2);
        if (const std::string end = name(); end != element.name)
          refuse(closing, fmt::format("</{}> ends <{}> of line {}", end, element.name, element.place.line));
        skip_space();
        if (!sees(">")) refuse("expected >");
        advance();
        return element;
      }
      element.children.push_back(this->element(depth + 1));
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  Place place_{1, 1};
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const auto entity = std::ranges::find(named_entities, c, &decltype(named_entities)::value_type::second);
    if (entity != named_entities.end())
      result += entity->first;
    else if (c == '\t' || c == '\n' || c == '\r')
      fmt::format_to(std::back_inserter(result), "&#{};", code);
    else if (code < 0x20 || code == 0x7f)
      throw ConfigError(
          fmt::format("XML cannot express the name '{}': it has a control character", excerpt(text)));
    else
      result += c;
  }
  return result;
}

XmlElement parse_xml(std::string_view text, const std::string& file) {
  return XmlReader(text, file).read();
}

}  // namespace takt
