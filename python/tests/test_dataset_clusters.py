"""Data sets on clusters: real schedulers and workers on this machine, some of which are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import taffeta as tf

pytest.importorskip("fsspec")
from taffeta.dataset.__main__ import main
from taffeta.dataset._needs import MachineError
from taffeta.dataset.engine import RAY_LOSSES, Dask, Inline, Local, Lost, Ray, run
from test_dataset import SMALL, files_of, make

second_tier = pytest.mark.skipif(os.environ.get("TAFFETA_SECOND_TIER") != "1", reason="second tier")


def kill_own_process(item: str) -> int:
    """Ends its worker at once, as often as the folder says; then returns the number of times."""
    folder, times = item.rsplit("*", 1)
    tries = len(list(Path(folder).iterdir()))
    if tries < int(times):
        (Path(folder) / str(tries)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return tries


def raise_an_error(item: int) -> int:
    if item == 3:
        raise ValueError("three")
    return item


def fail_on_one_machine(item: tuple[str, Path]) -> str:
    """Fails on the host of Dask or node of Ray that was the first, and notes that it was tried there."""
    module, folder = item
    if module == "ray":
        here = pytest.importorskip("ray").get_runtime_context().get_node_id()
    else:
        here = pytest.importorskip("distributed").get_worker().address
    bad = folder.parent / "bad"
    try:
        with bad.open("x") as file:
            file.write(here)
    except FileExistsError:
        wait_for(bad.read_text)
    if here == bad.read_text():
        (folder / f"{time.time_ns()}").touch()
        raise MachineError("the file is not here")
    return str(here)


def check_machines(engine: Dask | Ray, module: str, folder: Path) -> None:
    """Tries items on two machines, one of which fails."""
    items = [(module, folder / str(k)) for k in range(20)]
    for _, own in items:
        own.mkdir()
    found = dict(run(engine, fail_on_one_machine, items))
    tries = [len(list(own.iterdir())) for _, own in items]
    # Never twice on the same machine.
    assert max(tries) == 1 and len(set(found.values())) == 1 and (folder / "bad").read_text() not in found.values()


def fail_as_a_machine(item: int) -> int:
    raise MachineError("the disk is full")


# Local processes


def test_what_a_machine_cannot_do_is_tried_again_and_is_told_of() -> None:
    engine = Local(1)
    try:
        ((_, lost),) = run(engine, fail_as_a_machine, [1])
    finally:
        engine.close()
    assert isinstance(lost, Lost)
    assert str(lost) == "it was tried 3 times, and no machine could make it (the disk is full)"


def test_an_item_whose_worker_dies_is_tried_again(tmp_path: Path) -> None:
    folders = [tmp_path / str(k) for k in range(4)]
    for folder in folders:
        folder.mkdir()
    # The last one kills every worker.
    items = [f"{folder}*{times}" for folder, times in zip(folders, (0, 1, 2, 100), strict=True)]
    engine = Local(2)
    engine.attempts = 4
    try:
        found = dict(run(engine, kill_own_process, items))
    finally:
        engine.close()
    assert [found[item] for item in items[:3]] == [0, 1, 2]
    lost = found[items[3]]
    assert isinstance(lost, Lost) and "died 4 times" in str(lost)


def test_an_error_of_a_function_is_raised() -> None:
    for engine in (Inline(), Local(1)):
        with pytest.raises(ValueError, match="three"):
            list(run(engine, raise_an_error, range(5)))
        engine.close()


def test_all_items_come_once() -> None:
    engine = Local(2)
    try:
        assert sorted(result for _, result in run(engine, str, range(50))) == sorted(map(str, range(50)))
    finally:
        engine.close()


@contextmanager
def driver(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A driver as a process of its own, with its workers in its group."""
    command = [sys.executable, "-m", "taffeta.dataset", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield process
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


def wait_for(condition: object, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_driver_that_is_killed_or_stopped_leaves_whole_files(tmp_path: Path) -> None:
    assert make(tmp_path / "whole", trajectories=12) == 0
    given = ["flag", "--trajectories", "12", "--out", str(tmp_path / "set"), "--workers", "2", *SMALL]
    records = tmp_path / "set" / "records"
    with driver(*given) as process:
        wait_for(lambda: records.exists() and len(list(records.iterdir())) >= 2)
    with driver(*given) as process:
        wait_for(lambda: len(list(records.iterdir())) >= 5)
        # Ctrl-C on a terminal goes to all processes.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(20) in (0, 130)
    assert main(given) == 0
    assert files_of(tmp_path / "set") == files_of(tmp_path / "whole")


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes there")
def test_workers_end_with_their_driver(tmp_path: Path) -> None:
    given = ["flag", "--trajectories", "2000", "--out", str(tmp_path / "set"), "--workers", "2", *SMALL]
    with driver(*given) as process:
        wait_for(lambda: len(list((tmp_path / "set" / "records").glob("*"))) >= 2)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) >= 2
        process.kill()
        process.wait()
        wait_for(lambda: not any(is_running(child) for child in children), 20)


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# Dask


@contextmanager
def dask_cluster(folder: Path, workers: int, hosts: tuple[str, ...] = ("127.0.0.1",)) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers as processes, as somebody starts them on several machines. A nanny starts a dead worker anew.

    There are some workers on each host.
    """
    pytest.importorskip("distributed")
    address_file = folder / "scheduler.json"
    options = ["--scheduler-file", str(address_file), "--no-dashboard"]
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1"]
    scheduler = [*module, *options]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nworkers", str(workers), "--nthreads", "1", *options]
    # Functions of the tests are found there.
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "env": environment}
    processes = [subprocess.Popen(scheduler, start_new_session=True, **quiet)]  # type: ignore[call-overload]
    try:
        wait_for(address_file.exists)
        for host in hosts:
            own = [*worker, "--host", host]
            processes.append(subprocess.Popen(own, start_new_session=True, **quiet))  # type: ignore[call-overload]
        import distributed

        with distributed.Client(scheduler_file=str(address_file), set_as_default=False) as client:
            client.wait_for_workers(workers * len(hosts), timeout=60)
            address = client.scheduler.address
        yield address, processes
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def worker_pids(address: str) -> list[int]:
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        # A worker may die while it is asked.
        return sorted(client.run(os.getpid, on_error="ignore").values())


def test_dask_makes_the_same_set_while_a_worker_is_killed(tmp_path: Path) -> None:
    assert make(tmp_path / "whole", trajectories=16) == 0
    with dask_cluster(tmp_path, 2) as (address, _):
        given = ["flag", "--trajectories", "16", "--out", str(tmp_path / "set"), "--dask", address, *SMALL]
        with driver(*given) as process:
            records = tmp_path / "set" / "records"
            wait_for(lambda: records.exists() and len(list(records.iterdir())) >= 2)
            os.kill(worker_pids(address)[0], signal.SIGKILL)
            assert process.wait(120) == 0
    assert files_of(tmp_path / "set") == files_of(tmp_path / "whole")


@pytest.mark.skipif(sys.platform != "linux", reason="needs two addresses of this machine")
def test_dask_tries_what_a_machine_cannot_do_on_another_one(tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    with dask_cluster(tmp_path, 1, ("127.0.0.1", "127.0.0.2")) as (address, _):
        engine = Dask(address)
        try:
            check_machines(engine, "distributed", tmp_path / "items")
        finally:
            engine.close()


def test_a_scheduler_that_does_not_answer_or_has_no_workers_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    given = ["flag", "--trajectories", "2", "--out", str(tmp_path / "set"), *SMALL]
    with monkeypatch.context() as patch:
        patch.setattr("taffeta.dataset.engine.PATIENCE", 2)
        assert main([*given, "--dask", "tcp://127.0.0.1:9"]) == 2
        told = capsys.readouterr().err
        assert "no scheduler of Dask answers at tcp://127.0.0.1:9" in told and "dask scheduler" in told
        assert main([*given, "--dask", "nonsense://x"]) == 2 and "nonsense" in capsys.readouterr().err
    with dask_cluster(tmp_path, 1) as (address, processes):
        os.killpg(processes[1].pid, signal.SIGKILL)
        wait_for(lambda: not worker_pids(address))
        assert main([*given, "--dask", address]) == 2
    assert "has no workers" in capsys.readouterr().err and not (tmp_path / "set").exists()


def test_a_scheduler_that_dies_ends_the_run_with_an_error(tmp_path: Path) -> None:
    with dask_cluster(tmp_path, 1) as (address, processes):
        given = ["flag", "--trajectories", "500", "--out", str(tmp_path / "set"), "--dask", address, *SMALL]
        with driver(*given) as process:
            records = tmp_path / "set" / "records"
            wait_for(lambda: records.exists() and len(list(records.iterdir())) >= 2)
            os.killpg(processes[0].pid, signal.SIGKILL)
            told = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 2 and "the cluster is gone" in told, told
    assert main(["flag", "--trajectories", "3", "--out", str(tmp_path / "set"), "--workers", "0", *SMALL]) == 0


def exhaust_memory(item: int) -> int:
    raise MemoryError


def test_an_item_that_needs_more_memory_than_there_is_counts_as_lost() -> None:
    (_, result), *_ = list(run(Inline(), exhaust_memory, [1]))
    assert isinstance(result, Lost)


def test_a_worker_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with dask_cluster(tmp_path, 1) as (address, _):
        monkeypatch.setattr(tf, "__version__", "9.9.9")
        with pytest.raises(tf.DatasetError, match=r"but here is taffeta 9\.9\.9: install it on all workers"):
            Dask(address)


# Ray


@second_tier
def test_ray_makes_the_same_set(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    assert make(tmp_path / "whole", trajectories=8) == 0
    assert main(["flag", "--trajectories", "8", "--out", str(tmp_path / "set"), "--ray", "local", *SMALL]) == 0
    assert files_of(tmp_path / "set") == files_of(tmp_path / "whole")


@second_tier
def test_ray_tries_what_a_machine_cannot_do_on_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    utils = pytest.importorskip("ray.cluster_utils")
    # Functions of the tests are found there.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    cluster = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        engine = Ray(cluster.address)
        try:
            check_machines(engine, "ray", tmp_path)
        finally:
            engine.close()
    finally:
        cluster.shutdown()


@second_tier
def test_a_worker_of_ray_that_is_ended_for_want_of_memory_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    # As if the memory of the machine were full at once.
    monkeypatch.setenv("RAY_memory_usage_threshold", "0.001")
    monkeypatch.setenv("RAY_memory_monitor_refresh_ms", "50")
    engine = Ray("local")
    engine.attempts = 2
    try:
        ((_, lost),) = run(engine, time.sleep, [20])
    finally:
        engine.close()
    assert isinstance(lost, Lost) and "its worker died 2 times" in str(lost) and "memory" in str(lost)


def test_losses_of_ray_are_exceptions_of_ray() -> None:
    exceptions = pytest.importorskip("ray.exceptions")
    for name in RAY_LOSSES:
        assert issubclass(getattr(exceptions, name), exceptions.RayError)
        assert not issubclass(getattr(exceptions, name), exceptions.RayTaskError)


@second_tier
def test_a_sweep_runs_on_ray(scene: tf.Scene) -> None:
    pytest.importorskip("ray")
    vary, times = {"cloth.0.grid.cells": [[4, 4], [6, 6]]}, ["wall_s", "cpu_s", "frame_ms"]
    here, there = (tf.sweep(scene, vary, frames=2, client=client, workers=0) for client in (None, "ray"))
    assert here.drop(columns=times).equals(there.drop(columns=times))


def test_a_ray_cluster_that_does_not_answer_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray")
    given = ["flag", "--trajectories", "2", "--out", str(tmp_path / "set"), *SMALL]
    assert main([*given, "--ray", "127.0.0.1:9"]) == 2
    assert "no cluster of Ray answers at 127.0.0.1:9" in capsys.readouterr().err and not (tmp_path / "set").exists()
