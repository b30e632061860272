#pragma once
/// Fast formatting of constants and numbers for files of millions of lines: written in place, without
/// individual bounds checks.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace takt {

/// A short constant that is copied with the size of its buffer: one or two register moves for any
/// length.
template <std::size_t room>
class Few {
 public:
  consteval explicit Few(std::string_view before, std::string_view text = {}, std::string_view after = {}) {
    for (const std::string_view part : {before, text, after})
      for (const char c : part) letters_[size_++] = c;
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  /// The buffer must have space for all bytes. Returns the end of the text.
  char* write(char* at) const {
    std::memcpy(at, letters_.data(), room);
    return at + size_;
  }

 private:
  std::array<char, room> letters_{};
  std::size_t size_ = 0;
};

/// Returns the number of decimal digits.
[[nodiscard]] inline std::size_t digits_of(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10'000; number /= 10'000) digits += 4;
  return digits + (number >= 10 ? 1 : 0) + (number >= 100 ? 1 : 0) + (number >= 1'000 ? 1 : 0);
}

/// Writes this many digits of a number; returns their end.
inline char* write_digits(char* at, std::uint64_t number, std::size_t digits) {
  static constexpr auto pairs = [] {
    std::array<char, 200> letters{};
    for (std::size_t i = 0; i < 100; ++i) {
      letters[2 * i] = static_cast<char>('0' + i / 10);
      letters[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return letters;
  }();
  char* to = at + digits;
  for (; number >= 100; number /= 100) std::memcpy(to -= 2, &pairs[2 * (number % 100)], 2);
  if (number >= 10)
    std::memcpy(to - 2, &pairs[2 * number], 2);
  else
    *--to = static_cast<char>('0' + number);
  return at + digits;
}

/// A part of a line: constants, up to six numbers and up to two short words, combined before they are
/// appended to a text.
class ShortText {
 public:
  template <std::size_t size>
  ShortText& put(const char (&constant)[size]) {
    std::memcpy(end_, constant, size - 1);
    end_ += size - 1;
    return *this;
  }
  ShortText& put(std::integral auto number) {
    auto size = static_cast<std::uint64_t>(number);
    if (std::cmp_less(number, 0)) {
      *end_++ = '-';
      size = 0 - size;
    }
    end_ = write_digits(end_, size, digits_of(size));
    return *this;
  }
  /// At most this many characters.
  static constexpr std::size_t longest_word = 32;
  ShortText& put_word(std::string_view word) {
    std::memcpy(end_, word.data(), word.size());
    end_ += word.size();
    return *this;
  }
  [[nodiscard]] std::string_view view() const {
    return {letters_.data(), static_cast<std::size_t>(end_ - letters_.data())};
  }
  void clear() { end_ = letters_.data(); }

 private:
  // A number has at most 20 characters.
  std::array<char, 320> letters_;
  char* end_ = letters_.data();
};

}  // namespace takt
