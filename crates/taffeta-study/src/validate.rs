//! Physical checks: what the simulator gives, against references that are independent of it.
//!
//! A [`Check`] simulates through scene texts, as a user would, and leaves the choice of the solver to the program. Cases that
//! no scene can express (affine maps, forced edits) go through the library. Every check gives [`Row`]s of a value, its
//! reference and the error that is tolerated. `converged` always means converged in space at the same time step.

mod adaptivity;
mod bench;
mod contacts;
mod dynamics;
mod elastic;
mod textile;

pub use bench::context::{CheckError, Context, mean_position, position};
pub use bench::meshes::disk_mesh;
pub use bench::row::{Row, Verdict, format_head, format_rows};
pub use contacts::capstan::capstan_strip;

/// A physical check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Name, as on the command line.
    pub name: &'static str,
    /// Subject of the check, in a line.
    pub what: &'static str,
    /// Runs it.
    pub run: fn(&Context<'_>) -> Result<Vec<Row>, CheckError>,
}

/// All checks, from the pieces to the whole.
pub const CHECKS: &[Check] = &[
    Check {
        name: "patch",
        what: "affine maps of an irregular sheet: energy exact, no forces inside",
        run: elastic::patch::check_patch,
    },
    Check {
        name: "refinement-invariance",
        what: "a bent and stretched sheet, every face split in four: energies unchanged",
        run: elastic::patch::check_refinement,
    },
    Check {
        name: "free-flight",
        what: "a spinning sheet without support, with forced random edits: momenta and center of mass",
        run: dynamics::flight::check_flight,
    },
    Check {
        name: "hanging-strip",
        what: "length of a strip that hangs by its upper edge",
        run: elastic::strips::check_hanging_strip,
    },
    Check {
        name: "cantilever",
        what: "drop over reach of a heavy strip that is clamped at one end (elastica)",
        run: elastic::strips::check_cantilever,
    },
    Check {
        name: "plate",
        what: "deflection of a simply supported plate on seven families of meshes",
        run: elastic::plate::check_plate,
    },
    Check {
        name: "inflated-disk",
        what: "deflection of a circular membrane under pressure (Hencky)",
        run: elastic::disk::check_disk,
    },
    Check {
        name: "heavy-chain",
        what: "frequencies of a narrow strip in small swing",
        run: elastic::chain::check_chain,
    },
    Check {
        name: "incline",
        what: "a patch on a slope: sticks below the limit of static friction, slides by Coulomb's law above",
        run: contacts::friction::check_incline,
    },
    Check {
        name: "sliding-stop",
        what: "distance and time in which kinetic friction stops a patch",
        run: contacts::friction::check_stop,
    },
    Check {
        name: "contact",
        what: "cloth on cloth, on obstacles, over a rail, between fingers; cloth far from and over other cloth",
        run: contacts::contact::check_contact,
    },
    Check {
        name: "certificate",
        what: "a million random trials of the safeguard: what it lets through never crosses",
        run: contacts::contact::check_certificate,
    },
    Check {
        name: "common-fall",
        what: "layers that fall together by two edge lengths per substep: nothing is taken",
        run: contacts::contact::check_fall,
    },
    Check {
        name: "rotating-sphere",
        what: "a sheet on a ball that turns: friction takes it along",
        run: contacts::contact::check_ball,
    },
    Check {
        name: "time",
        what: "steady states at any frame rate, a swing at every accuracy, spin, energy and momentum that are kept",
        run: dynamics::time::check_time,
    },
    Check {
        name: "spin",
        what: "angular momentum of a free sheet: what two seconds take, by solver, integrator and time step",
        run: dynamics::conserved::check_spin,
    },
    Check {
        name: "energy",
        what: "energy of an undamped swing: never grows; what a second takes, by solver, integrator and time step",
        run: dynamics::conserved::check_energy,
    },
    Check {
        name: "resolution",
        what: "a hung sheet and a swinging one: the same at every resolution",
        run: adaptivity::resolution::check_resolution,
    },
    Check {
        name: "adaptive",
        what: "adaptive meshes against uniform ones of the same error: vertices and time",
        run: adaptivity::adaptive::check_adaptive,
    },
    Check {
        name: "mesh-quality",
        what: "angles of adaptive meshes in their metric, and how far a pass moves the surface",
        run: adaptivity::quality::check_quality,
    },
    Check {
        name: "passes",
        what: "a thousand passes that nothing asks for: error of a swing, momenta and energy of free flight",
        run: adaptivity::passes::check_passes,
    },
    Check {
        name: "rope",
        what: "ropes: catenary, cantilever, small swing, and the same at every resolution",
        run: elastic::rope::check_rope,
    },
    Check {
        name: "textile",
        what: "tests of the textile industry on all presets: drape, cantilever, heart loop, bias extension; wrinkles",
        run: textile::check_textile,
    },
];

/// The check of a name.
pub fn find_check(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}
