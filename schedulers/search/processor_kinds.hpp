#pragma once
/// Processors that stand for each other.

#include <cstdint>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The processors of a machine, sorted into kinds: two of a kind take the same times, and cost the same in
/// messages to and from each other and every third one. So a schedule stays one, with the same costs, when
/// they are exchanged, and a search only needs to know how many of each kind are used.
///
/// Two kinds are twins when they can be exchanged as a whole, such as two nodes with equal processors.
class ProcessorKinds {
 public:
  /// O(P) where all links are equal, O(k P^2) for k kinds otherwise; ends early when the kinds are too many
  /// for a code.
  explicit ProcessorKinds(const Workload& workload);

  /// How many processors of each kind are used, as the digits of one number.
  using Code = std::uint64_t;
  /// Whether every such number fits a code. If not, only some kinds are known, and no code may be used.
  [[nodiscard]] bool fit_a_code() const { return fit_a_code_; }

  [[nodiscard]] std::size_t count() const { return members_.size(); }
  [[nodiscard]] std::size_t size(std::size_t kind) const { return members_[kind].size(); }
  [[nodiscard]] ProcessorId member(std::size_t kind, std::size_t i) const { return members_[kind][i]; }
  [[nodiscard]] ProcessorId first(std::size_t kind) const { return members_[kind].front(); }

  /// The last twin before the kind, or the kind itself.
  [[nodiscard]] std::size_t twin(std::size_t kind) const { return twin_[kind]; }

  [[nodiscard]] std::size_t used(Code code, std::size_t kind) const {
    return code / places_[kind] % (members_[kind].size() + 1);
  }
  [[nodiscard]] Code take(Code code, std::size_t kind) const { return code + places_[kind]; }
  /// Whether one of the kind is left, and the kind need not wait for its twin: of twins of which none is used
  /// yet, only the first one is tried.
  [[nodiscard]] bool may_take(Code code, std::size_t kind) const {
    const std::size_t taken = used(code, kind);
    return taken < members_[kind].size() && (taken > 0 || twin_[kind] == kind || used(code, twin_[kind]) > 0);
  }
  /// How many processors of all kinds are used.
  [[nodiscard]] std::size_t used(Code code) const;
  /// Whether one uses no more processors of any kind than the other.
  [[nodiscard]] bool uses_no_more(Code code, Code other) const;

 private:
  void find_twins(const Workload& workload);

  std::vector<std::vector<ProcessorId>> members_;
  std::vector<Code> places_;
  std::vector<std::size_t> twin_;
  bool fit_a_code_ = true;
};

}  // namespace takt::schedulers
