#include "pipeline/tasking/conflicts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace takt::tasking {

void ConflictFinder::note(Step step, const void* address, std::size_t bytes, bool writes, Locks locks) {
  if (bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  std::ranges::sort(locks);
  uses_.push_back({begin, begin + bytes, step, writes, std::move(locks)});
}

/// Pairs of uses that overlap, of different owners, of which one writes, without a common lock.
std::vector<ConflictFinder::Pair> ConflictFinder::overlapping() const {
  std::vector<std::size_t> by_begin(uses_.size());
  for (std::size_t i = 0; i < by_begin.size(); ++i) by_begin[i] = i;
  std::ranges::sort(by_begin, {}, [this](std::size_t use) { return uses_[use].begin; });
  const auto share_a_lock = [](const Locks& a, const Locks& b) {
    Locks both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return !both.empty();
  };
  std::vector<Pair> pairs;
  // Readers are not compared with each other.
  std::vector<std::size_t> open_readers, open_writers;
  for (const std::size_t use : by_begin) {
    const Use& own = uses_[use];
    const auto compare = [&](std::vector<std::size_t>& open) {
      std::erase_if(open, [&](std::size_t each) { return uses_[each].end <= own.begin; });
      for (const std::size_t each : open) {
        const Use& other = uses_[each];
        if (owners_[other.step] != owners_[own.step] && !share_a_lock(other.locks, own.locks))
          pairs.emplace_back(each, use);
      }
    };
    compare(open_writers);
    if (own.writes) compare(open_readers);
    (own.writes ? open_writers : open_readers).push_back(use);
  }
  return pairs;
}

/// Whether one of the two comes before the other. Reachability from 512 steps at a time.
std::vector<bool> ConflictFinder::are_ordered(const std::vector<Pair>& pairs) const {
  const std::size_t steps = owners_.size();
  std::vector<std::uint32_t> open(steps), topological;
  for (const auto& list : after_)
    for (const Step each : list) ++open[each];
  for (Step step = 0; step < steps; ++step)
    if (open[step] == 0) topological.push_back(step);
  for (std::size_t i = 0; i < topological.size(); ++i)
    for (const Step each : after_[topological[i]])
      if (--open[each] == 0) topological.push_back(each);
  std::vector<std::uint32_t> place(steps);
  for (std::uint32_t i = 0; i < topological.size(); ++i) place[topological[i]] = i;

  // By the place of the earlier one of each pair.
  struct Question {
    std::uint32_t from, to;
    std::size_t pair;
  };
  std::vector<Question> questions;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [from, to] =
        std::minmax(place[uses_[pairs[i].first].step], place[uses_[pairs[i].second].step]);
    questions.push_back({from, to, i});
  }
  std::ranges::sort(questions, {}, &Question::from);
  constexpr std::uint32_t word = 64, words = 8, block = word * words;
  std::vector<std::array<std::uint64_t, words>> reached(steps);
  std::vector<bool> ordered(pairs.size());
  for (std::size_t next = 0; next < questions.size();) {
    const std::uint32_t first = questions[next].from / block * block;
    std::fill(reached.begin() + first, reached.end(), std::array<std::uint64_t, words>{});
    for (std::uint32_t at = first; at < topological.size(); ++at) {
      if (at < first + block) reached[at][(at - first) / word] |= std::uint64_t{1} << ((at - first) % word);
      for (const Step each : after_[topological[at]])
        for (std::uint32_t i = 0; i < words; ++i) reached[place[each]][i] |= reached[at][i];
    }
    for (; next < questions.size() && questions[next].from < first + block; ++next) {
      const std::uint32_t bit = questions[next].from - first;
      ordered[questions[next].pair] = (reached[questions[next].to][bit / word] >> (bit % word) & 1U) != 0;
    }
  }
  return ordered;
}

std::vector<ConflictFinder::Conflict> ConflictFinder::find() const {
  const std::vector<Pair> pairs = overlapping();
  const std::vector<bool> ordered = are_ordered(pairs);
  std::vector<Conflict> found;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (ordered[i]) continue;
    const Use *first = &uses_[pairs[i].first], *second = &uses_[pairs[i].second];
    if (owners_[second->step] < owners_[first->step]) std::swap(first, second);
    const std::uintptr_t begin = std::max(first->begin, second->begin);
    found.push_back({owners_[first->step], owners_[second->step], first->writes, second->writes, begin,
                     std::min(first->end, second->end) - begin});
  }
  std::ranges::sort(found, {}, [](const Conflict& each) {
    return std::tuple(each.first, each.second, each.begin, each.bytes);
  });
  std::vector<Conflict> merged;
  for (const Conflict& each : found) {
    if (!merged.empty()) {
      Conflict& last = merged.back();
      if (last.first == each.first && last.second == each.second && each.begin <= last.begin + last.bytes) {
        last.bytes = std::max(last.bytes, each.begin + each.bytes - last.begin);
        last.first_writes = last.first_writes || each.first_writes;
        last.second_writes = last.second_writes || each.second_writes;
        continue;
      }
    }
    merged.push_back(each);
  }
  return merged;
}

}  // namespace takt::tasking
