"""Engines: what runs a function over many items, each in a process of its own.

All of them have the same small interface: ``submit`` returns a future, and a future that ends with an exception of ``lost``
has lost its worker. ``run`` does the rest: it keeps all workers busy. What was lost, or what a machine could not do, it tries
again, elsewhere where there are several machines.
"""

import multiprocessing
import multiprocessing.connection
import os
import queue
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeVar

from .._errors import DatasetError
from ._needs import MachineError, need

T = TypeVar("T")
Exceptions = tuple[type[BaseException], ...]
Machines = frozenset[str]
# Seconds that a cluster has to answer.
PATIENCE = 20
# Number of times that an item is tried which machines cannot do.
TRIES = 3


class Lost(Exception):
    """An item that no worker could end, as often as it was tried: the text says why."""


class Engine(Protocol):
    """Runs a function on workers."""

    slots: int
    """Number of items that are worked on at a time."""
    ahead: int
    """Number of items that may wait at the workers."""
    attempts: int
    """Number of times that an item may lose its worker."""
    lost: Exceptions
    """Exceptions that say that a worker was lost."""
    gone: Exceptions
    """Exceptions that say that the cluster was lost."""

    def submit(self, function: Callable[[Any], Any], item: Any, avoided: Machines) -> Any:
        """Begins with an item, on none of some machines if there are others, and returns its future."""

    def close(self) -> None:
        """Ends what runs."""


def run(engine: Engine, function: Callable[[Any], T], items: Iterable[Any]) -> Iterator[tuple[Any, T | Lost]]:
    """Yields each item with what the function returned, as they come, or with ``Lost``. Its exceptions end the run."""
    waiting, ended = iter(items), queue.SimpleQueue[Any]()
    begun: dict[Any, Any] = {}
    losses: dict[Any, list[str]] = {}

    def begin(item: Any) -> None:
        try:
            future = engine.submit(function, item, frozenset(losses.get(item, ())) - {""})
        except engine.gone as error:
            raise _gone(error) from error
        begun[future] = item
        future.add_done_callback(ended.put)

    def fill() -> None:
        while len(begun) < engine.slots + engine.ahead:
            item = next(waiting, begun)
            if item is begun:
                return
            begin(item)

    fill()
    while begun:
        future = ended.get()
        item = begun.pop(future)
        try:
            result: T | Lost = future.result()
        except engine.gone as error:
            raise _gone(error) from error
        except (*engine.lost, MemoryError, MachineError) as error:  # type: ignore[misc]
            machines = losses.setdefault(item, [])
            machines.append(getattr(_cause_of(error), "machine", ""))
            if len(machines) < (min(TRIES, engine.attempts) if isinstance(error, MachineError) else engine.attempts):
                begin(item)
                continue
            result = Lost(_loss(error, len(machines)))
        yield item, result
        fill()


def _loss(error: BaseException, times: int) -> str:
    if isinstance(error, MachineError):
        return f"it was tried {times} times, and no machine could make it ({_cause_of(error)})"
    return f"its worker died {times} times ({str(_cause_of(error)) or type(error).__name__})"


def _cause_of(error: BaseException) -> BaseException:
    """Returns the error that was raised on the worker: Ray wraps it."""
    return getattr(error, "cause", None) or error


def _gone(error: BaseException) -> DatasetError:
    text = "start it anew, with taffeta on all machines, and then the same command"
    return DatasetError(f"the cluster is gone ({_cause_of(error)}): {text}")


class Inline:
    """No other process: for tests, and for file systems in memory."""

    slots: int = 1
    ahead: int = 0
    attempts: int = 1
    lost: Exceptions = ()
    gone: Exceptions = ()

    def submit(self, function: Callable[[Any], Any], item: Any, avoided: Machines) -> Any:
        future: Future[Any] = Future()
        try:
            future.set_result(function(item))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


class Local:
    """Processes on this machine, each a pool of its own: where one dies, it is known over which item."""

    attempts: int = 8
    ahead: int = 0
    lost: Exceptions = (BrokenProcessPool,)
    gone: Exceptions = ()

    def __init__(self, workers: int | None = None) -> None:
        self.slots: int = workers or _core_count()
        self._free: queue.SimpleQueue[ProcessPoolExecutor] = queue.SimpleQueue()
        self._pools: set[ProcessPoolExecutor] = set()
        for _ in range(self.slots):
            self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin_worker)
        self._pools.add(pool)
        self._free.put(pool)

    def submit(self, function: Callable[[Any], Any], item: Any, avoided: Machines) -> Any:
        pool = self._free.get()
        try:
            future = pool.submit(function, item)
        except BrokenProcessPool:
            # It died while it had nothing to do.
            self._pools.discard(pool)
            self._start()
            return self.submit(function, item, avoided)
        future.add_done_callback(partial(self._give_back, pool))
        return future

    def _give_back(self, pool: ProcessPoolExecutor, future: "Future[Any]") -> None:
        if not future.cancelled() and isinstance(future.exception(), BrokenProcessPool):
            self._pools.discard(pool)
            self._start()
        else:
            self._free.put(pool)

    def close(self) -> None:
        for pool in list(self._pools):
            # Without waiting for what runs: a trajectory is written as a whole or not at all.
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()


