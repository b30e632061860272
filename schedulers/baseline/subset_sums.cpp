#include "schedulers/baseline/subset_sums.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace takt::schedulers {

SubsetSums::SubsetSums(std::span<const Time> works) {
  Time::rep unit = 0, total = 0;
  for (Time work : works) unit = std::gcd(unit, work.count()), total += work.count();
  if (unit > 0) unit_ = Time{unit};
  const auto bits = static_cast<std::size_t>(total / unit_.count()) + 1;
  if (bits <= most_bits) words_.resize((bits + 63) / 64);
  clear();
}

void SubsetSums::clear() {
  total_ = Time{0};
  if (words_.empty()) return;
  std::fill_n(words_.begin(), used_words_, 0);
  words_[0] = 1;
  used_words_ = 1;
}

void SubsetSums::add(Time work) {
  total_ += work;
  if (words_.empty() || work == Time{0}) return;
  const auto by = static_cast<std::size_t>(work / unit_);
  const std::size_t whole = by / 64, part = by % 64;
  const std::size_t before = used_words_;
  used_words_ = static_cast<std::size_t>(total_ / unit_) / 64 + 1;
  // From the top, so that no word is written before it is read.
  for (std::size_t i = used_words_; i-- > whole;) {
    const std::size_t from = i - whole;
    std::uint64_t moved = from < before ? words_[from] << part : 0;
    if (part > 0 && from > 0 && from - 1 < before) moved |= words_[from - 1] >> (64 - part);
    words_[i] |= moved;
  }
}

Time SubsetSums::largest_within(Time time) const {
  const Time most = std::min(time, total_);
  if (words_.empty()) return most / unit_ * unit_;
  const auto bit = static_cast<std::size_t>(most / unit_);
  std::size_t word = bit / 64;
  std::uint64_t left = words_[word] & (~std::uint64_t{0} >> (63 - bit % 64));
  while (left == 0) left = words_[--word];
  return unit_ * static_cast<Time::rep>(word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(left)));
}

}  // namespace takt::schedulers
