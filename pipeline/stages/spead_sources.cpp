#include <fmt/format.h>

#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/spead/builder.hpp"
#include "sensors/spead/synthesis.hpp"

namespace takt::pipeline {

namespace {

std::vector<ParameterSpec> spead_parameters() {
  const auto number = [](const char* name, const char* fallback, const char* help, double most) {
    return ParameterSpec{.name = name,
                         .type = ParameterType::integer,
                         .fallback = fallback,
                         .help = help,
                         .minimum = 0,
                         .maximum = most};
  };
  return {
      {.name = "flavour",
       .fallback = "64-48",
       .help = "flavour: bits of items and of their addresses",
       .choices = {"64-48", "64-40"}},
      {.name = "order", .fallback = "little", .help = "byte order of samples", .choices = {"little", "big"}},
      number("item", "0", "identifier of the item with the samples; 0: the payload at offset", 8388607),
      {.name = "item_name",
       .fallback = "",
       .help = "name of that item instead: the stream's descriptors give its identifier"},
      {.name = "heaps",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "heaps in a frame",
       .minimum = 1,
       .maximum = 1 << 20},
      number("offset", "0", "offset of the samples in a heap's payload, in bytes", 4294967295.0),
      {.name = "heap",
       .type = ParameterType::bytes,
       .fallback = "0",
       .help = "bytes of a heap's payload; 0: offset and samples together"},
      {.name = "payload",
       .type = ParameterType::bytes,
       .fallback = "1432",
       .help = "largest payload of a packet, in bytes",
       .minimum = 1,
       .maximum = 65'000},
      {.name = "first_payload",
       .type = ParameterType::bytes,
       .fallback = "0",
       .help = "payload of a heap's first packet, which has more items, in bytes; 0: as payload"},
      number("timestamp", "0", "identifier of the item with a heap's time; 0: heap counters number the heaps",
             8388607),
      {.name = "timestamp_name",
       .fallback = "",
       .help = "name of that item instead: heaps have no times before its descriptor arrives"},
      number("heap_ticks", "0", "step from one heap's time to the next", 1e15),
      {.name = "tick_rate",
       .type = ParameterType::frequency,
       .fallback = "0",
       .help = "ticks of the time per second"},
      {.name = "since",
       .type = ParameterType::number,
       .fallback = "0",
       .help = "Unix time of the time 0, in s"}};
}

sensors::SpeadFormat spead_format(const Parameters& parameters) {
  const auto id = [&](const char* name) { return static_cast<std::uint32_t>(parameters.integer(name)); };
  sensors::SpeadFormat format;
  format.flavour = parameters.text("flavour") == "64-40" ? sensors::SpeadFlavour::spead_64_40
                                                         : sensors::SpeadFlavour::spead_64_48;
  format.frame = frame_type_of(parameters);
  format.element = format.frame.element;
  format.is_big_endian = parameters.text("order") == "big";
  format.heaps = static_cast<std::size_t>(parameters.integer("heaps"));
  format.item = id("item");
  format.offset = static_cast<std::size_t>(parameters.integer("offset"));
  format.heap_bytes = parameters.bytes("heap").count;
  format.payload_bytes = parameters.bytes("payload").count;
  format.first_payload_bytes = parameters.bytes("first_payload").count;
  format.timestamp = id("timestamp");
  format.item_name = parameters.text("item_name");
  format.timestamp_name = parameters.text("timestamp_name");
  if (format.item != 0 && !format.item_name.empty())
    parameters.refuse("item_name", "'item' and 'item_name' are given: expected one of them");
  if (format.timestamp != 0 && !format.timestamp_name.empty())
    parameters.refuse("timestamp_name", "'timestamp' and 'timestamp_name' are given: expected one of them");
  format.heap_ticks = parameters.integer("heap_ticks");
  format.ticks_per_second = parameters.frequency("tick_rate").hertz;
  format.since_s = parameters.number("since");
  return format;
}

/// Returns a sender of heaps with the samples that the source describes.
EmulatedSender spead_sender(const Parameters& parameters, const SenderPlace& place) {
  const sensors::SpeadFormat format = spead_format(parameters);
  if (format.heap_bytes > 0 || format.offset > 0) return {};
  std::vector<std::string> words{"send", "--protocol", "spead"};
  const auto option = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  option("--flavour", parameters.text("flavour"));
  option("--element", std::string(name_of(format.element)));
  if (format.is_big_endian) words.emplace_back("--big-endian");
  option("--heap", fmt::format("{}", format.sample_bytes()));
  option("--heap-rate", fmt::format("{} Hz", format.heaps_per_second()));
  option("--heap-payload", fmt::format("{}", format.payload_bytes));
  option("--first-payload", fmt::format("{}", format.first_bytes()));
  // Descriptors define the names of items; the sender chooses their numbers.
  constexpr std::uint32_t some_item = 4096, some_timestamp = 5632;
  const bool is_named = !format.item_name.empty() || !format.timestamp_name.empty();
  if (is_named && (format.item_name != "samples" && !format.item_name.empty())) return {};
  if (is_named && (format.timestamp_name != "timestamp" && !format.timestamp_name.empty())) return {};
  if (is_named) words.emplace_back("--descriptors");
  option("--item", fmt::format("{}", format.item_name.empty() ? format.item : some_item));
  if (format.has_times()) {
    option("--timestamp", fmt::format("{}", format.timestamp != 0 ? format.timestamp : some_timestamp));
    option("--heap-ticks", fmt::format("{}", format.heap_ticks));
    option("--tick-rate", fmt::format("{} Hz", format.ticks_per_second));
    option("--since", fmt::format("{}", format.since_s));
  }
  return sender_over_udp(parameters, place, std::move(words));
}

SourceKind spead_udp() {
  SourceKind kind = live_source("spead_udp", "a live SPEAD stream (64-40 or 64-48): the samples of its heaps",
                                with_udp("one or several ports, for all heaps together",
                                         with_frame_type(with_assembly(spead_parameters()))));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      return std::make_unique<sensors::UdpSource>(
          udp_options(parameters),
          sensors::spead_packets(spead_format(parameters), assembly_of(parameters), index));
    });
  };
  kind.sender = spead_sender;
  return kind;
}

SourceKind spead_pcap() {
  SourceKind kind =
      recorded_source("spead_pcap", "a capture (pcap or pcapng file) of a SPEAD stream",
                      with_capture("destination ports", with_frame_type(with_assembly(spead_parameters()))));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      const sensors::SpeadFormat format = spead_format(parameters);
      return captured_source(parameters, sensors::spead_packets(format, assembly_of(parameters), index),
                             [format] { return std::make_unique<sensors::SpeadCodec>(format, 0); });
    });
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> spead_sources() {
  return {spead_udp(), spead_pcap()};
}

}  // namespace takt::pipeline
