#!/usr/bin/env python3
"""Draws four_balls.svg from a recording: the side view, and the certificate of every step.

    ./talus run examples/four_balls && docs/images/draw_four_balls.py four_balls.h5 > docs/images/four_balls.svg
"""

import math
import sys

import h5py

COLOURS = {"thrown": "#c0392b", "first": "#1b6ca8", "second": "#2e7d32", "third": "#8e6c1f"}
LEFT, SCALE, FLOOR = 90, 330, 400  # side view: pixels of x = 0, per metre, of z = 0
PLOT_TOP, PLOT_BOTTOM, PLOT_WIDTH = 470, 600, 760
MAP_TOP, MAP_BOTTOM = -7, -17  # powers of ten shown


def text(x, y, words, size=14, anchor="start", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour="#444", width=1.0, extra=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}" {extra}/>'


def side_view(record):
    names = [name.decode() for name in record["bodies/name"]]
    time, position = record["frames/time"][:], record["poses/position"][:]
    parts = [f'<rect x="30" y="{FLOOR}" width="840" height="9" fill="#d9d4c7"/>', line(30, FLOOR, 870, FLOOR, "#8a8371", 2)]
    for name, colour in COLOURS.items():
        track = position[:, names.index(name)]
        points = " ".join(f"{LEFT + SCALE * x:.1f},{FLOOR - SCALE * z:.1f}" for x, _, z in track)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5" opacity="0.6"/>')
        shown = [k for k, t in enumerate(time) if abs(t * 10 - round(t * 10)) < 1e-6 and (name == "thrown" or round(t * 10) in (0, 10))]
        for k in shown:
            x, _, z = track[k]
            opacity = 0.12 + 0.5 * time[k] / time[-1]
            parts.append(f'<circle cx="{LEFT + SCALE * x:.1f}" cy="{FLOOR - SCALE * z:.1f}" r="{0.1 * SCALE:.1f}" fill="{colour}" '
                         f'fill-opacity="{opacity:.2f}" stroke="{colour}" stroke-width="1.2"/>')
    parts.append(text(LEFT + 105, FLOOR - SCALE - 8, "t = 0: thrown with 1.5 m/s"))
    parts.append(text(870, 40, "Side view: the thrown ball every 0.1 s, the others at 0 and 1 s", 13, "end", "#555"))
    return parts


def certificates(record):
    time, natural_map = record["steps/time"][:], record["certificates/natural_map"][:]
    has_contact = record["steps/contact_count"][:] > 0
    height = lambda power: PLOT_TOP + (MAP_TOP - power) * (PLOT_BOTTOM - PLOT_TOP) / (MAP_TOP - MAP_BOTTOM)
    across = lambda t: LEFT + PLOT_WIDTH * t / time[-1]
    parts = [line(LEFT, PLOT_TOP, LEFT, PLOT_BOTTOM), line(LEFT, PLOT_BOTTOM, LEFT + PLOT_WIDTH, PLOT_BOTTOM)]
    for power in range(MAP_TOP - 1, MAP_BOTTOM, -2):
        parts.append(text(LEFT - 8, height(power) + 4, f'10<tspan dy="-5" font-size="9">{power}</tspan>', 12, "end"))
    for tenth in range(0, 11, 2):
        parts.append(text(across(tenth / 10), PLOT_BOTTOM + 18, f"{tenth / 10:g}", 12, "middle"))
    parts.append(text(LEFT + PLOT_WIDTH, PLOT_BOTTOM + 34, "time [s]", 12, "end"))
    parts.append(line(LEFT, height(-8), LEFT + PLOT_WIDTH, height(-8), "#c0392b", 1.2, 'stroke-dasharray="6 4"'))
    parts.append(text(LEFT + 6, height(-8) - 5, "asked: 1e-8", 12, colour="#c0392b"))
    for t, value, contact in zip(time, natural_map, has_contact):
        if contact:
            power = math.log10(value) if value > 0 else MAP_BOTTOM
            parts.append(f'<circle cx="{across(t):.1f}" cy="{height(max(power, MAP_BOTTOM)):.1f}" r="1.8" fill="#1b6ca8"/>')
    parts.append(text(870, PLOT_TOP - 12, "Certificate of every step with contact: the distance of its impulses from the law (scaled natural map; zero on the axis)", 13, "end", "#555"))
    return parts


def main():
    with h5py.File(sys.argv[1]) as record:
        parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 640" font-family="Helvetica, Arial, sans-serif" role="img" '
                 'aria-label="Four balls: a thrown ball lands on a table and hits a line of three; below, the certificate of every step.">',
                 '<rect width="900" height="640" fill="#ffffff"/>', *side_view(record), *certificates(record), "</svg>"]
    print("\n".join(parts))


if __name__ == "__main__":
    main()
