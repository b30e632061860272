#pragma once
/// Reassembly of fragmented IP payloads.

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

/// Reassembles payloads whose fragments may be in any order and interleaved. Memory is bounded: 64 payloads
/// of 64 KiB at a time, as in the Linux kernel (net.ipv4.ipfrag_high_thresh); a new payload replaces the
/// oldest one. Fragments that contradict each other belong to two payloads with one identification: both are
/// abandoned with all their fragments, since none tells which payload it belongs to. Source: RFC 5722.
class IpFragments {
 public:
  /// Adds a completely captured fragment. Returns the payload that it completes, with the protocol in the
  /// first fragment; valid until the next call. O(fragments of the payload).
  [[nodiscard]] std::optional<IpPayload> take(const IpPayload& fragment, std::optional<std::int64_t> utc_ns);
  /// Ends the capture: abandons incomplete payloads.
  void finish();

  /// Fragments captured; payloads reassembled; fragments of abandoned payloads, whose other fragments are
  /// missing, late or contradictory.
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
    /// Begins and ends of the available parts, which do not overlap.
    std::map<std::size_t, std::size_t> parts;
    std::optional<std::size_t> whole_bytes;
    std::size_t there = 0;
    /// Fragments of two payloads: no further one is taken.
    bool is_mixed = false;
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
