#include "sensors/pcap/ip_fragments.hpp"

#include <algorithm>
#include <utility>

namespace takt::sensors {

namespace {

constexpr std::size_t most_payloads = 64;
/// The largest payload of an IP packet.
constexpr std::size_t most_payload_bytes = 65'535;
/// Fragments of a packet are sent back to back. The 16 bits of an identification repeat after 1.3 s at 50,000
/// packets/s: fragments with a larger distance belong to two payloads.
constexpr std::int64_t longest_wait_ns = 1'000'000'000;

}  // namespace

std::optional<IpPayload> IpFragments::take(const IpPayload& fragment, std::optional<std::int64_t> utc_ns) {
  fragments.add();
  const std::size_t begin = fragment.offset, end = begin + fragment.whole_bytes;
  // All but the last one are multiples of 8 bytes.
  if (fragment.whole_bytes == 0 || end > most_payload_bytes ||
      (fragment.more_follow && fragment.whole_bytes % 8 != 0)) {
    unused.add();
    return {};
  }
  Key key{.addresses = {fragment.addresses.begin(), fragment.addresses.end()},
          .identification = fragment.identification,
          // Fragments of IPv6 contain the next protocol: only the first one's is relevant.
          .protocol = fragment.addresses.size() > 8 ? 0 : fragment.protocol};
  Payload& payload = payload_of(std::move(key), utc_ns);
  if (payload.is_mixed || has(payload, begin, fragment.bytes)) {
    unused.add();
    return {};
  }
  if (contradicts(payload, begin, end, !fragment.more_follow)) {
    unused.add(payload.parts.size() + 1);
    payload.parts.clear();
    payload.is_mixed = true;
    payload.utc_ns = utc_ns;
    return {};
  }
  if (begin == 0) payload.protocol = fragment.protocol;
  if (!fragment.more_follow) payload.whole_bytes = end;
  payload.bytes.resize(std::max(payload.bytes.size(), end));
  std::ranges::copy(fragment.bytes, payload.bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  payload.parts.emplace(begin, end);
  payload.there += end - begin;
  if (payload.there != payload.whole_bytes) return {};
  reassembled.add();
  whole_ = std::move(payload.bytes);
  const IpPayload whole{.protocol = payload.protocol,
                        .bytes = whole_,
                        .whole_bytes = whole_.size(),
                        .is_fragment = true,
                        .addresses = fragment.addresses};
  const Place place = places_.at(payload.key);
  places_.erase(place->key);
  payloads_.erase(place);
  return whole;
}

void IpFragments::finish() {
  while (!payloads_.empty()) give_up(payloads_.begin());
}

IpFragments::Payload& IpFragments::payload_of(Key key, std::optional<std::int64_t> utc_ns) {
  if (const auto found = places_.find(key); found != places_.end()) {
    const std::optional<std::int64_t> begun = found->second->utc_ns;
    if (!begun || !utc_ns || *utc_ns - *begun <= longest_wait_ns) return *found->second;
    give_up(found->second);
  }
  if (payloads_.size() == most_payloads) give_up(payloads_.begin());
  payloads_.push_back({.key = key, .utc_ns = utc_ns});
  places_.emplace(std::move(key), std::prev(payloads_.end()));
  return payloads_.back();
}

void IpFragments::give_up(Place payload) {
  unused.add(payload->parts.size());
  places_.erase(payload->key);
  payloads_.erase(payload);
}

/// Reports whether a fragment is a duplicate. Different bytes at the same place belong to another payload.
bool IpFragments::has(const Payload& payload, std::size_t begin, std::span<const std::byte> bytes) {
  const auto found = payload.parts.find(begin);
  return found != payload.parts.end() && found->second == begin + bytes.size() &&
         std::ranges::equal(std::span(payload.bytes).subspan(begin, bytes.size()), bytes);
}

/// Reports whether a part overlaps others, or lies beyond the end.
bool IpFragments::contradicts(const Payload& payload, std::size_t begin, std::size_t end, bool is_last) {
  if (payload.whole_bytes && (end > *payload.whole_bytes || is_last)) return true;
  if (is_last && payload.bytes.size() > end) return true;
  const auto after = payload.parts.lower_bound(begin);
  if (after != payload.parts.end() && after->first < end) return true;
  return after != payload.parts.begin() && std::prev(after)->second > begin;
}

}  // namespace takt::sensors
