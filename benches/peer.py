"""The swing of scenes/swing.toml, without remeshing, in Taffeta, two solvers of Newton and MuJoCo.

Style3D is a global solver: projective dynamics with conjugate gradients on the whole cloth. XPBD is position-based. MuJoCo's flex
holds the lengths of edges by constraints or has an elasticity of triangles. XPBD and MuJoCo get the isotropic sheet.
Measured with newton 1.8.0, warp-lang 1.19.0, mujoco 4.0.0, Python 3.11 (pip install newton==1.8.0 mujoco==4.0.0).

    OMP_NUM_THREADS=1 taskset -c 1 python peer.py --taffeta target/release/taffeta --cells 64 128

Both get the same sheet: cotton without Poisson's ratio, damping and air. Two of Style3D's habits can be taken away:
it multiplies velocities by 0.998 in each step, and it looks for contacts of the cloth with itself.
"""
import argparse, csv, itertools, json, pathlib, shutil, subprocess, tempfile, time
import mujoco
import numpy as np
import warp as wp
import newton
from newton.solvers import SolverStyle3D, SolverVBD, SolverXPBD, style3d

FRAMES, FPS, WARM_UP = 24, 60, 4
# Density [kg/m²], stretch [N/m], shear [N/m], plate stiffness [N·m].
MATERIALS = {
    "cotton": (0.15, (8000.0, 4000.0), 60.0, (1.0e-5, 6.0e-6)),  # Taffeta's preset
    "soft": (0.3, (100.0, 100.0), 10.0, (6.0e-4, 3.0e-4)),  # the grid of Newton's example_cloth_style3d.py
    "isotropic": (0.2, (2000.0, 2000.0), 1000.0, (5.0e-5, 5.0e-5)),
}
PROBES = list(itertools.product((0.0, 0.5, 1.0), (0.0, 0.25, 0.5)))  # material points that move

SCENE = f"""
[simulation]
duration = {FRAMES / FPS}
[air]
density = 0
[[cloth]]
name = "sheet"
grid = {{ size = [1.0, 1.0], cells = [CELLS, CELLS], pattern = "alternating" }}
material = "sheet"
place = {{ rotate_deg = [-90, 0, 0] }}
[[cloth.pin]]
where = {{ material_box = [[0.0, 0.9], [0.1, 1.0]] }}
[[cloth.pin]]
where = {{ material_box = [[0.9, 0.9], [1.0, 1.0]] }}
[materials.sheet]
density = DENSITY
thickness = 0.0004
stretch = STRETCH
shear = SHEAR
poisson = 0.0
bend = BEND
""" + "".join(f'[[probe]]\nname = "p{i}"\ncloth = "sheet"\nmaterial = [{u}, {v}]\n' for i, (u, v) in enumerate(PROBES))


def run_taffeta(program, material, cells, **settings):
    """Milliseconds per frame, the probes at the end, and the mean number of substeps."""
    folder = pathlib.Path(tempfile.mkdtemp())
    scene = folder / "swing.toml"
    text = SCENE.replace("CELLS", str(cells))
    for word, value in zip(("DENSITY", "STRETCH", "SHEAR", "BEND"), MATERIALS[material]):
        text = text.replace(word, str(list(value) if isinstance(value, tuple) else value))
    scene.write_text(text)
    command = [program, "run", scene, "--threads", "1", "--quiet", "--out", folder / "out"]
    for key, value in settings.items():
        command += ["--set", f"{key.replace('__', '.')}={value}"]
    subprocess.run(command, check=True)
    metrics = list(csv.DictReader((folder / "out" / "metrics.csv").open()))
    rows = list(csv.DictReader((folder / "out" / "probes.csv").open()))
    last = max(int(row["frame"]) for row in rows)
    at_end = {row["name"]: [float(row[axis]) for axis in "xyz"] for row in rows if int(row["frame"]) == last}
    milliseconds = [float(row["step_ms"]) for row in metrics if int(row["frame"]) > WARM_UP]
    substeps = json.loads((folder / "out" / "summary.json").read_text())["totals"]["substeps"] / FRAMES
    shutil.rmtree(folder)
    return np.median(milliseconds), np.array([at_end[f"p{i}"] for i in range(len(PROBES))]), substeps


@wp.kernel
def velocity_undamped(dt: float, before: wp.array[wp.vec3], now: wp.array[wp.vec3], velocity: wp.array[wp.vec3]):
    i = wp.tid()
    velocity[i] = (now[i] - before[i]) / dt


