#include "pipeline/calls/memory_check.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

constexpr std::byte untouched{0xa5};

std::uint64_t digest(const FrameView& frame) {
  const std::hash<std::string_view> hash;
  const auto of = [&](const void* begin, std::size_t bytes) {
    return hash({static_cast<const char*>(begin), bytes});
  };
  return of(frame.header, sizeof(FrameHeader)) * 31 + of(frame.bytes.data(), frame.bytes.size());
}

void expect_untouched(std::span<const std::byte> guard, std::string_view where) {
  const auto first = std::ranges::find_if(guard, [](std::byte byte) { return byte != untouched; });
  if (first == guard.end()) return;
  const auto last =
      std::find_if(guard.rbegin(), guard.rend(), [](std::byte byte) { return byte != untouched; });
  throw WorkError(fmt::format("wrote {}: bytes {} to {} of the {} there", where, first - guard.begin(),
                              guard.rend() - last - 1, guard.size()));
}

}  // namespace

MemoryCheck::MemoryCheck(Bytes largest_output) : memory_(1, Bytes{largest_output.count + 2 * guard_bytes}) {}

FrameBuffer MemoryCheck::begin(std::span<const FrameView> inputs, const FrameBuffer& output) {
  digests_.clear();
  for (const FrameView& input : inputs) digests_.push_back(digest(input));
  const std::span<std::byte> all = memory_.frame(0).first(output.bytes.size() + 2 * guard_bytes);
  std::ranges::fill(all.first(guard_bytes), untouched);
  std::ranges::fill(all.last(guard_bytes), untouched);
  header_.before.fill(untouched);
  header_.behind.fill(untouched);
  header_.header = *output.header;
  return {&header_.header, all.subspan(guard_bytes, output.bytes.size())};
}

void MemoryCheck::end(std::span<const FrameView> inputs, const FrameBuffer& output) {
  const std::span<std::byte> all = memory_.frame(0).first(output.bytes.size() + 2 * guard_bytes);
  expect_untouched(all.first(guard_bytes), "before the beginning of its output");
  expect_untouched(all.last(guard_bytes), "past the end of its output");
  expect_untouched(header_.before, "before its output's header");
  expect_untouched(header_.behind, "after its output's header");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (digest(inputs[i]) != digests_[i])
      throw WorkError(fmt::format("wrote into its input {}, which other tasks may read", i));
  *output.header = header_.header;
  std::memcpy(output.bytes.data(), all.data() + guard_bytes, output.bytes.size());
}

}  // namespace takt::pipeline
