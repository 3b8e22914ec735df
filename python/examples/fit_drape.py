"""Bending of a fabric of one's own, from what a laboratory measures on it: bending lengths and a drape coefficient.

    python fit_drape.py

A cantilever test gives the bending lengths along warp and weft, and with the weight the stiffnesses. Where the drape of these differs
from the measured one, both are multiplied by one factor until it does not. How far the factor is from 1 says how well the measurements agree.
"""

import json
from pathlib import Path

from taffeta import textile

# Measured: areal density [kg/m²], bending lengths along warp and weft [m], drape coefficient [%].
DENSITY = 0.15
LENGTHS = (0.0185, 0.0160)
COEFFICIENT = 52.0

# A coarse mesh and two starts for a first look; leave `COARSE` out for a coefficient that is right to a point.
COARSE = {"refine_error": None, "size": 0.01, "lowering": 1.0}
STARTS = 2

fabric = {"density": DENSITY, "thickness": 0.0004, "stretch": [8000.0, 4000.0], "shear": 60.0, "poisson": 0.2}
measured = [textile.bending_stiffness(length, DENSITY) for length in LENGTHS]


def coefficient(factor: float) -> float:
    """Mean drape coefficient of the starts for stiffnesses that are multiplied by a factor."""
    material = fabric | {"bend": [factor * bend for bend in measured]}
    return sum(textile.drape(material, start=start, **COARSE).coefficient for start in range(STARTS)) / STARTS


# The coefficient grows with the stiffness: the interval that holds it is halved, in factors.
low, high = 0.25, 4.0
for _ in range(5):
    middle = (low * high) ** 0.5
    found = coefficient(middle)
    print(f"factor {middle:.3f}: {found:.1f} %")
    low, high = (low, middle) if found > COEFFICIENT else (middle, high)

factor = (low * high) ** 0.5
bend = [factor * stiffness for stiffness in measured]
print(f"bend = [{bend[0]:.3g}, {bend[1]:.3g}] N·m, {factor:.2f} times what the cantilever gives")
Path("fitted_material.json").write_text(json.dumps(fabric | {"bend": bend}, indent=2))
