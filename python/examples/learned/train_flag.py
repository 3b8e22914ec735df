"""A small graph network that learns flags: proof that a data set is enough to train on. Needs PyTorch and matplotlib.

    python -m taffeta.dataset flag --trajectories 50 --frames 50 --out flags --set cloth.0.remesh.refine_error=0.02 \\
        --set cloth.0.remesh.size_min=0.05 --set cloth.0.remesh.size_max=0.3
    python train_flag.py flags --minutes 8 --out loss.png

The network predicts an acceleration for each vertex of a frame, after T. Pfaff and others, Learning mesh-based simulation with
graph networks (2021), in small. Where the next frame has another mesh, the prediction is carried there by the origins of its
vertices; the loss is the distance to the recorded positions there.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

WIDTH, ROUNDS, BATCH = 64, 5, 4
HELD_OUT = 10


@dataclass
class Pair:
    """A frame as a graph, and the next frame as its label."""

    nodes: torch.Tensor
    """Velocity times the time step, wind, 1 for held vertices, areal density."""
    edges: torch.Tensor
    """Ends of the edges in both directions, shape (2, edges)."""
    spans: torch.Tensor
    """Differences along the edges: material, world, length at rest, strain, velocity."""
    still: torch.Tensor
    """Positions, and positions after a step at constant velocity."""
    moved: torch.Tensor
    corners: torch.Tensor
    """Vertices of this frame that a vertex of the next one lies between, and their weights."""
    weights: torch.Tensor
    label: torch.Tensor
    """Positions in the next frame."""
    is_free: torch.Tensor


def read_pairs(path: Path) -> list[Pair]:
    """Reads the pairs of frames of a trajectory."""
    file = np.load(path)
    facts = json.loads(str(file["facts"]))
    dt, scene = facts["dt"], facts["scene"]
    outside = np.array([*scene["air"]["wind"], 10 * scene["cloth"][0]["material"]["density"]]) * 0.1
    arrays = {name: file[name] for name in file.files}

    def rows(name: str, frame: int, per: str = "vertex") -> np.ndarray:
        offsets = arrays[f"{per}_offsets"]
        return arrays[name][offsets[frame] : offsets[frame + 1]]

    pairs = []
    for frame in range(facts_frames := len(arrays["vertex_offsets"]) - 2):
        cells = rows("cells", frame, "cell")
        both = np.concatenate([cells[:, [0, 1]], cells[:, [1, 2]], cells[:, [2, 0]]])
        edges = np.unique(np.concatenate([both, both[:, ::-1]]), axis=0).T
        x, u, v = rows("world_pos", frame), rows("mesh_pos", frame), rows("velocity", frame)
        held = rows("node_type", frame)[:, 0] == 3
        moved = np.where(held[:, None], x, x + dt * v)
        du, dx = u[edges[0]] - u[edges[1]], x[edges[0]] - x[edges[1]]
        at_rest, now = (np.linalg.norm(d, axis=1, keepdims=True) for d in (du, dx))
        nodes = np.concatenate([dt * v, np.tile(outside, (len(x), 1)), held[:, None]], axis=1)
        given = (
            nodes, edges, np.concatenate([du, dx, at_rest, now / at_rest - 1, v[edges[0]] - v[edges[1]]], axis=1), x, moved,
            cells[rows("origin_face", frame + 1)[:, 0]], rows("origin_weights", frame + 1), rows("world_pos", frame + 1),
            ~held[:, None],
        )  # fmt: skip
        pairs.append(Pair(*(torch.tensor(array, dtype=torch.float32 if array.dtype.kind == "f" else None) for array in given)))
    assert len(pairs) == facts_frames
    return pairs


def joined(pairs: list[Pair]) -> Pair:
    """Joins graphs to one that has them side by side."""
    starts = np.cumsum([0, *(len(pair.nodes) for pair in pairs)])
    shifted = {
        "edges": torch.cat([pair.edges + int(start) for pair, start in zip(pairs, starts)], dim=1),
        "corners": torch.cat([pair.corners + int(start) for pair, start in zip(pairs, starts)]),
    }
    others = [name for name in Pair.__dataclass_fields__ if name not in shifted]
    return Pair(**shifted, **{name: torch.cat([getattr(pair, name) for pair in pairs]) for name in others})


def carried(values: torch.Tensor, pair: Pair) -> torch.Tensor:
    """Brings a field of a frame to the vertices of the next one: a linear map, so that losses have gradients."""
    return torch.einsum("nk,nkd->nd", pair.weights, values[pair.corners])


def perceptron(inputs: int, outputs: int, *, is_normed: bool = True) -> nn.Sequential:
    layers = [nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs)]
    return nn.Sequential(*layers, *([nn.LayerNorm(outputs)] if is_normed else []))


class Network(nn.Module):
    """Encoder, rounds of messages along the edges, decoder."""

    def __init__(self, scales: dict[str, tuple[torch.Tensor, torch.Tensor]]) -> None:
        super().__init__()
        for name, (mean, deviation) in scales.items():
            self.register_buffer(f"{name}_mean", mean)
            self.register_buffer(f"{name}_deviation", deviation)
        self.encode_nodes = perceptron(len(scales["nodes"][0]), WIDTH)
        self.encode_edges = perceptron(len(scales["spans"][0]), WIDTH)
        self.messages = nn.ModuleList(perceptron(3 * WIDTH, WIDTH) for _ in range(ROUNDS))
        self.updates = nn.ModuleList(perceptron(2 * WIDTH, WIDTH) for _ in range(ROUNDS))
        self.decode = perceptron(WIDTH, 3, is_normed=False)

    def forward(self, pair: Pair) -> torch.Tensor:
        """Returns the positions after a step, on the mesh of the frame."""
        nodes = self.encode_nodes((pair.nodes - self.nodes_mean) / self.nodes_deviation)
        edges = self.encode_edges((pair.spans - self.spans_mean) / self.spans_deviation)
        source, target = pair.edges
        for message, update in zip(self.messages, self.updates, strict=True):
            edges = edges + message(torch.cat([edges, nodes[source], nodes[target]], dim=1))
            sums = torch.zeros_like(nodes).index_add(0, target, edges)
            nodes = nodes + update(torch.cat([nodes, sums], dim=1))
        return pair.moved + pair.is_free * self.decode(nodes) * self.change_deviation


def scales_of(pairs: list[Pair]) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Returns mean and deviation of the inputs, and of the change that is to be learned."""
    def scale(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return rows.mean(dim=0), rows.std(dim=0).clamp(min=1e-6)

    changes = torch.cat([pair.label - carried(pair.moved, pair) for pair in pairs])
    return {
        "nodes": scale(torch.cat([pair.nodes for pair in pairs])),
        "spans": scale(torch.cat([pair.spans for pair in pairs])),
        "change": (torch.zeros(3), changes.std() * torch.ones(3)),
    }


def error_of(pairs: list[Pair], predict) -> float:
    """Root mean square distance to the next frame [m]."""
    squares = [((carried(predict(pair), pair) - pair.label) ** 2).sum(dim=1) for pair in pairs]
    return float(torch.cat(squares).mean().sqrt())


def train(network: Network, pairs: list[Pair], tests: list[Pair], minutes: float) -> list[tuple[float, float, float]]:
    """Trains for some minutes; returns minutes, error in training and error on trajectories that were held out."""
    random = np.random.default_rng(0)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    begun, told, curve, sums, steps = time.monotonic(), -np.inf, [], [], 0
    while (passed := (time.monotonic() - begun) / 60) < minutes:
        # The rate falls to a hundredth in the end.
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * 0.01 ** (passed / minutes)
        batch = joined([pairs[k] for k in random.integers(len(pairs), size=BATCH)])
        loss = ((carried(network(batch), batch) - batch.label) ** 2).sum(dim=1).mean()
        optimizer.zero_grad()
        (loss / network.change_deviation[0] ** 2).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        sums.append(float(loss.detach()))
        steps += 1
        if passed - told > minutes / 30:
            told = passed
            paused = time.monotonic()
            with torch.no_grad():
                curve.append((passed, float(np.sqrt(np.mean(sums))), error_of(tests, network)))
            sums = []
            # The tests are not part of the training.
            begun += time.monotonic() - paused
            print(f"{passed:.2f} min, {steps} steps: {1e3 * curve[-1][1]:.3f} mm in training, {1e3 * curve[-1][2]:.3f} mm on others", flush=True)
    with torch.no_grad():
        curve.append((minutes, float(np.sqrt(np.mean(sums or [loss.item()]))), error_of(tests, network)))
    return curve


def draw(curve: list[tuple[float, float, float]], still: float, constant: float, path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    minutes, own, others = np.array(curve).T
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), dpi=100)
    axes.semilogy(minutes, 1e3 * own, label="network, in training", color="#9db7d5")
    axes.semilogy(minutes, 1e3 * others, label="network, held-out trajectories", color="#1f4e86")
    for value, text, color in ((still, "standing still", "#b5523b"), (constant, "constant velocity", "#c9973f")):
        axes.axhline(1e3 * value, label=text, color=color, linestyle="--")
    axes.set(xlabel="training [min, one core]", ylabel="one-step error [mm, RMS]", xlim=(0, None))
    ticks = [tick for tick in (1, 2, 3, 4, 6, 10, 20, 30, 50) if 0.9 * 1e3 * min(others) < tick]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--minutes", type=float, default=8.0)
    words.add_argument("--out", default="loss.png")
    options = words.parse_args()
    torch.manual_seed(0)
    # With graphs as small as these, threads would wait for each other.
    torch.set_num_threads(1)
    files = sorted((options.folder / "trajectories").glob("*.npz"))
    found = [read_pairs(path) for path in files]
    pairs, tests = ([pair for part in parts for pair in part] for parts in (found[:-HELD_OUT], found[-HELD_OUT:]))
    # Every fourth pair tells as much.
    tests = tests[::4]
    print(f"{len(pairs)} pairs of frames to train on, {len(tests)} held out")
    still, constant = (error_of(tests, baseline) for baseline in (lambda pair: pair.still, lambda pair: pair.moved))
    own = error_of(pairs, lambda pair: pair.moved)
    text = f"constant velocity: {1e3 * constant:.3f} mm, {1e3 * own:.3f} mm on the trajectories of the training"
    print(f"standing still: {1e3 * still:.3f} mm; {text}")
    curve = train(Network(scales_of(pairs)), pairs, tests, options.minutes)
    draw(curve, still, constant, options.out)
    print(f"network: {1e3 * curve[-1][2]:.3f} mm on trajectories that were held out")
    assert curve[-1][2] < min(still, constant), "the network has learned nothing"


if __name__ == "__main__":
    main()
