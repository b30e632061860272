// The palette of core/pictures/palette.hpp, read from the style sheet, for canvases.

import { axisUnit, markText, number } from "./text";

export const paleColours = 7;

let known = new Map<string, string>();

/// Clears the cache after a change of the colour scheme or for printing.
export function forgetColours(): void {
  known = new Map();
}

/// Accepts `ink`, `muted`, `grid`, `card`, `c0` .. `c7`, ...
export function colour(name: string): string {
  let found = known.get(name);
  if (found === undefined) {
    found = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
    known.set(name, found);
  }
  return found;
}

/// Returns the index of a series among those that have a colour.
function place(index: number): number { return ((index % paleColours) + paleColours) % paleColours; }
/// Returns the colour of a series' lines and dots; omits black, whose pale form is the messages' grey.
export function seriesColour(index: number): string {
  const black = 6, series = place(index);
  return colour("c" + (series < black ? series : series + 1));
}
/// Returns the colour of its boxes with text.
export function paleColour(index: number): string { return colour("p" + place(index)); }

/// Points of viridis (matplotlib, CC0), with linear interpolation.
const viridis = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137],
                 [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];

/// Converts a fraction from 0 to 1.
export function heat(share: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, share)) * (viridis.length - 1), low = Math.min(viridis.length - 2, Math.floor(at));
  const mix = (k: number): number => Math.round(viridis[low][k] + (at - low) * (viridis[low + 1][k] - viridis[low][k]));
  return [mix(0), mix(1), mix(2)];
}
export function heatColour(share: number): string {
  return `rgb(${heat(share).join(",")})`;
}

/// Colours of special cells in a waterfall: missing, and powers of 0, which have no decibels.
export const missingColour = [150, 150, 150, 90], zeroColour = [0, 0, 0, 255];

/// Draws the colour scale next to a waterfall with its values; special cells are below them.
export function drawHeatScale(context: CanvasRenderingContext2D, x: number, top: number, height: number, least: number, most: number, unit: string,
                              has: { values: boolean; zeros: boolean; missing: boolean }): void {
  let y = top + height;
  const single = (fill: string, says: string): void => {
    y -= 18;
    context.fillStyle = fill;
    context.fillRect(x, y, 14, 14);
    context.fillStyle = colour("muted");
    context.fillText(says, x + 18, y + 7);
  };
  context.textAlign = "left";
  context.textBaseline = "middle";
  if (has.missing) single("rgba(150, 150, 150, 0.35)", "missing");
  if (has.zeros) single("#000", "0");
  if (!has.values) return;
  const fitting = axisUnit(unit, Math.max(Math.abs(least), Math.abs(most)));
  const text = (value: number): string => number(value / fitting.size) + (unit ? " " + fitting.title : "");
  if (least === most) return single(heatColour(0), `all ${text(least)}`);
  const low = y - 6;
  for (let i = 0; i < low - top; ++i) {
    context.fillStyle = heatColour(1 - i / (low - top));
    context.fillRect(x, top + i, 14, 1.5);
  }
  context.fillStyle = colour("muted");
  // Labels need no finer resolution than some 20 values.
  const step = (most - least) / 20 / fitting.size;
  for (let i = 0; i <= 4; ++i) {
    const says = markText((least + (most - least) * i / 4) / fitting.size, step);
    context.fillText(i === 4 && unit ? `${says} ${fitting.title}` : says, x + 18, top + 6 + (low - top - 12) * (1 - i / 4));
  }
}
