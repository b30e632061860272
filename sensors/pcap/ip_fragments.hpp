#pragma once
/// IP payloads of which the parts were captured as fragments.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/pcap/captured_ip.hpp"

namespace takt::sensors {

/// Puts payloads together, in any order of their fragments and mixed with others. Memory is bounded: 64
/// payloads of 64 KiB at a time, as much as the Linux kernel holds (net.ipv4.ipfrag_high_thresh); the oldest
/// one is given up for a new one.
class IpFragments {
 public:
  /// A fragment that was captured whole. The payload that it completes, with the protocol that the first
  /// fragment names; valid until the next call. O(fragments of the payload).
  [[nodiscard]] std::optional<IpPayload> take(const IpPayload& fragment, std::optional<std::int64_t> utc_ns);
  /// At the end: gives up what is not whole.
  void finish();

  /// Fragments that were captured; payloads that were put together of some; fragments of payloads that were
  /// given up: others are missing, came too late or contradict them.
  Tally fragments, reassembled, unused;

 private:
  struct Key {
    std::vector<std::byte> addresses;
    std::uint32_t identification = 0;
    int protocol = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Payload {
    Key key;
    std::optional<std::int64_t> utc_ns;
    int protocol = 0;
    std::vector<std::byte> bytes;
    /// Parts that are there: where they begin and end. They do not overlap.
    std::map<std::size_t, std::size_t> parts;
    std::optional<std::size_t> whole_bytes;
    std::size_t there = 0;
  };
  using Place = std::list<Payload>::iterator;

  Payload& payload_of(Key key, std::optional<std::int64_t> utc_ns);
  void give_up(Place payload);
  [[nodiscard]] static bool contradicts(const Payload& payload, std::size_t begin, std::size_t end,
                                        bool is_last);
  [[nodiscard]] static bool has(const Payload& payload, std::size_t begin, std::span<const std::byte> bytes);

  /// The oldest one first.
  std::list<Payload> payloads_;
  std::map<Key, Place> places_;
  std::vector<std::byte> whole_;
};

}  // namespace takt::sensors
