#pragma once
/// Writes, compiles and runs generated programs.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/frontend/generation/mpi_program.hpp"
#include "pipeline/frontend/reading/command.hpp"

namespace takt::frontend {

/// Writes the files into a folder, which is made. Throws ConfigError if one of them exists and `overwrites`
/// is not set.
void write_files(const std::vector<GeneratedFile>& files, const std::filesystem::path& folder,
                 bool overwrites);

/// Compiles the written MPI program with its Makefile. Throws WorkError with the compiler's messages.
void build_program(const std::filesystem::path& folder);

/// Compiles the one source of a written program of one process, `NAME.c` or with an ending of C++, to `NAME`
/// with the options of the MPI programs. Throws WorkError with the compiler's messages.
void build_sequential(const std::filesystem::path& source);
/// The same with the compiler of MPI.
void build_with_mpi(const std::filesystem::path& source);

/// Runs the built program on its ranks, with arguments; returns its exit code. Throws WorkError if mpirun is
/// not installed.
[[nodiscard]] int run_program(const std::filesystem::path& folder, const std::string& name, std::size_t ranks,
                              const CommandFiles& files = {}, const std::vector<std::string>& arguments = {});

}  // namespace takt::frontend
