#pragma once
/// Common parameters of sources of packets in all formats.

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/stage_kinds.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/transport/udp_source.hpp"

namespace takt::pipeline {

/// Returns a format's own parameters, followed by `window` and `longest_gap`.
[[nodiscard]] std::vector<ParameterSpec> with_assembly(std::vector<ParameterSpec> own);
[[nodiscard]] sensors::Assembly assembly_of(const Parameters& parameters);

/// Returns the parameters of sources over UDP, followed by those of the format.
[[nodiscard]] std::vector<ParameterSpec> with_udp(const char* ports_help,
                                                  const std::vector<ParameterSpec>& own);
[[nodiscard]] sensors::UdpOptions udp_options(const Parameters& parameters);

/// Returns the emulated sender of such a source: `takt send` with arguments of its format, to the first or to
/// all of its ports; the source then receives from this sender only. Empty without arguments.
[[nodiscard]] EmulatedSender sender_over_udp(const Parameters& parameters, const SenderPlace& place,
                                             std::vector<std::string> arguments, bool to_all_ports = false);

/// Returns the files of a parameter of type `recordings`. Throws ConfigError at its place.
[[nodiscard]] std::vector<std::filesystem::path> recordings_of(const Parameters& parameters,
                                                               const char* name);

/// Returns the parameter `speed` of a recording.
[[nodiscard]] ParameterSpec replay_speed();

/// Returns the parameters of sources of captures of such a stream, followed by those of the format.
[[nodiscard]] std::vector<ParameterSpec> with_capture(const char* ports_help,
                                                      const std::vector<ParameterSpec>& own);
/// Makes the source of a capture. Throws what the format's makers throw.
[[nodiscard]] std::unique_ptr<sensors::Source> captured_source(
    const Parameters& parameters, sensors::PacketFormat format,
    const std::function<std::unique_ptr<const sensors::PacketCodec>()>& make_codec);

/// Throws OptionError unless `ports` has one entry.
void refuse_several_ports(const Parameters& parameters);

/// Makes a live source of NAME_udp. The caller adds the parts that depend on the format.
[[nodiscard]] SourceKind live_source(const char* name, const char* summary,
                                     std::vector<ParameterSpec> parameters);
/// A source NAME_file of recorded packets.
[[nodiscard]] SourceKind recorded_source(const char* name, const char* summary,
                                         std::vector<ParameterSpec> parameters);

// Sources by format, one file each.
[[nodiscard]] std::vector<SourceKind> lofar_sources();
[[nodiscard]] std::vector<SourceKind> lwa_sources();
[[nodiscard]] std::vector<SourceKind> vdif_sources();
[[nodiscard]] std::vector<SourceKind> mark5b_sources();
[[nodiscard]] std::vector<SourceKind> gnuradio_sources();
[[nodiscard]] std::vector<SourceKind> spead_sources();

}  // namespace takt::pipeline
