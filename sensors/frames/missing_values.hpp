#pragma once
/// Detection and replacement of missing values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// The replacement: 0, the last value at the same position of all other axes (0 at first), NaN, or the type's
/// blank value for integers (FrameType::blank).
enum class Missing : std::uint8_t { zero, hold, nan, blank };

/// The user's choice for missing values.
struct MissingPolicy {
  Missing value = Missing::zero;
  /// Whether a mask accompanies the data: one byte per value, 1 if it is missing.
  bool mask = false;
};

/// Returns the accepted names: `zero`, `hold`, `nan` (one of them), and `mask`.
[[nodiscard]] const std::vector<std::string>& missing_names();

/// Parses the user's choice; `usual` if the names contain no value. Throws ConfigError for several
/// values.
[[nodiscard]] MissingPolicy parse_missing(const std::vector<std::string>& names, Missing usual);

/// Returns how missing elements arrive: NaN, or FrameType::blank for integers.
[[nodiscard]] Missing missing_as_received(ElementType element);

/// Fills the elements of a floating-point type with NaN.
void fill_with_nan(ElementType type, std::span<std::byte> elements);

/// Reports whether any value is NaN; memory-bound.
[[nodiscard]] bool any_nan(std::span<const float> values);

/// Reports whether any element of a frame is NaN; false for integers. A complex element with one NaN part
/// becomes NaN in both, as kernels expect of missing elements (numpy writes nan + 0j). O(elements),
/// memory-bound.
[[nodiscard]] bool find_nan(const FrameType& type, std::span<std::byte> elements);

/// Marks NaN elements in the header for sources of external floating-point values, so that kernels treat them
/// as missing, like lost packets. A frame consists of its header's parts in order; parts with NaN are missing
/// (find_nan). Returns whether there were any.
bool mark_nan(const FrameType& type, std::span<std::byte> frame, FrameHeader& header);

/// The missing elements of frames of one type: floating-point elements that are NaN (in any part), and
/// integers whose part is flagged, in frames whose header counts missing parts. Frames must be passed in
/// stream order.
class MissingValues {
 public:
  /// Throws ConfigError if integers are to be NaN.
  MissingValues(const FrameType& type, Missing value);

  /// Finds the missing elements of the frame; O(elements) if there are any.
  void find(const FrameView& frame);
  /// Treats all elements of the frame as missing.
  void find_lost();
  /// Returns the number of missing elements in the last frame.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Returns a mask over the elements of that frame, in order, 1 for missing ones.
  [[nodiscard]] std::span<const std::byte> mask() const { return mask_; }
  /// Replaces the missing values in `elements` of the last frame, and keeps the values needed by `hold`. O(1)
  /// if nothing is missing and nothing held.
  void fill(std::span<std::byte> elements);
  /// Clears the held values, for a new file or epoch.
  void forget();
  /// Returns the last element at each position, for `hold`; empty otherwise. The continuation of a stream
  /// takes them over.
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
  /// The last element at each position, if values are held.
  std::vector<std::byte> held_;
};

}  // namespace takt::sensors
