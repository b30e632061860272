#pragma once
/// Kinds of interchangeable processors.

#include <cstdint>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The processors of a machine, sorted into kinds: two of a kind have equal task times, and equal costs of
/// messages between each other and with every third one. Exchanging them in a schedule keeps all costs, so a
/// search only needs the number of used processors of each kind.
///
/// Two kinds are twins if they can be exchanged as a whole, such as two nodes with equal processors.
class ProcessorKinds {
 public:
  /// O(P) if all links are equal, O(k P^2) for k kinds otherwise; ends early when there are too many kinds
  /// for a code.
  explicit ProcessorKinds(const Workload& workload);

  /// The number of used processors of each kind, as the digits of one number.
  using Code = std::uint64_t;
  /// Returns whether every such number fits a code; otherwise kinds are incomplete and codes invalid.
  [[nodiscard]] bool fit_a_code() const { return fit_a_code_; }

  [[nodiscard]] std::size_t count() const { return members_.size(); }
  [[nodiscard]] std::size_t size(std::size_t kind) const { return members_[kind].size(); }
  [[nodiscard]] ProcessorId member(std::size_t kind, std::size_t i) const { return members_[kind][i]; }
  [[nodiscard]] ProcessorId first(std::size_t kind) const { return members_[kind].front(); }

  /// Returns the last twin before the kind, or the kind itself.
  [[nodiscard]] std::size_t twin(std::size_t kind) const { return twin_[kind]; }

  [[nodiscard]] std::size_t used(Code code, std::size_t kind) const {
    return code / places_[kind] % (members_[kind].size() + 1);
  }
  [[nodiscard]] Code take(Code code, std::size_t kind) const { return code + places_[kind]; }
  /// Returns whether one of the kind is left and may be used:
  /// of unused twins only the first one is tried.
  [[nodiscard]] bool may_take(Code code, std::size_t kind) const {
    const std::size_t taken = used(code, kind);
    return taken < members_[kind].size() && (taken > 0 || twin_[kind] == kind || used(code, twin_[kind]) > 0);
  }
  /// Returns the number of used processors of all kinds.
  [[nodiscard]] std::size_t used(Code code) const;
  /// Returns whether one uses no more processors of any kind than the other.
  [[nodiscard]] bool uses_at_most(Code code, Code other) const;

 private:
  void find_twins(const Workload& workload);

  std::vector<std::vector<ProcessorId>> members_;
  std::vector<Code> places_;
  std::vector<std::size_t> twin_;
  bool fit_a_code_ = true;
};

}  // namespace takt::schedulers
