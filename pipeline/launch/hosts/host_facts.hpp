#pragma once
/// What a host says about itself before a run: plain data, sent as JSON.

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
  /// Its contents count, and not only that it can be read.
  bool is_compared = false;
};

/// What a host is asked.
struct HostQuestion {
  /// The folder where the run works.
  std::string folder;
  std::vector<WantedFile> files;
  /// Whether to start MPI, too, and see whether hosts reach each other.
  bool tries_mpi = false;
};

struct HostFile {
  std::string path;
  /// Why it cannot be read; empty when it can.
  std::string fault;
  /// Of one that is compared.
  std::optional<std::uint64_t> digest;
};

/// Limits that a rank meets; nothing where the system does not say.
struct HostLimits {
  /// Largest receive buffer of a socket (net.core.rmem_max), and memory that a process may lock, in bytes.
  std::optional<std::uint64_t> socket_buffer, locked_memory;
  std::optional<std::uint64_t> open_files, free_memory, shared_memory;
  /// `always`, `madvise`, `never`: when the kernel gives huge pages.
  std::string huge_pages;
  /// Whether there are InfiniBand or RoCE adapters, which lock memory.
  bool has_verbs = false;
};

struct HostFacts {
  std::string host;
  /// Of takt, and of the program's file.
  std::string version;
  std::optional<std::uint64_t> program;
  /// `Open MPI v4.1.4`, `Linux 6.1.0`, `Intel(R) Xeon(R) Gold 6130`.
  std::string mpi, system, processor;
  /// Numbers of the processors that takt may use there.
  std::vector<std::size_t> processors;
  /// Why the folder of the run cannot be used there; empty when it can.
  std::string folder_fault;
  std::vector<Interface> interfaces;
  HostLimits limits;
  std::vector<HostFile> files;
};

/// What this host answers, without its MPI. Reads the files that are compared.
[[nodiscard]] HostFacts facts_of_this_host(const HostQuestion& question, const std::string& version);

/// As one line of JSON, and back; throws ConfigError where the text is none.
[[nodiscard]] std::string to_text(const HostFacts& facts);
[[nodiscard]] HostFacts host_facts_from_text(std::string_view text);
[[nodiscard]] std::string to_text(const HostQuestion& question);
[[nodiscard]] HostQuestion host_question_from_text(std::string_view text);

}  // namespace takt::pipeline
