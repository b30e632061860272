#ifndef TAKT_SECTIONS_H
#define TAKT_SECTIONS_H

/* How a procedure uses the section that a pointer parameter points to. They mean nothing to a compiler: takt
   reads them in the program's text. Without a word, a parameter that points to const is read, every other one
   is written. */
#define takt_in    /* read only */
#define takt_out   /* written, whatever it held before */
#define takt_inout /* read, then updated in place */

/* The section's size, behind the parameter's name, from the procedure's other parameters: COUNT elements, or a
   tile of ROWS rows of COLUMNS elements, where the rows begin PITCH elements apart. */
#define takt_extent(count)
#define takt_tile(rows, columns, pitch)

#endif