def grid(n):
    """Material coordinates and faces of a square of n by n cells, diagonals alternating."""
    points = [(i / n, j / n) for j in range(n + 1) for i in range(n + 1)]
    faces = []
    for j, i in itertools.product(range(n), range(n)):
        a = j * (n + 1) + i
        b, c, d = a + 1, a + n + 2, a + n + 1
        faces += [(a, b, c), (a, c, d)] if (i + j) % 2 == 0 else [(a, b, d), (b, c, d)]
    return np.array(points), np.array(faces)


def step_newton(model, solver, n, substeps):
    """Runs a solver of Newton: milliseconds per frame and the probes at the end."""
    state, following, control = model.state(), model.state(), model.control()
    contacts = newton.CollisionPipeline(model).contacts()  # no obstacles: stays empty
    milliseconds = []
    for _ in range(FRAMES):
        start = time.perf_counter()
        for _ in range(substeps):
            state.clear_forces()
            solver.step(state, following, control, contacts, 1 / FPS / substeps)
            state, following = following, state
        milliseconds.append(1e3 * (time.perf_counter() - start))
    return np.median(milliseconds[WARM_UP:]), state.particle_q.numpy()[probes_of(n)].astype(float)


def run_style3d(material, n, substeps, iterations, damped=True, contact=True, linear_iterations=10):
    """Milliseconds per frame and the probes at the end."""
    density, stretch, shear, bend = MATERIALS[material]
    points, faces = grid(n)
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    SolverStyle3D.register_custom_attributes(builder)
    style3d.add_cloth_mesh(
        builder, pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), density=density,
        vertices=np.stack([points[:, 0], 0 * points[:, 0], -points[:, 1]], axis=1).tolist(),
        indices=faces.ravel().tolist(), panel_verts=points.tolist(), particle_radius=0.0002,
        tri_aniso_ke=wp.vec3(*stretch, shear),
        # On right-angled triangles a third of the edges takes all of a bend along the grid, by three times its stiffness.
        edge_aniso_ke=wp.vec3(bend[0] / 3, bend[1] / 3, sum(bend) / 6))
    model = builder.finalize()
    model.set_gravity((0.0, -9.81, 0.0))
    flags = model.particle_flags.numpy()
    flags[pinned_points(points)] &= ~int(newton.ParticleFlags.ACTIVE)
    model.particle_flags = wp.array(flags, dtype=wp.int32)
    module = newton._src.solvers.style3d.solver_style3d
    stock = module.update_velocity
    solver = SolverStyle3D(model, config=SolverStyle3D.Config(iterations=iterations, linear_iterations=linear_iterations))
    if not contact:
        solver.collision = None
    try:
        module.update_velocity = stock if damped else velocity_undamped
        return step_newton(model, solver, n, substeps)
    finally:
        module.update_velocity = stock


def pinned_points(points):
    """Which of the material coordinates are held: two patches at the upper corners."""
    near = 1e-9
    return (points[:, 1] > 0.9 - near) & ((points[:, 0] < 0.1 + near) | (points[:, 0] > 0.9 - near))


def probes_of(n):
    """The vertices of a square of n by n cells at the probes."""
    return [round(v * n) * (n + 1) + round(u * n) for u, v in PROBES]


def run_newton(material, n, substeps, iterations, blocks):
    """Milliseconds per frame and the probes at the end: vertex block descent on triangles, or XPBD on springs; both with bending."""
    density, stretch, shear, bend = MATERIALS[material]
    points, faces = grid(n)
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    springs = dict(add_springs=True, spring_ke=stretch[0], spring_kd=0.0, tri_ke=0.0, tri_ka=0.0, tri_kd=0.0)
    # Lamé's constants of a membrane without Poisson's ratio.
    triangles = dict(tri_ke=shear, tri_ka=0.0, tri_kd=0.0)
    builder.add_cloth_mesh(
        pos=wp.vec3(), rot=wp.quat_identity(), vel=wp.vec3(), scale=1.0, density=density,
        vertices=np.stack([points[:, 0], 0 * points[:, 0], -points[:, 1]], axis=1).tolist(),
        indices=faces.ravel().tolist(), **(triangles if blocks else springs),
        edge_ke=bend[0], edge_kd=0.0, particle_radius=0.0002)
    builder.color()
    model = builder.finalize()
    model.set_gravity((0.0, -9.81, 0.0))
    pinned = pinned_points(points)
    inverse, flags = model.particle_inv_mass.numpy(), model.particle_flags.numpy()
    inverse[pinned] = 0.0
    flags[pinned] &= ~int(newton.ParticleFlags.ACTIVE)
    model.particle_inv_mass, model.particle_flags = wp.array(inverse, dtype=float), wp.array(flags, dtype=wp.int32)
    solver = (SolverVBD if blocks else SolverXPBD)(model, iterations=iterations)
    return step_newton(model, solver, n, substeps)


