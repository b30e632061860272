#include "pipeline/program/blocks.hpp"

#include <algorithm>
#include <cstring>

namespace takt::pipeline {

namespace {

class Redistribution final : public Kernel {
 public:
  Redistribution(const FrameType& frame, const Box& wanted, const std::vector<Box>& pieces)
      : type_(type_of(frame, wanted)) {
    for (const Box& piece : pieces) copies_.emplace_back(piece, wanted, size_of(frame.element));
  }

  FrameType configure(std::span<const FrameType> /*inputs*/) override { return type_; }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      copies_[i].run(inputs[i].bytes.data(), output.bytes.data());
    return Outcome::produced;
  }

 private:
  FrameType type_;
  std::vector<BoxCopy> copies_;
};

}  // namespace

Box whole_frame(const FrameType& type) {
  Box box;
  for (const Axis& axis : type.axes) box.push_back({0, axis.size});
  return box;
}

Box box_of(const FrameType& type, std::size_t axis, std::size_t members, std::size_t member) {
  Box box = whole_frame(type);
  box[axis] = block_of(type.axes[axis].size, members, member);
  return box;
}

Box intersection(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    both.push_back({std::max(a[d].begin, b[d].begin), std::min(a[d].end, b[d].end)});
    if (both.back().begin >= both.back().end) return {};
  }
  return both;
}

FrameType type_of(const FrameType& type, const Box& box) {
  FrameType part = type;
  for (std::size_t d = 0; d < box.size(); ++d) {
    Axis& axis = part.axes[d];
    if (!axis.coordinates.empty())
      axis.coordinates = {axis.coordinates.begin() + static_cast<std::ptrdiff_t>(box[d].begin),
                          axis.coordinates.begin() + static_cast<std::ptrdiff_t>(box[d].end)};
    axis.size = box[d].size();
  }
  return part;
}

BoxCopy::BoxCopy(const Box& from, const Box& to, std::size_t element) {
  const Box both = intersection(from, to);
  // From the fastest axis on: a run extends while both boxes contain all of the axes within it.
  std::size_t from_stride = element, to_stride = element;
  bool is_run = true;
  run_ = element;
  for (std::size_t d = both.size(); d-- > 0;) {
    from_ += (both[d].begin - from[d].begin) * from_stride;
    to_ += (both[d].begin - to[d].begin) * to_stride;
    if (is_run)
      run_ *= both[d].size();
    else if (both[d].size() > 1)
      loops_.push_back({both[d].size(), from_stride, to_stride});
    is_run = is_run && both[d] == from[d] && both[d] == to[d];
    from_stride *= from[d].size();
    to_stride *= to[d].size();
  }
  if (both.empty() && !from.empty()) run_ = 0;
  std::ranges::reverse(loops_);
}

void BoxCopy::copy(std::size_t depth, const std::byte* from, std::byte* to) const {
  if (depth == loops_.size()) {
    std::memcpy(to, from, run_);
    return;
  }
  const Loop& loop = loops_[depth];
  for (std::size_t i = 0; i < loop.count; ++i) copy(depth + 1, from + i * loop.from, to + i * loop.to);
}

std::unique_ptr<Kernel> redistribution_kernel(const FrameType& frame, const Box& wanted,
                                              const std::vector<Box>& pieces) {
  return std::make_unique<Redistribution>(frame, wanted, pieces);
}

}  // namespace takt::pipeline