def _begin_worker() -> None:
    """Lets a worker end without words at Ctrl-C, and when its parent is gone, however that ended."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _core_count() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Dask:
    """A cluster of dask.distributed, by the address of its scheduler or by a client."""

    # The scheduler itself tries an item on several workers before it gives up.
    attempts: int = 3

    def __init__(self, cluster: Any) -> None:
        distributed = need("distributed", "dask")
        self._client = self._connect(distributed, cluster) if isinstance(cluster, str) else cluster
        self._is_own = isinstance(cluster, str)
        self.lost: Exceptions = (distributed.scheduler.KilledWorker,)
        self.gone: Exceptions = (distributed.CancelledError, distributed.comm.CommClosedError)
        threads = self._client.nthreads()
        if not threads:
            self.close()
            raise DatasetError(f"the scheduler {cluster} has no workers: start some, `dask worker {cluster}`")
        # None has to wait for the way to the client and back.
        self.slots = self.ahead = sum(threads.values())
        self._check_versions()

    @staticmethod
    def _connect(distributed: Any, address: str) -> Any:
        try:
            return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            text = f"no scheduler of Dask answers at {address} ({error}): start one, `dask scheduler`, and give the address"
            raise DatasetError(f"{text} that it prints") from error

    def _check_versions(self) -> None:
        from .. import __version__

        found = self._client.run(version_here, on_error="return")
        for worker, version in found.items():
            # One that is lost meanwhile is started anew, and its tasks look at the version again.
            if version != __version__ and not isinstance(version, OSError):
                self.close()
                what = version if isinstance(version, str) else f"no taffeta that works ({version})"
                raise DatasetError(f"worker {worker} has {what}, but here is taffeta {__version__}: install it on all workers")

    def submit(self, function: Callable[[Any], Any], item: Any, avoided: Machines) -> Any:
        hosts = {_host_of(address) for address in self._client.nthreads()} if avoided else set()
        return self._client.submit(_call, _dask_machine, function, item, pure=False, workers=sorted(hosts - avoided) or None)

    def close(self) -> None:
        if self._is_own:
            self._client.close()


def _host_of(address: str) -> str:
    """Returns the host in the address of a worker of Dask, such as ``tcp://10.0.0.3:41234``."""
    return address.rpartition("://")[2].rpartition(":")[0].strip("[]")


def _dask_machine() -> str:
    return _host_of(need("distributed", "dask").get_worker().address)


def _ray_machine() -> str:
    return str(need("ray", "ray").get_runtime_context().get_node_id())


def version_here() -> str:
    """Returns the version of the package in this process."""
    from .. import __version__

    return __version__


def _knock(address: str) -> None:
    """Raises OSError where nothing listens: Ray itself waits for minutes."""
    host, sign, port = address.removeprefix("ray://").rpartition(":")
    if sign and port.isdigit():
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()


def _call(machine: Callable[[], str], function: Callable[[Any], Any], item: Any) -> Any:
    """Calls a function on a worker; an error of the machine says which one it was."""
    try:
        return function(item)
    except MachineError as error:
        error.machine = machine()
        raise


# Exceptions of Ray that are no errors of the task itself: its worker or machine was lost, or had no memory or disk left.
RAY_LOSSES = (
    "LocalRayletDiedError", "NodeDiedError", "ObjectLostError", "ObjectStoreFullError", "OutOfDiskError", "OutOfMemoryError",
    "RuntimeEnvSetupError", "TaskUnschedulableError", "WorkerCrashedError",
)  # fmt: skip


class Ray:
    """A cluster of Ray, by its address; ``local`` starts one on this machine."""

    attempts: int = 8

    def __init__(self, address: str) -> None:
        ray = need("ray", "ray")
        self._ray = ray
        self._is_own = not ray.is_initialized()
        if self._is_own:
            try:
                _knock(address)
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            except (OSError, ValueError, ConnectionError, RuntimeError) as error:
                text = f"no cluster of Ray answers at {address} ({error}): start one, `ray start --head`"
                raise DatasetError(text) from error
        self.slots = self.ahead = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.lost: Exceptions = tuple(getattr(ray.exceptions, name) for name in RAY_LOSSES)
        self.gone: Exceptions = (ray.exceptions.RaySystemError,)
        # What dies is tried again by `run`, which counts.
        self._task = ray.remote(num_cpus=1, max_retries=0)(_call)

    def submit(self, function: Callable[[Any], Any], item: Any, avoided: Machines) -> Any:
        strategy = self._elsewhere(avoided) if avoided else None
        task = self._task.options(scheduling_strategy=strategy) if strategy else self._task
        return task.remote(_ray_machine, function, item).future()

    def _elsewhere(self, avoided: Machines) -> Any:
        """Says that a task runs on none of some nodes; None: there are no others."""
        if {node["NodeID"] for node in self._ray.nodes() if node["Alive"]} <= avoided:
            return None
        strategies = need("ray.util.scheduling_strategies", "ray")
        return strategies.NodeLabelSchedulingStrategy({"ray.io/node-id": strategies.NotIn(*sorted(avoided))})

    def close(self) -> None:
        if self._is_own:
            self._ray.shutdown()


@contextmanager
def opened(client: Any, workers: int | None) -> Iterator[Engine]:
    """Gives the engine for a client, and closes it at the end if it was made here.

    None stands for processes here, ``"ray"`` for a cluster of Ray, another text for the address of a scheduler of Dask.
    """
    if workers is not None and workers < 0:
        raise DatasetError(f"workers is {workers}, but must not be negative")
    if isinstance(client, Inline | Local | Dask | Ray):
        yield client
        return
    engine: Engine
    if client is None:
        engine = Inline() if workers == 0 else Local(workers)
    else:
        engine = Ray("local") if client == "ray" else Dask(client)
    try:
        yield engine
    finally:
        engine.close()
