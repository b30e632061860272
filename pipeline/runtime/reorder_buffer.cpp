#include "pipeline/runtime/reorder_buffer.hpp"

#include <algorithm>
#include <utility>

#include "core/copy_out.hpp"

namespace takt::pipeline {

namespace {

Bytes largest(const std::vector<std::size_t>& bytes) {
  return Bytes{bytes.empty() ? 0 : std::ranges::max(bytes)};
}

}  // namespace

ReorderBuffer::ReorderBuffer(std::size_t frames, std::vector<std::size_t> output_bytes)
    : output_bytes_(std::move(output_bytes)),
      frames_(frames),
      memory_(frames * output_bytes_.size(), largest(output_bytes_)) {
  for (Frame& frame : frames_) {
    frame.outputs.resize(output_bytes_.size());
    frame.headers.resize(output_bytes_.size());
  }
}

void ReorderBuffer::keep(std::uint64_t number, std::span<const Datum> outputs) {
  const std::size_t place = (first_ + count_) % frames_.size();
  Frame& frame = frames_[place];
  frame.number = number;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    frame.outputs[i] = outputs[i];
    if (!outputs[i].present) continue;
    std::byte* const copy = memory_.frame(place * outputs.size() + i).data();
    copy_out(copy, outputs[i].bytes, output_bytes_[i]);
    frame.headers[i] = *outputs[i].header;
    frame.outputs[i].header = &frame.headers[i];
    frame.outputs[i].bytes = copy;
  }
  ++count_;
}

void ReorderBuffer::drop_oldest() {
  first_ = (first_ + 1) % frames_.size();
  --count_;
}

}  // namespace takt::pipeline
