"""Draws the mesh of a cloth in its chart, one frame beside another, as an SVG file. Needs NumPy.

    python mesh_in_chart.py FOLDER CLOTH OUT.svg FRAME [FRAME ...]

FOLDER is a result folder with NPZ frames.
"""

import sys
from pathlib import Path

import numpy as np

SIDE, GAP, TOP = 220, 20, 24


def draw(path: Path) -> tuple[str, str]:
    """The title and the edges of a frame."""
    frame = np.load(path)
    corners, faces = frame["material"], frame["faces"]
    low = corners.min(axis=(0, 1))
    scale = SIDE / (corners.max(axis=(0, 1)) - low).max()
    edges = {}
    for face, points in zip(faces, (corners - low) * scale):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            ends = sorted([(int(face[a]), *points[a]), (int(face[b]), *points[b])])
            edges[ends[0][0], ends[1][0]] = ends
    # The second coordinate points upward.
    lines = [f"M{x:.1f} {SIDE - y:.1f}L{u:.1f} {SIDE - v:.1f}" for (_, x, y), (_, u, v) in edges.values()]
    return f"{float(frame['time']):.2f} s, {len(frame['positions'])} vertices", "".join(lines)


def main() -> None:
    """Draws what the command line says."""
    folder, cloth, out, *frames = sys.argv[1:]
    width, height = len(frames) * (SIDE + GAP) + GAP, TOP + SIDE + GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for place, number in enumerate(map(int, frames)):
        title, lines = draw(Path(folder) / "frames" / f"{cloth}_{number:05}.npz")
        left = GAP + place * (SIDE + GAP)
        parts.append(f'<text x="{left + SIDE / 2}" y="16" text-anchor="middle" font-family="sans-serif" font-size="12">{title}</text>')
        parts.append(f'<path transform="translate({left} {TOP})" d="{lines}" stroke="#8c1c13" stroke-width="0.6" fill="none"/>')
    parts.append("</svg>")
    Path(out).write_text("\n".join(parts) + "\n")


main()
