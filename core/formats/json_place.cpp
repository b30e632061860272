#include "core/formats/json_place.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace takt {

namespace {

/// Characters of a text, counted as the parser consumes them.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  CountingIterator() = default;
  CountingIterator(const char* at, std::size_t& count) : at_(at), count_(&count) {}
  char operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  std::size_t* count_ = nullptr;
};

/// Follows the parser and stops it at the wanted value.
class Finder : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// Without a wanted value, the parser continues to its end or its first error.
  explicit Finder(const std::optional<std::string>& wanted) {
    if (!wanted) return;
    wanted_.emplace(*wanted);
    wanted_depth_ = static_cast<std::size_t>(std::count(wanted->begin(), wanted->end(), '/'));
  }

  [[nodiscard]] bool found() const { return found_; }
  /// Number of characters consumed before an error.
  [[nodiscard]] std::size_t error_position() const { return error_position_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override {
    if (!value()) return false;
    open_.push_back({false, 0, {}});
    return true;
  }
  bool start_array(std::size_t) override {
    if (!value()) return false;
    open_.push_back({true, 0, {}});
    return true;
  }
  bool key(string_t& name) override {
    open_.back().key = name;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    error_position_ = position;
    return false;
  }

 private:
  struct Container {
    bool is_array;
    /// Number of elements begun, for an array.
    std::size_t begun;
    /// Last key, for an object.
    std::string key;
  };

  bool value() {
    if (!open_.empty() && open_.back().is_array) ++open_.back().begun;
    // Only paths of the right depth are compared.
    if (!wanted_ || open_.size() != wanted_depth_) return true;
    nlohmann::json::json_pointer here;
    for (const Container& container : open_)
      here.push_back(container.is_array ? std::to_string(container.begun - 1) : container.key);
    found_ = here == *wanted_;
    return !found_;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::optional<nlohmann::json::json_pointer> wanted_;
  std::size_t wanted_depth_ = 0;
  std::vector<Container> open_;
  bool found_ = false;
  std::size_t error_position_ = 0;
};

/// Returns the line of the character after `taken` characters.
Place line_after(std::string_view text, std::size_t taken) {
  const std::string_view before = text.substr(0, taken);
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), 0};
}

}  // namespace

Place place_in_json(std::string_view text, const std::string& pointer) {
  std::size_t taken = 0;
  Finder finder(pointer);
  (void)nlohmann::json::sax_parse(CountingIterator(text.data(), taken),
                                  CountingIterator(text.data() + text.size(), taken), &finder);
  if (!finder.found() || taken == 0) return {};
  // The parser has consumed the value's last character, or, for a number, the next one.
  return line_after(text, taken - 1);
}

Place place_of_json_error(std::string_view text) {
  Finder finder(std::nullopt);
  (void)nlohmann::json::sax_parse(text.begin(), text.end(), &finder);
  return finder.error_position() > 0 ? line_after(text, finder.error_position() - 1) : Place{};
}

void refuse_json(std::string_view text, const std::string& file, const nlohmann::json::exception& error) {
  // The library's message begins with its own error name.
  const std::string_view what = error.what();
  const std::size_t start = std::min(what.find("] ") + 2, what.size());
  throw ConfigError({file, place_of_json_error(text).line},
                    fmt::format("not valid JSON: {}", what.substr(start)));
}

}  // namespace takt
