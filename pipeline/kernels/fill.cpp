#include "pipeline/kernels/fill.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

class Fill final : public Kernel {
 public:
  explicit Fill(const Parameters& parameters)
      : value_(parameters.text("flags") == "hold" ? sensors::Missing::hold : sensors::Missing::zero) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    missing_.emplace(type, value_);
    data_bytes_ = type.data_size().count;
    type.parts.clear();
    mask_type_ = type;
    mask_type_.element = ElementType::uint8;
    mask_type_.unit.clear();
    mask_type_.blank = 0;
    masked_ = sensors::add_side(type, "masked", "");
    return type;
  }

  [[nodiscard]] bool is_stateless() const override { return value_ != sensors::Missing::hold; }

  [[nodiscard]] std::vector<FrameType> further_outputs() override { return {mask_type_}; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameView& frame = inputs.front();
    missing_->find(frame);
    std::memcpy(output.bytes.data(), frame.bytes.data(), data_bytes_);
    missing_->fill(output.bytes.first(data_bytes_));
    output.header->missing_parts = 0;
    output.header->missing_mask = 0;
    output.header->side[masked_] =
        static_cast<double>(missing_->count()) / static_cast<double>(missing_->mask().size());
    return Outcome::produced;
  }

  Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                      std::span<FurtherOutput> further) override {
    const Outcome outcome = process(inputs, output);
    std::ranges::copy(missing_->mask(), further.front().frame.bytes.begin());
    further.front().frame.header->missing_parts = 0;
    further.front().frame.header->missing_mask = 0;
    further.front().is_given = true;
    return outcome;
  }

  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    if (is_stateless()) return std::nullopt;
    return std::vector<std::byte>(missing_->held().begin(), missing_->held().end());
  }
  void load(std::span<const std::byte> state) override {
    if (state.size() != missing_->held().size())
      throw WorkError("the saved state is not of a kernel of this kind and configuration");
    std::ranges::copy(state, missing_->held().begin());
  }

 private:
  sensors::Missing value_;
  std::optional<sensors::MissingValues> missing_;
  std::size_t data_bytes_ = 0, masked_ = 0;
  FrameType mask_type_;
};

}  // namespace

KernelKind fill_kernel() {
  return {.name = "fill",
          .summary = "replaces missing values by 0 or by the last value",
          .stateless = false,
          .further_outputs = {"mask"},
          .parameters = {{.name = "flags",
                          .fallback = "zero",
                          .help = "replacement of missing values",
                          .choices = {"zero", "hold"}}},
          .make = make_from<Fill>};
}

}  // namespace takt::pipeline
