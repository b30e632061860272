! SCHEDULE in modern Fortran (2008): the routines of the users guide with explicit interfaces, tags of 64 bits, and no
! limits on tags, lists and parameters. A unit is a subroutine with bind(C) that gets its tag and a context: c_loc of whatever
! it needs, which outlives it, or c_null_ptr. Compile this file with the program, and link with -ltakt_schedule.
module takt_schedule
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_int, c_int64_t, c_null_char, c_ptr
  implicit none
  private
  public :: sched, dep, putq, nxtag, spawn, ientry, wait, lckasn, lockon, lockoff, schedule_unit
  public :: set_priority, touches, name_array, touch_reads, touch_writes
  integer(c_int), parameter :: touch_reads = 0, touch_writes = 1

  abstract interface
    subroutine schedule_unit(tag, context) bind(C)
      import :: c_int64_t, c_ptr
      integer(c_int64_t), value :: tag
      type(c_ptr), value :: context
    end subroutine schedule_unit
  end interface

  interface
    ! Calls description(0, context), which describes a graph, and executes it with so many workers.
    subroutine sched(workers, description, context) bind(C, name="takt_sched")
      import :: c_int64_t, c_ptr, schedule_unit
      integer(c_int64_t), value :: workers
      procedure(schedule_unit) :: description
      type(c_ptr), value :: context
    end subroutine sched

    subroutine takt_dep(tag, icango, ncheks, list) bind(C, name="takt_dep")
      import :: c_int64_t
      integer(c_int64_t), value :: tag, icango, ncheks
      integer(c_int64_t), intent(in) :: list(*)
    end subroutine takt_dep

    ! What unit `tag` executes.
    subroutine putq(tag, unit, context) bind(C, name="takt_putq")
      import :: c_int64_t, c_ptr, schedule_unit
      integer(c_int64_t), value :: tag
      procedure(schedule_unit) :: unit
      type(c_ptr), value :: context
    end subroutine putq

    ! The tag of a child of the unit `parent`, for the spawn that follows.
    function nxtag(parent) result(tag) bind(C, name="takt_nxtag")
      import :: c_int64_t
      integer(c_int64_t), value :: parent
      integer(c_int64_t) :: tag
    end function nxtag

    subroutine spawn(parent, tag, unit, context) bind(C, name="takt_spawn")
      import :: c_int64_t, c_ptr, schedule_unit
      integer(c_int64_t), value :: parent, tag
      procedure(schedule_unit) :: unit
      type(c_ptr), value :: context
    end subroutine spawn

    ! The number of the entry of this execution, of so many.
    function ientry(tag, entries) result(entry_number) bind(C, name="takt_ientry")
      import :: c_int64_t
      integer(c_int64_t), value :: tag, entries
      integer(c_int64_t) :: entry_number
    end function ientry

    function takt_wait(tag, label) result(is_incomplete) bind(C, name="takt_wait")
      import :: c_bool, c_int64_t
      integer(c_int64_t), value :: tag, label
      logical(c_bool) :: is_incomplete
    end function takt_wait

    function takt_set_priority(tag, priority) result(is_in_time) bind(C, name="takt_set_priority")
      import :: c_bool, c_int, c_int64_t
      integer(c_int64_t), value :: tag
      integer(c_int), value :: priority
      logical(c_bool) :: is_in_time
    end function takt_set_priority

    ! The executing unit reads or writes so many bytes at c_loc(array). With TAKT_SCHEDULE_CHECK=1 in the environment, sched
    ! reports unordered accesses of two units; without it, this does nothing.
    subroutine touches(address, bytes, mode) bind(C, name="takt_touches")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: address
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: mode
    end subroutine touches

    subroutine takt_name_array(name, address, bytes) bind(C, name="takt_name_array")
      import :: c_char, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: address
      integer(c_int64_t), value :: bytes
    end subroutine takt_name_array

    subroutine lckasn(lock) bind(C, name="takt_lckasn")
      import :: c_int
      integer(c_int), intent(inout) :: lock
    end subroutine lckasn

    subroutine lockon(lock) bind(C, name="takt_lockon")
      import :: c_int
      integer(c_int), intent(inout) :: lock
    end subroutine lockon

    subroutine lockoff(lock) bind(C, name="takt_lockoff")
      import :: c_int
      integer(c_int), intent(inout) :: lock
    end subroutine lockoff
  end interface

contains

  ! Unit `tag` depends on `icango` others; those of `list` depend on it.
  subroutine dep(tag, icango, list)
    integer(c_int64_t), intent(in) :: tag, icango, list(:)
    call takt_dep(tag, icango, size(list, kind=c_int64_t), list)
  end subroutine dep

  ! The name of an array for reports of unordered accesses.
  subroutine name_array(name, address, bytes)
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: bytes
    call takt_name_array(trim(name)//c_null_char, address, bytes)
  end subroutine name_array

  ! .true.: children of unit `tag` have not completed; it returns, and its next entry is `label`.
  logical function wait(tag, label)
    integer(c_int64_t), intent(in) :: tag, label
    wait = takt_wait(tag, label)
  end function wait

  ! Called by the description, for a unit that has its dep, or by a unit, for any: ready units of higher priority (-100 to
  ! 100, at first 0) start first. .false.: the unit has started already.
  logical function set_priority(tag, priority)
    integer(c_int64_t), intent(in) :: tag
    integer, intent(in) :: priority
    set_priority = takt_set_priority(tag, int(priority, c_int))
  end function set_priority

end module takt_schedule
