"""Data sets under bad luck, and what they cost: workers and drivers that are killed, full disks, crossings, memory.

``python python/benches/datasets.py PART ... [--scale 0.1]``; without parts all of them. It exits with 1 if a goal is missed.
Needs the package with ``[dask]``, and with ``[ray]`` for ray. The part disk mounts a small file system and needs root.
"""

import argparse
import cProfile
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from taffeta.dataset import Plan, Store, load, make_trajectory
from taffeta.dataset.engine import Local, run
from taffeta.dataset.recipes import BUILT_IN, Recipe
from test_dataset import files_of
from test_dataset_clusters import dask_cluster, worker_pids

# A flag of about 200 vertices.
COARSE = {"cloth.0.remesh.refine_error": 0.02, "cloth.0.remesh.size_min": 0.05, "cloth.0.remesh.size_max": 0.3}
# Meshes of some hundred vertices for the recipes.
MEDIUM = {"cloth.0.remesh.refine_error": 0.015, "cloth.0.remesh.size_min": 0.04}
misses: list[str] = []


def tell(name: str, figure: str, is_met: bool) -> None:
    print(f"{name}: {figure}{'' if is_met else '  MISSED'}", flush=True)
    if not is_met:
        misses.append(name)


def command(recipe: str, out: Path, trajectories: int, frames: int, changes: dict[str, float], *more: str) -> list[str]:
    sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    size = ["--trajectories", str(trajectories), "--frames", str(frames)]
    return [sys.executable, "-m", "taffeta.dataset", recipe, "--out", str(out), "--quiet", *size, *sets, *more]


