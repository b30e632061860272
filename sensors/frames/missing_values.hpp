#pragma once
/// What stands in the place of values that are missing, and which ones are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// 0, what was there last at the same place of all other axes (0 at first), NaN, or, of integers, what their
/// type says (FrameType::blank).
enum class Missing : std::uint8_t { zero, hold, nan, blank };

/// What a user wants of them.
struct MissingPolicy {
  Missing value = Missing::zero;
  /// Whether what is missing is told beside the data: a byte for each value, 1 where it is missing.
  bool mask = false;
};

/// What users may write: `zero`, `hold`, `nan` (one of them), and `mask`.
[[nodiscard]] const std::vector<std::string>& missing_names();

/// What a user wrote; where none of the values is among the names, it is `usual`. Throws ConfigError when
/// several values are.
[[nodiscard]] MissingPolicy parse_missing(const std::vector<std::string>& names, Missing usual);

/// How missing elements come: NaN, or FrameType::blank of integers.
[[nodiscard]] Missing as_it_comes(ElementType element);

/// At the speed of memory.
[[nodiscard]] bool any_nan(std::span<const float> values);

/// Whether any of a frame's elements is NaN; false of integers. Of complex ones of which a part is, both
/// become NaN, as kernels expect of what is missing (numpy writes nan + 0j). O(elements), at the speed of
/// memory.
[[nodiscard]] bool find_nan(const FrameType& type, std::span<std::byte> elements);

/// For sources of floating-point values that others made: lets the header tell of NaN among the elements, so
/// that kernels take them for missing, as those of lost packets. A frame is its header's parts one after the
/// other; those that hold NaN are missing (find_nan). Whether there was any.
bool mark_nan(const FrameType& type, std::span<std::byte> frame, FrameHeader& header);

/// Of frames of one type: floating-point elements that are NaN (of which a part is NaN) and integers whose
/// part is flagged, in frames whose header tells of missing parts. Frames are given in the order of the
/// stream.
class MissingValues {
 public:
  /// Throws ConfigError where integers shall be NaN.
  MissingValues(const FrameType& type, Missing value);

  /// Finds what is missing of the frame; O(elements) where something is.
  void find(const FrameView& frame);
  /// As if nothing of the frame had come.
  void find_lost();
  /// How many elements are missing of the frame that was looked at last.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Of each element of that frame, in their order, 1 where it is missing.
  [[nodiscard]] std::span<const std::byte> mask() const { return mask_; }
  /// Puts values in the place of those that are missing of the frame that was looked at last, which these are
  /// the elements of; keeps what `hold` needs. O(1) where nothing is missing and nothing held.
  void fill(std::span<std::byte> elements);
  /// What was held is forgotten: another file, another epoch.
  void forget();
  /// The last element of each place, for `hold`; empty otherwise. Whoever goes on with the stream takes it
  /// over.
  [[nodiscard]] std::span<std::byte> held() { return held_; }
  [[nodiscard]] std::span<const std::byte> held() const { return held_; }

 private:
  template <class Action>
  void for_each_run(Action action) const;
  void find_nan(const FrameView& frame);
  void find_flags(const FrameView& frame);
  void fill_held(std::span<std::byte> elements);
  void fill_alike(std::span<std::byte> elements);

  const FrameType type_;
  const Missing value_;
  const std::size_t element_bytes_;
  std::vector<std::byte> mask_;
  std::size_t count_ = 0;
  /// The last element of each place, where they are held.
  std::vector<std::byte> held_;
};

}  // namespace takt::sensors
