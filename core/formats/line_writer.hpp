#pragma once
/// Long texts of many lines: written by all threads, and handed on part by part.

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace takt {

class LineWriter {
 public:
  /// Hands on to `out`, which it borrows; without one the text is kept as a whole.
  explicit LineWriter(std::ostream* out = nullptr) : out_(out) {}

  void put(std::string_view text) { text_ += text; }
  /// Appends what `append(text, i)` appends for each i below `count`, in order. Of many it is called by
  /// several threads, for some thousand at a time.
  template <class Append>
  void put_lines(std::size_t count, const Append& append) {
    put_parts(count, [&append](std::string& text, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) append(text, i);
    });
  }
  /// What was not handed on yet: all of it, without `out`.
  [[nodiscard]] std::string take() && { return std::move(text_); }
  /// Hands on what is left.
  void flush();

 private:
  using AppendPart = std::function<void(std::string&, std::size_t begin, std::size_t end)>;
  void put_parts(std::size_t count, const AppendPart& append);

  std::ostream* out_;
  std::string text_;
};

}  // namespace takt