def run_mujoco(material, n, substeps, edges):
    """Milliseconds per frame and the probes at the end: lengths of edges as constraints, or an elasticity of triangles."""
    density, stretch, _, bend = MATERIALS[material]
    # A plate of this thickness has both stiffnesses.
    thickness = (12.0 * bend[0] / stretch[0]) ** 0.5
    elastic = f'<elasticity young="{stretch[0] / thickness}" poisson="0" thickness="{thickness}" elastic2d="both"/>'
    law = '<edge equality="true" damping="0"/>' if edges else elastic
    points, faces = grid(n)
    vertices = np.stack([points[:, 0], 0 * points[:, 0], -points[:, 1]], axis=1)
    held = " ".join(str(i) for i in np.flatnonzero(pinned_points(points)))
    model = mujoco.MjModel.from_xml_string(f"""
<mujoco><option gravity="0 -9.81 0" timestep="{1 / FPS / substeps}"/><size memory="1G"/>
<worldbody><flexcomp name="sheet" type="direct" dim="2" mass="{density}" radius="0.0002"
 point="{' '.join(map(str, vertices.ravel()))}" element="{' '.join(map(str, faces.ravel()))}">
<contact selfcollide="none" contype="0" conaffinity="0"/>{law}<pin id="{held}"/></flexcomp></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    milliseconds = []
    for _ in range(FRAMES):
        start = time.perf_counter()
        for _ in range(substeps):
            mujoco.mj_step(model, data)
        milliseconds.append(1e3 * (time.perf_counter() - start))
    return np.median(milliseconds[WARM_UP:]), data.flexvert_xpos[probes_of(n)].copy()


def error(a, b):
    """The largest and the root mean square distance in millimeters."""
    distance = 1e3 * np.linalg.norm(a - b, axis=1)
    return f"{distance.max():7.2f} /{np.sqrt((distance ** 2).mean()):7.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taffeta", required=True, help="the program")
    parser.add_argument("--material", choices=MATERIALS, default="cotton")
    parser.add_argument("--cells", type=int, nargs="+", default=[64, 128])
    parser.add_argument("--rounds", type=int, default=2, help="how often each is timed, alternating")
    parser.add_argument("--reference-substeps", type=int, default=32)
    parser.add_argument("--no-own-reference", action="store_true", help="no reference of Style3D, which takes long")
    options = parser.parse_args()
    wp.config.quiet = True
    wp.set_device("cpu")
    for n in options.cells:
        variants = {
            "taffeta, standard": lambda: run_taffeta(options.taffeta, options.material, n),
            "taffeta, standard, no self contact": lambda: run_taffeta(options.taffeta, options.material, n, contact__self="false"),
            "style3d, 2 substeps of 10": lambda: run_style3d(options.material, n, 2, 10),
            "style3d, 2 substeps of 10, no self contact": lambda: run_style3d(options.material, n, 2, 10, contact=False),
            "style3d, 2 substeps of 10, undamped": lambda: run_style3d(options.material, n, 2, 10, damped=False),
            "style3d, 10 substeps of 4": lambda: run_style3d(options.material, n, 10, 4),
            "style3d, 10 substeps of 4, undamped": lambda: run_style3d(options.material, n, 10, 4, damped=False),
        }
        if options.material == "isotropic":
            variants |= {
                "vbd, 10 substeps of 10": lambda: run_newton(options.material, n, 10, 10, True),
                "vbd, 32 substeps of 10": lambda: run_newton(options.material, n, 32, 10, True),
                "xpbd, 10 substeps of 2": lambda: run_newton(options.material, n, 10, 2, False),
                "mujoco, edges held, steps of 2 ms, its default": lambda: run_mujoco(options.material, n, 8, True),
                "mujoco, elasticity, steps of 0.1 ms": lambda: run_mujoco(options.material, n, 167, False),
            }
        results = {name: [] for name in variants}
        for _ in range(options.rounds):
            for name, run in variants.items():
                results[name].append(run())
        ours = run_taffeta(options.taffeta, options.material, n, simulation__substeps=options.reference_substeps)[1]
        own = None
        if not options.no_own_reference:  # steps 16 times smaller
            own = run_style3d(options.material, n, 32, 10, damped=False, contact=False)[1]
            print(f"{n} cells: style3d's reference is from taffeta's {error(own, ours)} mm")
        print(f"{options.material}, {n} cells | ms per frame | mm from taffeta's reference | from style3d's (largest / rms)")
        for name, runs in results.items():
            line = f"{name:45} | " + " ".join(f"{run[0]:8.1f}" for run in runs) + f" | {error(runs[-1][1], ours)}"
            if own is not None:
                line += f" | {error(runs[-1][1], own)}"
            if name.startswith("taffeta"):
                line += f" | {runs[-1][2]:.1f} substeps"
            print(line, flush=True)


if __name__ == "__main__":
    main()
