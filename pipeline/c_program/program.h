#ifndef TAKT_PROGRAM_H
#define TAKT_PROGRAM_H

/* Calls of a C program as a plug-in of takt's pipelines. `takt parallelise PROGRAM.c --pipeline` writes such
   libraries; docs/reference/plugins.md describes them. */

#include <stddef.h>

/* A call, or several calls that run one after another. It keeps nothing from one frame to the next. */
struct takt_call {
  const char *name;
  /* Reads the input frames and writes the output frame, which are apart from each other and aligned to 64 bytes. */
  void (*run)(void *const *in, void *out);
  /* Number of input frames, and the bytes of each. */
  size_t inputs;
  const size_t *in_bytes;
  /* Bytes of the output frame, at least 1. */
  size_t out_bytes;
};

struct takt_program {
  /* TAKT_PROGRAM_INTERFACE. */
  unsigned version;
  size_t count;
  const struct takt_call *calls;
};

#define TAKT_PROGRAM_INTERFACE 1

/* What the library exports. */
#ifdef __cplusplus
extern "C" {
#endif
extern const struct takt_program takt_calls __attribute__((visibility("default")));
#ifdef __cplusplus
}
#endif

#endif
