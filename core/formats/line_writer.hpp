#pragma once
/// Output of long texts: formatted in parallel, and written part by part.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace takt {

class LineWriter {
 public:
  /// Writes to the borrowed stream `out`; without one the text is kept as a whole.
  explicit LineWriter(std::ostream* out = nullptr) : out_(out) {}

  void put(std::string_view text) { text_ += text; }
  /// Appends the result of `append(text, i)` for each i below `count`, in order. For large counts several
  /// threads call it, for some thousand lines each.
  template <class Append>
  void put_lines(std::size_t count, const Append& append) {
    put_parts(count, [&append](std::string& text, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) append(text, i);
    });
  }
  /// The same for lines whose data are scattered in memory: `fetch(i)` prefetches the data of line i, some
  /// lines ahead. (Prefetching functions must be inlined: GCC otherwise removes them as calls without
  /// effect.)
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
  /// Returns the text not yet written: all of it without `out`.
  [[nodiscard]] std::string take() && { return std::move(text_); }
  /// Writes the rest.
  void flush();

 private:
  using AppendPart = std::function<void(std::string&, std::size_t begin, std::size_t end)>;
  void put_parts(std::size_t count, const AppendPart& append);

  std::ostream* out_;
  std::string text_;
};

}  // namespace takt