def start(words: list[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def kill_all(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def wrong_files(out: Path, whole: Path, is_complete: bool) -> int:
    """Counts files that are not those of an undisturbed run: half-written, empty, with other content."""
    reference = files_of(whole)
    found = {name: content for name, content in files_of(out).items() if not name.startswith(".partial/")}
    # A manifest grows while a set is made.
    wrong = sum(content != reference.get(name) for name, content in found.items() if is_complete or name != "manifest.jsonl")
    return wrong + (len(reference.keys() - found.keys()) if is_complete else 0)


@contextmanager
def killing(pids: Callable[[], list[int]], interval: float):
    """Kills one of some processes now and then, and counts."""
    ended, kills = threading.Event(), []

    def kill() -> None:
        while not ended.wait(interval):
            found = pids()
            if found:
                victim = random.choice(found)
                kills.append(victim)
                os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield kills
    finally:
        ended.set()
        thread.join()


def run_disturbed(words: list[str], out: Path, trajectories: int) -> int:
    """Runs a driver, kills it once in the middle and starts it anew; returns its exit status."""
    process = start(words)
    while process.poll() is None and len(list((out / "records").glob("*.json"))) < trajectories // 2:
        time.sleep(0.2)
    kill_all(process)
    return subprocess.run(words, stdout=subprocess.DEVNULL).returncode


def measure_dask(folder: Path, scale: float) -> None:
    trajectories = round(200 * scale)
    subprocess.run(command("flag", folder / "whole", trajectories, 50, COARSE, "--workers", "2"), check=True)
    with dask_cluster(folder, 2) as (address, _):
        words = command("flag", folder / "set", trajectories, 50, COARSE, "--dask", address)
        with killing(lambda: worker_pids(address), 20.0) as kills:
            status = run_disturbed(words, folder / "set", trajectories)
    wrong = wrong_files(folder / "set", folder / "whole", True)
    text = f"{trajectories} trajectories of 50 frames, {len(kills)} workers and 1 driver killed, {wrong} wrong files"
    tell("dask", text, status == 0 and wrong == 0 and len(kills) > 0)


def ray_workers() -> list[int]:
    """Processes of Ray that work on a task."""
    shown = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [int(line.split()[0]) for line in shown if line.endswith("ray::_call")]


def measure_ray(folder: Path, scale: float) -> None:
    trajectories = round(50 * scale)
    subprocess.run(command("flag", folder / "whole", trajectories, 50, COARSE, "--workers", "2"), check=True)
    words = command("flag", folder / "set", trajectories, 50, COARSE, "--ray", "local")
    with killing(ray_workers, 10.0) as kills:
        status = run_disturbed(words, folder / "set", trajectories)
    wrong = wrong_files(folder / "set", folder / "whole", True)
    text = f"{trajectories} trajectories of 50 frames, {len(kills)} workers and 1 driver killed, {wrong} wrong files"
    tell("ray", text, status == 0 and wrong == 0 and len(kills) > 0)


def measure_crossings(folder: Path, scale: float) -> None:
    trajectories = round(100 * scale)
    for recipe in BUILT_IN:
        changes = {} if recipe == "garment" else MEDIUM
        out = folder / recipe
        subprocess.run(command(recipe, out, trajectories, 50, changes, "--workers", "2"), check=False)
        records = [Store(str(out)).read_json(f"records/{path.name}") for path in sorted((out / "records").glob("*.json"))]
        failed = [record for record in records if record["status"] != "done"]
        crossings = sum(record.get("crossings", 0) for record in records)
        most = max(record["vertices"][1] for record in records if record["status"] == "done")
        bad = sum(not has_good_arrays(path) for path in sorted((out / "trajectories").iterdir()))
        text = f"{len(records)} trajectories of 50 frames, up to {most} vertices: {crossings} crossings, {bad} bad files"
        tell(f"crossings of {recipe}", f"{text}, {len(failed)} failed", crossings == 0 and bad == 0 and not failed)
        for record in failed:
            print(f"  trajectory {record['index']}: {record['reason']}")


def has_good_arrays(path: Path) -> bool:
    with np.load(path) as arrays:
        good = all(arrays[name].size > 0 for name in arrays.files)
        return good and all(np.isfinite(arrays[name]).all() for name in arrays.files if arrays[name].dtype.kind in "if")


def measure_kills(folder: Path, scale: float) -> None:
    trajectories, kills, wrong = 3000, round(40 * scale), 0
    words = command("flag", folder / "set", trajectories, 10, COARSE, "--workers", "2")
    whole = command("flag", folder / "whole", trajectories, 10, COARSE, "--workers", "2")
    subprocess.run(whole, check=True)
    for _ in range(kills):
        process = start(words)
        time.sleep(random.uniform(0.3, 3.0))
        kill_all(process)
        wrong += wrong_files(folder / "set", folder / "whole", False) if (folder / "set").exists() else 0
    made = len(list((folder / "set" / "records").iterdir()))
    status = subprocess.run(words, stdout=subprocess.DEVNULL).returncode
    wrong += wrong_files(folder / "set", folder / "whole", True)
    tell("kills", f"{kills} kills -9 at random instants, {made} of {trajectories} made by then: {wrong} wrong files",
         status == 0 and wrong == 0)  # fmt: skip


def measure_disk(folder: Path, scale: float) -> None:
    trajectories, out = 60, folder / "disk" / "set"
    subprocess.run(command("flag", folder / "whole", trajectories, 10, COARSE, "--workers", "2"), check=True)
    out.parent.mkdir()
    words = command("flag", out, trajectories, 10, COARSE, "--workers", "2")
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(out.parent), "-o"]
    wrong, errors = 0, []
    with ExitStack() as stack:
        subprocess.run([*mount, "size=512k"], check=True)
        stack.callback(subprocess.run, ["umount", str(out.parent)], check=True)
        for size in (512, 600, 1200, 2500):
            subprocess.run(["mount", "-o", f"remount,size={size}k", str(out.parent)], check=True)
            done = subprocess.run(words, capture_output=True, text=True)
            errors.append((done.returncode, "No space left" in done.stderr))
            wrong += wrong_files(out, folder / "whole", False)
        subprocess.run(["mount", "-o", "remount,size=1g", str(out.parent)], check=True)
        status = subprocess.run(words, stdout=subprocess.DEVNULL).returncode
        wrong += wrong_files(out, folder / "whole", True)
    tell("disk", f"full 4 times, {errors.count((2, True))} clear errors, {wrong} wrong files", status == 0 and wrong == 0 and errors == [(2, True)] * 4)  # fmt: skip


def measure_cost(folder: Path, scale: float) -> None:
    words = command("flag", folder / "set", max(1, round(6 * scale)), 100, {}, "--workers", "1")
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    line = done.stdout.splitlines()[-1]
    seconds = float(line.split()[0])
    vertices = float(line.split(", ")[1].split()[0])
    at_1500 = seconds * 1500 / vertices
    tell("cost", f"{line}; {at_1500:.3f} core-seconds at 1 500 vertices", at_1500 <= 0.3)
    shares = shares_of(plan_of(load("flag"), folder / "profiled", 100))
    text = ", ".join(f"{what} {100 * share:.1f} %" for what, share in shares.items())
    tell("shares of the CPU time", text, shares["steps"] >= 0.9)


def shares_of(plan: Plan) -> dict[str, float]:
    """Returns which part of the CPU time of a trajectory is for what."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(make_trajectory, plan, 0)
    times = {getattr(entry.code, "co_name", entry.code): entry.totaltime for entry in profile.getstats()}
    whole = times["make_trajectory"]
    names = {"<method 'step' of 'taffeta.World' objects>": "steps", "record": "fields", "sizing": "sizing",
             "<method 'count_crossings' of 'taffeta.World' objects>": "crossings", "_write": "writing"}  # fmt: skip
    return {what: times[name] / whole for name, what in names.items()}


def plan_of(recipe: Recipe, folder: Path, frames: int) -> Plan:
    return Plan(recipe, 0, frames, "npz", Store(str(folder)))


def make_part(recipe: Recipe, folder: Path, frames: int, part: range) -> None:
    plan = plan_of(recipe, folder, frames)
    for index in part:
        make_trajectory(plan, index)


def measure_overhead(folder: Path, scale: float) -> None:
    recipe, trajectories, frames = load("flag", COARSE), round(200 * scale), 15
    engine_times, plain_times = [], []
    for turn in range(3):
        begun = time.perf_counter()
        engine = Local(2)
        plan = plan_of(recipe, folder / f"engine{turn}", frames)
        assert len(list(run(engine, partial(make_trajectory, plan), range(trajectories)))) == trajectories
        engine.close()
        engine_times.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        context = multiprocessing.get_context("spawn")
        parts = [range(k, trajectories, 2) for k in range(2)]
        target = partial(make_part, recipe, folder / f"plain{turn}", frames)
        processes = [context.Process(target=target, args=(part,)) for part in parts]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        plain_times.append(time.perf_counter() - begun)
    excess = min(engine_times) / min(plain_times) - 1
    text = f"{min(engine_times):.2f} s by the engine, {min(plain_times):.2f} s by two plain processes, of three runs each"
    tell("overhead", f"{trajectories} trajectories of {frames} frames: {text}: {100 * excess:+.1f} %", excess <= 0.05)


def resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def watch_memory(recipe: Recipe, folder: Path, frames: int, trajectories: int, sizes: "multiprocessing.Queue[int]") -> None:
    plan = plan_of(recipe, folder, frames)
    for index in range(trajectories):
        make_trajectory(plan, index)
        sizes.put(resident())


def measure_memory(folder: Path, scale: float) -> None:
    trajectories = max(20, round(100 * scale))
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    arguments = (load("flag", COARSE), folder / "set", 50, trajectories, queue)
    process = context.Process(target=watch_memory, args=arguments)
    process.start()
    sizes = [queue.get() for _ in range(trajectories)]
    process.join()
    first, last = (np.mean(part) / 2**20 for part in (sizes[5:15], sizes[-10:]))
    text = f"{first:.1f} MiB after 5 to 15 trajectories, {last:.1f} MiB after {trajectories}"
    tell("memory", f"{text}: {100 * (last / first - 1):+.1f} %", abs(last / first - 1) <= 0.1)


PARTS = {
    "dask": measure_dask, "ray": measure_ray, "crossings": measure_crossings, "kills": measure_kills, "disk": measure_disk,
    "cost": measure_cost, "overhead": measure_overhead, "memory": measure_memory,
}  # fmt: skip


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("part", nargs="*", choices=[*PARTS, []])
    words.add_argument("--scale", type=float, default=1.0, help="part of the numbers of trajectories")
    options = words.parse_args()
    random.seed(0)
    for part in options.part or PARTS:
        folder = Path(tempfile.mkdtemp(prefix=f"taffeta-{part}-"))
        try:
            PARTS[part](folder, options.scale)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if misses else 0


if __name__ == "__main__":
    raise SystemExit(main())
