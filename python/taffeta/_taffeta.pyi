"""The compiled part of the package."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

from ._bodies import Bodies, Load, Origins

_T = TypeVar("_T")
_Vector = Sequence[float] | npt.NDArray[np.float64]
_Path = str | os.PathLike[str]

__all__ = [
    "Cloth",
    "Crew",
    "Grab",
    "Obstacle",
    "Owner",
    "Pin",
    "Rope",
    "Scene",
    "Snapshot",
    "StepReport",
    "Substep",
    "View",
    "World",
    "__version__",
    "drape_material",
    "encode_png",
    "list_frames",
    "read_frame",
    "remesh",
    "render_result",
    "render_world",
    "run_program",
    "run_scene",
    "step_worlds",
    "time_steps",
]
__version__: Final[str]

@final
class Scene:
    """A checked scene: what is simulated, and how.

    ``content`` has the tables of a scene file. Relative paths in it are relative to ``base``, or to where the program runs.
    A scene pickles: in another process and folder it is equal, and its paths lead to the same files.
    """

    def __new__(cls, content: dict[str, Any], *, base: _Path | None = None) -> Scene: ...
    @staticmethod
    def load(path: _Path) -> Scene:
        """Reads a scene file, TOML or JSON."""

    @staticmethod
    def from_toml(text: str, *, base: _Path | None = None) -> Scene:
        """Reads a scene from a text."""

    def __getitem__(self, key: str, /) -> Any:
        """A value of the resolved scene by its path, such as ``cloth.0.grid.cells``."""

    def __setitem__(self, key: str, value: Any, /) -> None:
        """Sets a value by its path, as ``--set`` of the program does. The scene must make sense with it."""

    def update(self, changes: dict[str, Any]) -> None:
        """Sets several values by their paths. Only the result must make sense."""

    def to_dict(self) -> Any:
        """Returns the scene as resolved: every value explicit."""

    def copy(self) -> Scene:
        """Returns a scene that is changed independently."""

    def __copy__(self) -> Scene: ...
    def __deepcopy__(self, _memo: Any, /) -> Scene: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def build(self, threads: int | None = None) -> World:
        """Builds the world at time 0. 0 threads are all cores, None as many as the scene says; results are the same."""

    def hash(self) -> str:
        """Returns the identity of the scene: equal for scenes that give equal results."""

    @property
    def path(self) -> os.PathLike[str]:
        """The file that the scene was read from, or a name that stands for it."""

    @property
    def frame_time(self) -> float:
        """Time between two frames [s]."""

    @property
    def last_frame(self) -> int:
        """Number of the last frame."""

@final
class World:
    """A simulated world. One thread at a time uses it; others get a ``WorldBusyError``."""

    def step(
        self,
        dt: float,
        *,
        gravity: _Vector | None = None,
        wind: _Vector | None = None,
        grabs: Sequence[Grab] | None = None,
        budget: float | None = None,
        callback: Callable[[Substep], object] | None = None,
    ) -> StepReport:
        """Advances the world by a time [s], then adapts the meshes that are due. Other threads run meanwhile.

        ``gravity`` [m/s²] and ``wind`` [m/s] count for this step instead of those of the scene; wind in a vacuum is refused.
        ``budget`` is the wall time that a step may take [s]: where steps take longer, the next ones are rougher, until they fit.
        ``callback`` is called before each substep, on the calling thread, and may move the targets of the grabs. If the step fails, the callback raises
        or Ctrl-C is pressed, the exception is raised and the world is as it was before.
        """

    def equilibrate(self) -> StepReport:
        """Moves the cloths to an equilibrium, without time passing."""

    def snapshot(self) -> Snapshot:
        """Returns a note of the present state, made much faster than by ``save``, to return to in this world."""

    def return_to(self, snapshot: Snapshot) -> None:
        """Returns to a snapshot of this world."""

    def save(self) -> bytes:
        """Returns the state as bytes."""

    def restore(self, state: bytes) -> None:
        """Goes to a saved state of a world of the same scene."""

    def state_hash(self) -> str:
        """Returns the hash of positions and velocities, as reports have it."""

    def checkpoint_hash(self) -> str:
        """Returns the hash of the whole state, as ``summary.json`` has it."""

    def measure(self) -> dict[str, Any]:
        """Returns energies [J], momenta, the largest strain and the residual [N] of the present state."""

    def count_crossings(self) -> int | None:
        """Counts where edges go through faces, exactly; None where nothing can meet."""

    @property
    def cloths(self) -> Bodies[Cloth]:
        """The cloths by name; the last ones are the surfaces of solids."""

    @property
    def obstacles(self) -> Bodies[Obstacle]:
        """The obstacles by name: those in closed form, then those made of triangles."""

    @property
    def pins(self) -> Bodies[Pin]:
        """The pins by name."""

    def add_obstacle(self, table: dict[str, Any]) -> Obstacle:
        """Adds an obstacle, described by a table as in a scene file. Cloth that it crosses is pulled apart from it slowly.

        The times of its keyframes count from now. No obstacle of the world may have its name.
        """

    def add_cloth(self, table: dict[str, Any]) -> Cloth:
        """Adds a cloth, described by a table as in a scene file, at its time 0.

        The times of its seams, of its inflation and of its pins count from now. No body of the world may have its name, and
        no pin that holds the name of one of its pins.
        """

    def teleport(
        self,
        bodies: str | Cloth | Rope | Obstacle | Iterable[str | Cloth | Rope | Obstacle],
        *,
        position: _Vector | None = None,
        rotation: _Vector | None = None,
        keep_velocities: bool = True,
    ) -> None:
        """Sets cloths and ropes, with the pins that hold them, and obstacles elsewhere at once, by name or handle.

        Each point goes where ``rotation``, a quaternion (w, x, y, z), takes it about the origin of the world, and then by
        ``position`` [m]. Shapes stay; velocities are turned along, or zero. Nothing is swept on the way. What would cross
        something there is refused, and nothing changes.
        """

    @property
    def ropes(self) -> Bodies[Rope]:
        """The ropes by name."""

    @property
    def time(self) -> float:
        """Time [s]."""

    @property
    def frame(self) -> int:
        """Number of steps made."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices of all bodies."""

    @property
    def face_count(self) -> int:
        """Number of faces of all cloths."""

    @property
    def solver(self) -> str:
        """The solver in use."""

    @property
    def has_fixed_topology(self) -> bool:
        """True if nothing in the world can change a mesh: no remeshing, tears, seams."""

    def _repr_png_(self) -> bytes: ...

