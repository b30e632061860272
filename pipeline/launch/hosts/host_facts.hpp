#pragma once
/// Facts about a host before a run: plain data, sent as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/launch/jobs/network_address.hpp"

namespace takt::pipeline {

/// A file that each host must have.
struct WantedFile {
  std::string path;
  /// True if its contents must match, false if it only must be readable.
  bool is_compared = false;
};

/// Question to a host.
struct HostQuestion {
  /// Working directory of the run.
  std::string folder;
  std::vector<WantedFile> files;
  /// True if MPI is started, too, to check that the hosts can communicate.
  bool tries_mpi = false;
};

struct HostFile {
  std::string path;
  /// Why it cannot be read; empty if it can.
  std::string fault;
  /// For compared files.
  std::optional<std::uint64_t> digest;
};

/// Limits of the operating system; nothing if unknown.
struct HostLimits {
  /// Largest receive buffer of a socket (net.core.rmem_max), and memory that a process may lock, in bytes.
  std::optional<std::uint64_t> socket_buffer, locked_memory;
  std::optional<std::uint64_t> open_files, free_memory, shared_memory;
  /// `always`, `madvise` or `never`: when the kernel provides huge pages.
  std::string huge_pages;
  /// True if there are InfiniBand or RoCE adapters, which lock memory.
  bool has_verbs = false;
};

struct HostFacts {
  std::string host;
  /// Version of takt, and digest of the program's file.
  std::string version;
  std::optional<std::uint64_t> program;
  /// `Open MPI v4.1.4`, `Linux 6.1.0`, `Intel(R) Xeon(R) Gold 6130`.
  std::string mpi, system, processor;
  /// Numbers of the processors that takt may use.
  std::vector<std::size_t> processors;
  /// Why the working directory cannot be used; empty if it can.
  std::string folder_fault;
  std::vector<Interface> interfaces;
  HostLimits limits;
  std::vector<HostFile> files;
};

/// Collects the facts about this host, without MPI. Reads the compared files.
[[nodiscard]] HostFacts facts_of_this_host(const HostQuestion& question, const std::string& version);

/// Converts facts and questions to one line of JSON and back; throws ConfigError for an invalid text.
[[nodiscard]] std::string to_text(const HostFacts& facts);
[[nodiscard]] HostFacts host_facts_from_text(std::string_view text);
[[nodiscard]] std::string to_text(const HostQuestion& question);
[[nodiscard]] HostQuestion host_question_from_text(std::string_view text);

}  // namespace takt::pipeline
