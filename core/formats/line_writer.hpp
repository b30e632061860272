#pragma once
/// Long texts of many lines: written by all threads, and handed on part by part.

#include <algorithm>
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
  /// The same, where lines say what lies anywhere in memory: `fetch(i)` asks for what line i needs, of some
  /// lines before the first of them is written. (Functions of prefetches have to be inlined: GCC takes them
  /// for such without effect.)
  template <class Append, class Fetch>
  void put_lines(std::size_t count, const Append& append, const Fetch& fetch) {
    put_parts(count, [&append, &fetch](std::string& text, std::size_t begin, std::size_t end) {
      constexpr std::size_t lines_ahead = 32;
      for (std::size_t i = begin; i < end;) {
        const std::size_t last = std::min(i + lines_ahead, end);
        for (std::size_t next = i; next < last; ++next) fetch(next);
        for (; i < last; ++i) append(text, i);
      }
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
