"""Data sets for learned simulators: thousands of trajectories with adaptive meshes, on one machine or a cluster.

``python -m taffeta.dataset RECIPE --trajectories N --out DIR`` makes a set, and so does ``make``.
"""

from .sets import Plan, Summary, make, make_set, make_trajectory
from .recipes import Recipe, load
from .store import Store
from .trajectory import FIELDS, NodeType, Trajectory, simulate

__all__ = [
    "FIELDS",
    "NodeType",
    "Plan",
    "Recipe",
    "Store",
    "Summary",
    "Trajectory",
    "load",
    "make",
    "make_set",
    "make_trajectory",
    "simulate",
]
