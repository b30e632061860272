#pragma once
/// Sources of packets, whatever their format: what all of them ask the user.

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/stage_kinds.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/transport/udp_source.hpp"

namespace takt::pipeline {

/// A format's own parameters, with `window` and `longest_gap` behind them.
[[nodiscard]] std::vector<ParameterSpec> with_assembly(std::vector<ParameterSpec> own);
[[nodiscard]] sensors::Assembly assembly_of(const Parameters& parameters);

/// What a source asks that receives over UDP, before what the format asks.
[[nodiscard]] std::vector<ParameterSpec> with_udp(const char* ports_help,
                                                  const std::vector<ParameterSpec>& own);
[[nodiscard]] sensors::UdpOptions udp_options(const Parameters& parameters);

/// The sender of such a source: `takt send` with arguments of its format, to the first of its ports or to all
/// of them, and from nobody else. None without arguments.
[[nodiscard]] EmulatedSender sender_over_udp(const Parameters& parameters, const SenderPlace& place,
                                             std::vector<std::string> arguments, bool to_all_ports = false);

/// The files that a parameter of the type `recordings` stands for. Throws ConfigError at its place.
[[nodiscard]] std::vector<std::filesystem::path> recordings_of(const Parameters& parameters,
                                                               const char* name);

/// `speed` of a recording.
[[nodiscard]] ParameterSpec replay_speed();

/// What a source asks that reads a capture of such a stream, before what the format asks.
[[nodiscard]] std::vector<ParameterSpec> with_capture(const char* ports_help,
                                                      const std::vector<ParameterSpec>& own);
/// The source that does. Throws what the format's makers throw.
[[nodiscard]] std::unique_ptr<sensors::Source> captured_source(
    const Parameters& parameters, sensors::PacketFormat format,
    const std::function<std::unique_ptr<const sensors::PacketCodec>()>& make_codec);

/// Throws OptionError where `ports` are not one.
void refuse_several_ports(const Parameters& parameters);

/// A live source of NAME_udp. What depends on the format is filled in behind.
[[nodiscard]] SourceKind live_source(const char* name, const char* summary,
                                     std::vector<ParameterSpec> parameters);
/// A source NAME_file of recorded packets.
[[nodiscard]] SourceKind recorded_source(const char* name, const char* summary,
                                         std::vector<ParameterSpec> parameters);

// The formats, a file each.
[[nodiscard]] std::vector<SourceKind> lofar_sources();
[[nodiscard]] std::vector<SourceKind> lwa_sources();
[[nodiscard]] std::vector<SourceKind> vdif_sources();
[[nodiscard]] std::vector<SourceKind> mark5b_sources();
[[nodiscard]] std::vector<SourceKind> gnuradio_sources();
[[nodiscard]] std::vector<SourceKind> spead_sources();

}  // namespace takt::pipeline
