#pragma once
/// One kernel on the test bench: made from written parameters, fed with frames.

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline::test {

/// Memory for one frame, aligned as the runtime's is.
class FrameMemory {
 public:
  explicit FrameMemory(const FrameType& type);

  [[nodiscard]] FrameView view() const { return {&header_, {bytes_.get(), size_}}; }
  [[nodiscard]] FrameBuffer buffer() { return {&header_, {bytes_.get(), size_}}; }
  [[nodiscard]] FrameHeader& header() { return header_; }

  template <class Element>
  [[nodiscard]] std::span<Element> as() {
    return buffer().as<Element>();
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::size_t size_;
  std::unique_ptr<std::byte[], Free> bytes_;
  FrameHeader header_;
};

/// `[a, b]` is a list.
using Written = std::vector<std::pair<std::string, std::string>>;

/// The parameters of a specification with these values; throws ConfigError on any error.
[[nodiscard]] Parameters make_parameters(const std::vector<ParameterSpec>& specification,
                                         const Written& written);

class KernelBench {
 public:
  /// A built-in kernel, configured. Throws what its configuration throws.
  KernelBench(const std::string& kernel, const Written& written, std::vector<FrameType> inputs);

  [[nodiscard]] const FrameType& output_type() const { return output_type_; }
  /// The frames to fill before `process`, one an input.
  [[nodiscard]] FrameMemory& input(std::size_t index = 0) { return inputs_[index]; }
  /// What the last `process` or `finish` gave.
  [[nodiscard]] FrameMemory& output() { return *output_; }

  /// As the runtime does it: the output's header begins as a copy of the first input's.
  Outcome process();
  Outcome finish() { return kernel_->finish(output_->buffer()); }
  /// From now on another object of the kind, configured alike, which has loaded what this one keeps; not
  /// where the kernel says that it keeps nothing.
  void hand_over();

 private:
  [[nodiscard]] std::unique_ptr<Kernel> make(FrameType& output) const;

  const KernelKind* kind_;
  Written written_;
  std::vector<FrameType> types_;
  FrameType output_type_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<FrameMemory> inputs_;
  std::optional<FrameMemory> output_;
};

/// Axes with sizes and no coordinates.
[[nodiscard]] FrameType frame_type(ElementType element,
                                   std::initializer_list<std::pair<std::string, std::size_t>> axes);

/// Spectra of float32.
[[nodiscard]] FrameType spectra(std::size_t times, std::size_t channels);

}  // namespace takt::pipeline::test