@final
class Cloth:
    """A cloth of a world. Its arrays are read-only and keep the values of the moment when they were taken."""

    @property
    def name(self) -> str:
        """Its name in the scene."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""

    @property
    def face_count(self) -> int:
        """Number of faces."""

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """Positions [m], shape (vertices, 3), world space, in the order of the file or grid that the cloth was made from."""

    @property
    def vertex_names(self) -> npt.NDArray[np.int32]:
        """Number of each vertex in the file or grid that the cloth was made from, shape (vertices,); -1: added since."""

    @property
    def velocities(self) -> npt.NDArray[np.float64]:
        """Velocities [m/s], shape (vertices, 3), world space."""

    @property
    def normals(self) -> npt.NDArray[np.float32]:
        """Unit normals at the vertices, shape (vertices, 3)."""

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """Corners of the faces, shape (faces, 3)."""

    @property
    def material(self) -> npt.NDArray[np.float64] | None:
        """Material coordinates of the corners of the faces [m], shape (faces, 3, 2); None: the cloth has none."""

    @property
    def panels(self) -> npt.NDArray[np.uint32]:
        """The panel of each face, by its number in the cloth, shape (faces,)."""

    def position_of(self, point: _Vector, *, panel: int | None = None) -> npt.NDArray[np.float64]:
        """Position of a material point [m], shape (3,). ``point`` and ``panel`` are those of a ``Grab``."""

    @property
    def vertex_material(self) -> npt.NDArray[np.float64] | None:
        """Material coordinates of the vertices [m], shape (vertices, 2); None: the cloth has none.

        A vertex on a seam has several, one for each panel: here are those of its first face.
        """

    @property
    def strains(self) -> npt.NDArray[np.float64]:
        """The principal Green strain of each face that is the larger one in absolute value, shape (faces,)."""

    @property
    def sizes(self) -> npt.NDArray[np.float64]:
        """The edge length wanted at each vertex [m], shape (vertices,)."""

    @property
    def asked_sizing(self) -> npt.NDArray[np.float64]:
        """The tensor that remeshing asked for in the last step: m00, m01, m11 [1/m²], as ``remesh`` takes it.

        It has a row for each vertex of the mesh before that step, shape (vertices before, 3), in material space. A cloth that
        no pass was made for keeps its earlier tensors, or has those of the mean lengths of its edges.
        """

    @property
    def topology_version(self) -> int:
        """Count of the changes of the mesh: arrays of one version fit together."""

    @property
    def origins(self) -> Origins:
        """Places of the vertices on the mesh before its topology last changed."""

    def remove(self) -> None:
        """Removes the cloth from the world, with its seams. Pins that hold nothing else let go."""

    def add_pin(
        self,
        vertices: npt.ArrayLike,
        *,
        name: str = "",
        axes: tuple[bool, bool, bool] = (True, True, True),
        follow: str | None = None,
    ) -> Pin:
        """Holds vertices, given by their numbers or a mask, where they are by a new pin, along some or all axes.

        With the name of an obstacle in `follow`, each vertex keeps its place relative to the nearest point of the obstacle.

        The pin also takes along what remeshing adds between two of them on the boundary, or in a face of which it holds all
        corners. Vertices of a pin that was released can be held at once.
        """

    def positions_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the positions into a writeable float32 array of shape (vertices, 3) in C order [m]."""

    def velocities_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the velocities into a writeable float32 array of shape (vertices, 3) in C order [m/s]."""

    def normals_into(self, out: npt.NDArray[np.float32]) -> None:
        """Writes the unit normals at the vertices into a writeable float32 array of shape (vertices, 3) in C order."""

    def view(self, name: Literal["positions", "velocities", "faces", "material"]) -> View:
        """Returns a handle on an array that refuses to be read after the mesh has changed."""

@final
class View:
    """An array of a cloth that is read anew each time, as long as the mesh stays the same; then ``StaleViewError``."""

    def get(self) -> npt.NDArray[Any]:
        """Returns the array as it is now."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    @property
    def cloth(self) -> str:
        """Name of the cloth."""

    @property
    def name(self) -> str:
        """Name of what it shows."""

    @property
    def topology_version(self) -> int:
        """The version of the mesh that it is of."""

