/// Tests that the output of mpirun, in the words of Open MPI 4.1, is distinguished from that of ranks.

#include "pipeline/launch/jobs/rank_output.hpp"

#include <initializer_list>

#include <gtest/gtest.h>
#include <signal.h>

namespace takt::pipeline {
namespace {

const char* const border = "--------------------------------------------------------------------------";

/// Returns how many of the lines are for the user.
int take(RankOutput& output, std::initializer_list<const char*> lines) {
  int shown = 0;
  for (const char* line : lines) shown += output.take(line) ? 1 : 0;
  return shown;
}

TEST(RankOutput, shows_output_of_kernels_and_hides_the_notices_of_mpirun) {
  RankOutput output;
  EXPECT_EQ(take(output, {"a kernel says hello", "[host:123] a line of Open MPI", border, "a notice", border,
                          "and goodbye", "[not:a number] of a kernel", "---"}),
            4);
  EXPECT_EQ(output.notice(), "a line of Open MPI a notice");
  EXPECT_FALSE(output.death());
}

/// Printed by Open MPI 4.1.4 when a host is disconnected.
TEST(RankOutput, reduces_a_notice_to_one_sentence) {
  RankOutput lost;
  take(lost,
       {border, "ORTE has lost communication with a remote daemon.", "",
        "  HNP daemon   : [[52163,0],0] on node h1", "  Remote daemon: [[52163,0],1] on node h2.test", "",
        "This is usually due to either a failure of the TCP network",
        "connection to the node, or possibly an internal failure of", "the daemon itself. We cannot recover",
        "from this failure, and", "therefore will terminate the job.", border});
  EXPECT_EQ(lost.notice(), "it lost the connection to host h2.test");
  RankOutput slots;
  take(slots, {border, "There are not enough slots available in the system to satisfy the 9",
               "slots that were requested by the application:", "", "  takt", border});
  EXPECT_EQ(slots.notice(), "the hosts have too few slots for 9 ranks");
  RankOutput other;
  take(other, {border, "Something new has happened", "on a host. Here is what it is.", border});
  EXPECT_EQ(other.notice(), "Something new has happened on a host");
  EXPECT_EQ(RankOutput().notice(), "");
}

TEST(RankOutput, finds_a_killed_rank) {
  RankOutput output;
  EXPECT_EQ(take(output, {border, "mpirun noticed that process rank 12 with PID 4711 on node a exited on",
                          "signal 9 (Killed).", border}),
            0);
  ASSERT_TRUE(output.death());
  EXPECT_EQ(output.death()->rank, 12U);
  EXPECT_EQ(output.death()->cause, "died of signal 9 (Killed)");
}

TEST(RankOutput, finds_a_rank_that_ended_with_an_exit_code) {
  RankOutput output;
  take(output,
       {border, "mpirun detected that one or more processes exited with non-zero status, thus causing",
        "the job to be terminated. The first process to do so was:", "", "  Process name: [[18230,1],3]",
        "  Exit code:    7", border});
  ASSERT_TRUE(output.death());
  EXPECT_EQ(output.death()->rank, 3U);
  EXPECT_EQ(output.death()->cause, "exited with code 7");
}

TEST(RankOutput, finds_a_rank_that_exited_without_finalising_MPI) {
  RankOutput output;
  take(output, {border, "mpirun has exited due to process rank 1 with PID 0 on",
                "node a exiting improperly. There are three reasons this could occur:", border});
  ASSERT_TRUE(output.death());
  EXPECT_EQ(output.death()->rank, 1U);
  EXPECT_EQ(output.death()->cause, "exited unexpectedly");
}

TEST(RankOutput, prefers_the_first_crash_report_to_the_notice_of_mpirun) {
  RankOutput output;
  EXPECT_EQ(
      take(output,
           {"takt: rank 2: died of signal 11 (Segmentation fault) while running task 'fft'",
            "takt: rank 0: MPI_ERR_OTHER: known error not in list while running", border,
            "mpirun noticed that process rank 0 with PID 5 on node a exited on signal 6 (Aborted).", border}),
      0);
  ASSERT_TRUE(output.death());
  EXPECT_EQ(output.death()->rank, 2U);
  EXPECT_EQ(output.death()->cause, "died of signal 11 (Segmentation fault) while running task 'fft'");
}

TEST(RankOutput, keeps_the_crash_report_of_a_rank_without_its_number) {
  for (const char* words : {"p.yaml:3:1: unknown kernel", "rank 7", "rank : x", "rank x: y"}) {
    RankOutput output;
    EXPECT_FALSE(output.take(std::string("takt: ") + words));
    ASSERT_TRUE(output.death());
    EXPECT_FALSE(output.death()->rank);
    EXPECT_EQ(output.death()->cause, words);
  }
}

TEST(RankOutput, treats_the_end_of_mpirun_as_that_of_a_rank_without_other_output) {
  constexpr int with_code = 256;
  RankOutput output;
  take(output, {border, "Primary job  terminated normally, but 1 process returned",
                "a non-zero exit code. Per user-direction, the job has been aborted.", border});
  const std::optional<Death> death = output.death((128 + SIGKILL) * with_code);
  ASSERT_TRUE(death);
  EXPECT_FALSE(death->rank);
  EXPECT_TRUE(death->is_a_kill());
  EXPECT_EQ(to_text(*death, "a rank"), "a rank died of signal 9 (Killed)");
  EXPECT_FALSE(output.death(1 * with_code));
  EXPECT_FALSE(output.death(SIGKILL));
}

TEST(RankOutput, reports_how_mpirun_has_ended) {
  constexpr int with_code = 256;
  RankOutput output;
  EXPECT_EQ(output.end_of_starter(SIGKILL), "mpirun died of signal 9 (Killed)");
  EXPECT_EQ(output.end_of_starter(1 * with_code), "mpirun ended with exit code 1");
  take(output, {border, "Something new has happened", "on a host. Here is what it is.", border});
  EXPECT_EQ(output.end_of_starter(1 * with_code),
            "mpirun ended with exit code 1; mpirun says: Something new has happened on a host");
}

}  // namespace
}  // namespace takt::pipeline
