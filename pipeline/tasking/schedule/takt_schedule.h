/* SCHEDULE for C and C++: units of computation with dependencies, executed by several workers.
 *
 * The routines are those of the Fortran module takt_schedule: tags have 64 bits, and neither the number of tags nor the
 * length of a list has a limit. A unit gets its tag and the context that was given with it, which outlives the unit.
 * Breaking a rule ends the process with a message on stderr and status 1. See docs/reference/tasking.md. */
#ifndef TAKT_SCHEDULE_H
#define TAKT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*takt_unit)(int64_t tag, void* context);

/* Calls description(0, context), which describes a graph by dep and putq, and executes it with so many workers. */
void takt_sched(int64_t workers, takt_unit description, void* context);
/* Unit `tag` depends on `icango` others; the `ncheks` units of `list` depend on it. */
void takt_dep(int64_t tag, int64_t icango, int64_t ncheks, const int64_t* list);
/* What unit `tag` executes. */
void takt_putq(int64_t tag, takt_unit unit, void* context);
/* The tag of a child of the unit `parent`, which calls it, for the takt_spawn that follows. */
int64_t takt_nxtag(int64_t parent);
void takt_spawn(int64_t parent, int64_t tag, takt_unit unit, void* context);
/* The number of the entry of this execution, of so many: 1 at first. */
int64_t takt_ientry(int64_t tag, int64_t entries);
/* True: children of unit `tag` have not completed; it returns, and its next entry is `label`. */
bool takt_wait(int64_t tag, int64_t label);
/* Called by the description, for a unit that has its takt_dep, or by a unit, for any: ready units of higher priority (-100 to
 * 100, at first 0) start first. False: the unit has started already. */
bool takt_set_priority(int64_t tag, int priority);
/* The executing unit reads (mode 0) or writes (1) so many bytes. With TAKT_SCHEDULE_CHECK=1 in the environment, takt_sched
 * reports accesses of two units to the same bytes of which neither comes before the other, and ends the process; without it,
 * this does nothing. */
enum { TAKT_READS = 0, TAKT_WRITES = 1 };
void takt_touches(const void* address, int64_t bytes, int mode);
/* The name of an array for such reports. */
void takt_name_array(const char* name, const void* address, int64_t bytes);
/* A lock is an int: 0 off, 1 on. */
void takt_lckasn(int* lock);
void takt_lockon(int* lock);
void takt_lockoff(int* lock);

#ifdef __cplusplus
}
#endif

#endif