@final
class Rope:
    """A rope of a world."""

    @property
    def name(self) -> str:
        """Its name in the scene."""

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """Positions of the vertices along the rope [m], shape (vertices, 3)."""

    @property
    def velocities(self) -> npt.NDArray[np.float64]:
        """Velocities of the vertices [m/s], shape (vertices, 3)."""

@final
class Obstacle:
    """An obstacle of a world."""

    @property
    def name(self) -> str:
        """Its name in the scene."""

    @property
    def kind(self) -> str:
        """Its kind: sphere, plane, capsule, box or mesh."""

    @property
    def pose(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """Its pose: position [m] and quaternion (w, x, y, z), from its frame to world space.

        Assign a pose to move it there within the next step, on a straight line and at constant angular velocity by the shorter
        way round.
        """

    @pose.setter
    def pose(self, value: tuple[_Vector, _Vector], /) -> None: ...
    @property
    def velocity(self) -> tuple[float, float, float] | None:
        """Velocity of the origin of what has a `mass` or a `max_force` [m/s]; None for what moves as it is told."""

    @property
    def angular_velocity(self) -> tuple[float, float, float] | None:
        """Angular velocity of what has a `mass` or a `max_force` [rad/s]; None for what moves as it is told."""

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """Positions of the vertices of a mesh [m]. Assign as many to move them there within the next step: a skinned body."""

    @positions.setter
    def positions(self, positions: npt.ArrayLike, /) -> None: ...

    def teleport(self, value: tuple[_Vector, _Vector]) -> None:
        """Sets it at once to a pose: position [m] and quaternion (w, x, y, z). Nothing is swept on the way."""

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """Corners of the faces of a mesh, shape (faces, 3)."""

    def remove(self) -> None:
        """Removes the obstacle from the world."""

@final
class Pin:
    """A pin of a world: what holds vertices of a cloth, rope or solid."""

    @property
    def name(self) -> str:
        """Its name in the scene."""

    @property
    def is_released(self) -> bool:
        """True if it is released."""

    @property
    def vertices(self) -> npt.NDArray[np.int64]:
        """Numbers of the held vertices in the arrays of their cloth or rope, shape (held,), in the order of ``positions``.

        A vertex inside of a solid is in no array and has the number -1. Remeshing changes numbers.
        """

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """Positions of the vertices that it holds [m], shape (held, 3)."""

    @property
    def targets(self) -> npt.NDArray[np.float64]:
        """Targets of the vertices in the next step, by default their positions [m], shape (held, 3). Assign an array to move them."""

    @targets.setter
    def targets(self, targets: npt.ArrayLike, /) -> None: ...
    def set_pose(self, value: tuple[_Vector, _Vector]) -> None:
        """Moves the vertices as a rigid body within the next step: position [m] and quaternion (w, x, y, z).

        The pose takes the vertices from where they were at time 0, or when the pin was added.
        """

    def release(self) -> None:
        """Lets go of the vertices: it holds none from now on."""

@final
class Snapshot:
    """A note of a state of a world, to return to."""

    @property
    def time(self) -> float:
        """The time when it was taken [s]."""

@final
class Grab:
    """A pull on a material point for one step.

    ``point`` is the material point [m]: (u, v) on a cloth with material coordinates. Where several ``panel``s of the cloth
    cover it, one must be named. On a rope, and on a cloth without material coordinates, it is (x, y, z) at time 0; this also
    names a point of a cloth of several charts. ``stiffness`` [N/m] is that of the spring from the point to the ``target``
    [m]. ``radius`` [m] is that of the patch of its panel that shares the force, 0 for the point alone.
    """

    def __new__(
        cls,
        body: str,
        point: _Vector,
        target: _Vector,
        *,
        stiffness: float = 100.0,
        radius: float = 0.0,
        panel: int | None = None,
    ) -> Grab: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, list[float], list[float]], dict[str, float]]: ...
    @property
    def body(self) -> str:
        """Name of the cloth or rope."""

    @property
    def point(self) -> list[float]:
        """The material point [m]."""

    @property
    def target(self) -> list[float]:
        """Point that it is pulled to [m]."""

    @property
    def stiffness(self) -> float:
        """Stiffness of the spring [N/m]."""

    @property
    def radius(self) -> float:
        """Radius of the patch that shares the force [m]."""

    @property
    def panel(self) -> int | None:
        """The panel of the point; None: the only one that covers it."""

@final
class Substep:
    """State that a callback gets before a substep."""

    @property
    def time(self) -> float:
        """Time at the start of the substep [s]."""

    @property
    def length(self) -> float:
        """Length of the substep [s]."""

    @property
    def places(self) -> npt.NDArray[np.float64]:
        """Position of the point of each grab [m], shape (grabs, 3)."""

    @property
    def targets(self) -> npt.NDArray[np.float64]:
        """Target of each grab [m], shape (grabs, 3). Assign an array to move them."""

    @targets.setter
    def targets(self, targets: npt.ArrayLike, /) -> None: ...

@final
class StepReport:
    """The outcome of a step, as attributes and as a mapping."""

    @property
    def time(self) -> float:
        """Time after the step [s]."""

    @property
    def vertices(self) -> int:
        """Vertices after the step."""

    @property
    def faces(self) -> int:
        """Faces after the step."""

    @property
    def contacts(self) -> int:
        """Contacts that carried a force in the last substep."""

    @property
    def substeps(self) -> int:
        """Number of substeps, pieces of those that were cut included; 0 where the world rests."""

    @property
    def iterations(self) -> int:
        """Sweeps per substep, or the most Newton iterations of a substep."""

    @property
    def energy(self) -> float:
        """Kinetic, elastic and potential energy together [J]."""

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy [J]."""

    @property
    def stretch_energy(self) -> float:
        """Elastic energy of the membrane [J]."""

    @property
    def bend_energy(self) -> float:
        """Elastic energy of bending [J]."""

    @property
    def gravity_energy(self) -> float:
        """Potential energy in gravity, zero at the origin [J]."""

    @property
    def momentum(self) -> tuple[float, float, float]:
        """Linear momentum [kg·m/s]."""

    @property
    def angular_momentum(self) -> tuple[float, float, float]:
        """Angular momentum about the center of mass [kg·m²/s]."""

    @property
    def max_strain(self) -> float:
        """Largest principal Green strain in absolute value."""

    @property
    def residual(self) -> float:
        """Norm of the unbalanced forces on the free vertices [N]."""

    @property
    def error(self) -> float:
        """The largest estimated error of a substep, relative to the size of a body."""

    @property
    def not_converged(self) -> int:
        """Substeps that did not converge."""

    @property
    def remeshed(self) -> tuple[str, ...]:
        """Names of the cloths whose topology has changed, by remeshing, tearing or sewing."""

    @property
    def splits(self) -> int:
        """Edges that were split."""

    @property
    def collapses(self) -> int:
        """Edges that were collapsed."""

    @property
    def flips(self) -> int:
        """Edges that were flipped."""

    @property
    def popping(self) -> float:
        """Displacement of the surface by the remeshing pass, relative to the size of the cloth (RMS); the largest of all cloths."""

    @property
    def kinetic_jump(self) -> float:
        """Change of the kinetic energy by the pass [J]."""

    @property
    def elastic_jump(self) -> float:
        """Change of the elastic energy by the pass [J]."""

    @property
    def torn_length(self) -> float:
        """Length of the edges that have torn open, at rest [m]."""

    @property
    def broken_edges(self) -> int:
        """Edges whose spring has let go."""

    @property
    def tears(self) -> int:
        """Number of times that a vertex has come apart."""

    @property
    def forced(self) -> int:
        """Pairs of primitives that pins or obstacles have forced together."""

    @property
    def obstacle_loads(self) -> dict[str, Load]:
        """Force and torque on each obstacle, by name: for a rigid-body engine that is to react."""

    @property
    def rough(self) -> tuple[float, float] | None:
        """Error allowed to a substep and factor of edge lengths, for the budget of the step; ``None``: as the scene asks."""

    @property
    def state_hash(self) -> str:
        """Hash of positions and velocities after the step."""

    @property
    def times(self) -> dict[str, float]:
        """Wall time of each stage [s]."""

    def keys(self) -> list[str]:
        """Returns the names of the mapping."""

    def values(self) -> list[Any]:
        """Returns the values in the order of the names."""

    def items(self) -> list[tuple[str, Any]]:
        """Returns names and values."""

    @overload
    def get(self, key: str) -> Any | None: ...
    @overload
    def get(self, key: str, default: _T) -> Any | _T: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...

@final
class Owner:
    """Keeps alive what an array shows."""

@final
class Crew:
    """Threads that step worlds."""

    def __new__(cls, threads: int) -> Crew: ...
    @property
    def threads(self) -> int:
        """Number of threads."""

def step_worlds(
    crew: Crew,
    worlds: Sequence[tuple[int, World]],
    dt: float,
    gravity: _Vector | None = None,
    wind: _Vector | None = None,
    grabs: Sequence[Sequence[Grab] | None] | None = None,
) -> list[StepReport]:
    """Makes a step of each world. Errors name a world by the number that comes with it."""

def time_steps(world: World, dt: float, count: int, pause: float = 0.0) -> list[float]:
    """Makes steps as a program in Rust makes them, and returns how long each took [s]."""

def run_scene(
    scene: Scene,
    out: _Path,
    frames: int | None,
    threads: int | None,
    draft: bool,
    resume: bool,
    complete: bool,
    listener: Callable[..., object],
) -> None:
    """Runs a scene into a folder and tells a listener how it goes on."""

def run_program(arguments: Sequence[str]) -> int:
    """Runs the program with its arguments, the first of which is its name, and returns the exit status."""

def remesh(
    positions: npt.ArrayLike,
    faces: npt.ArrayLike,
    sizing: npt.ArrayLike,
    uv: npt.ArrayLike | None,
    pins: npt.ArrayLike | None,
    passes: int,
    max_vertices: int,
    gradation: float | None,
    aspect: float,
    tolerance: float | None,
) -> tuple[
    tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]], bool
]:
    """Remeshes a sheet, and says whether it is as fine as was asked."""

def drape_material(
    scene: Scene,
    pattern: str,
    size: float,
    refine_error: float | None,
    start: int,
    waves: int | None,
    lowering: float,
    radii: list[float],
) -> tuple[
    float,
    int,
    float,
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.uint32],
    float,
    int,
    float,
]:
    """Drapes the material of the first cloth of a scene."""

def render_world(
    world: World,
    width: int,
    height: int,
    wireframe: bool = False,
    camera: _Vector | None = None,
    target: _Vector | None = None,
) -> npt.NDArray[np.uint8]:
    """Draws a world as it is now."""

def render_result(
    folder: _Path, frame: int | None, width: int, height: int, wireframe: bool = False
) -> npt.NDArray[np.uint8]:
    """Draws a frame of a result folder, as the program does."""

def encode_png(image: npt.NDArray[np.uint8]) -> bytes:
    """Returns a picture as a PNG file."""

def list_frames(folder: _Path) -> list[int]:
    """Returns the numbers of the frames of a folder."""

def read_frame(folder: _Path, frame: int) -> dict[str, dict[str, npt.NDArray[Any]]]:
    """Returns the bodies of a frame with their arrays, by name."""
