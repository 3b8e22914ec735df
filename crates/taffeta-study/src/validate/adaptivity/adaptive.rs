//! Benefit of adaptive meshes: the same error with fewer vertices, in less time.
//!
//! Each [case](cases) is run on uniform meshes of several sizes and on adaptive ones of several tolerances. Medians of several
//! starts count, because little decides where friction catches a sheet, or which way it folds. Errors are differences to a much
//! finer mesh: of positions of material points, of the length of tears, or of means, where no two meshes fold alike.
//!
//! A gain is the factor by which the uniform mesh of equal error takes more vertices, or more time. Between the sizes that were
//! run, powers are interpolated.

mod cases;
mod quantities;
mod sheets;

use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use cases::{CASES, Case, Measure};
use cpu_time::ProcessTime;
use sheets::Mesh;

/// Difference in height from each start to the next \[m\].
const STEP: f64 = 1e-5;
/// Points along a side at which positions are compared.
const POINTS: u32 = 33;

/// Result of a run.
struct Run {
    /// Values that are compared: coordinates or lengths \[m\], or a mean in its unit.
    values: Vec<f64>,
    /// Mean over the frames, and after the last one.
    vertices: f64,
    last: f64,
    /// Time of all steps on one thread, as the processor counts it \[s\].
    time: f64,
}

/// The medians of a mesh.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// In the unit of the [`Measure`].
    error: f64,
    vertices: f64,
    last: f64,
    time: f64,
}

/// Every case; see the module page.
pub(crate) fn check_adaptive(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for case in &CASES {
        let follow_all = |mesh: Mesh, remesh: &str, starts: u32| {
            (0..starts).map(|start| follow(context, case, mesh, remesh, start)).collect::<Result<Vec<_>, _>>()
        };
        // Means scatter from start to start; positions and tears are compared with those of one run.
        let starts = if matches!(case.measure, Measure::Mean(..)) { case.starts } else { 1 };
        let finest = follow_all(case.finest, "", starts)?;
        let wanted: Vec<f64> =
            (0..finest[0].values.len()).map(|k| median(&finest, |run| run.values[k])).collect();
        let measure = |cells: [u32; 2], remesh: &str| -> Result<Cost, CheckError> {
            let runs = follow_all(Mesh::Grid(cells), remesh, case.starts)?;
            Ok(Cost {
                error: median(&runs, |run| case.measure.error(&run.values, &wanted)),
                vertices: median(&runs, |run| run.vertices),
                last: median(&runs, |run| run.last),
                time: median(&runs, |run| run.time),
            })
        };
        let uniform = case.uniform.iter().map(|cells| measure(*cells, "")).collect::<Result<Vec<_>, _>>()?;
        for (cells, cost) in case.uniform.iter().zip(&uniform) {
            rows.extend(report(
                &format!("{}, uniform {} × {}", case.name, cells[0], cells[1]),
                &case.measure,
                cost,
            ));
        }
        for (tolerance, least) in case.errors {
            let [shortest, longest] = case.edges;
            let error = 1e-3 * tolerance;
            let remesh =
                format!("remesh = {{ size_min = {shortest}, size_max = {longest}, refine_error = {error} }}");
            let cost = measure(case.coarse, &remesh)?;
            let name = format!("{}, adaptive {tolerance} mm", case.name);
            rows.extend(report(&name, &case.measure, &cost));
            let [vertices, last, time] = gains(&uniform, &cost);
            for (k, when, gain) in [(0, "in the mean", vertices), (1, "at the end", last)] {
                if let Some(least) = least {
                    let part = format!("{name}: part of the vertices of a uniform mesh, {when}");
                    rows.push(Row::at_most(part, 1.0 / gain, 1.0 / least[k]));
                }
                rows.push(Row::reported(format!("{name}: gain in vertices, {when}"), gain));
            }
            rows.push(Row::reported(format!("{name}: gain in time"), time));
        }
    }
    Ok(rows)
}

/// The figures of a mesh.
fn report(name: &str, measure: &Measure, cost: &Cost) -> [Row; 4] {
    [
        Row::reported(format!("{name}: error"), cost.error).in_unit(measure.unit()),
        Row::reported(format!("{name}: vertices, mean"), cost.vertices),
        Row::reported(format!("{name}: vertices, at the end"), cost.last),
        Row::reported(format!("{name}: time"), cost.time).in_unit("s"),
    ]
}

/// The one in the middle of what the runs, an odd number of them, have.
fn median(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Factors by which a uniform mesh of equal error takes more vertices, in the mean and at the end, and more time than an
/// adaptive one. The coarsest such mesh counts. If none that was run is as exact, the finest is taken, so that no more is
/// claimed than was seen.
fn gains(uniform: &[Cost], adaptive: &Cost) -> [f64; 3] {
    let reached = uniform.iter().position(|cost| cost.error <= adaptive.error);
    let [vertices, time] = match reached {
        Some(0) => [uniform[0].vertices, uniform[0].time],
        None => uniform.last().map_or([0.0; 2], |cost| [cost.vertices, cost.time]),
        Some(k) => {
            let (coarse, fine) = (&uniform[k - 1], &uniform[k]);
            let part = (coarse.error / adaptive.error).ln() / (coarse.error / fine.error).ln();
            let between = |a: f64, b: f64| a * (b / a).powf(part);
            [between(coarse.vertices, fine.vertices), between(coarse.time, fine.time)]
        }
    };
    [vertices / adaptive.vertices, vertices / adaptive.last, time / adaptive.time]
}

impl Measure {
    fn unit(&self) -> &'static str {
        match self {
            Self::Points(_) | Self::Tears(_) => "mm",
            Self::Mean(..) => "%",
        }
    }

    /// The last frame that counts.
    fn last_frame(&self) -> u32 {
        match self {
            Self::Points(frames) => frames.last().copied().unwrap_or(0),
            Self::Tears(last) | Self::Mean([_, last], _) => *last,
        }
    }

    /// Distance of values from those that are wanted.
    fn error(&self, values: &[f64], wanted: &[f64]) -> f64 {
        let squares: f64 = values.iter().zip(wanted).map(|(a, b)| (a - b).powi(2)).sum();
        let count = values.len() as f64;
        match self {
            Self::Points(_) => 1e3 * (squares / (count / 3.0)).sqrt(),
            Self::Tears(_) => 1e3 * (squares / count).sqrt(),
            Self::Mean(..) => 100.0 * squares.sqrt() / wanted[0].abs(),
        }
    }
}

/// Runs a case on a mesh from one of the starts.
fn follow(
    context: &Context<'_>,
    case: &Case,
    mesh: Mesh,
    remesh: &str,
    start: u32,
) -> Result<Run, CheckError> {
    context.note(&format!("adaptive: {}, {mesh:?}, start {start} {remesh}", case.name));
    let Case { size: [length, width], cloth, rest, settings, place: [x, y, z], turn, .. } = case;
    let height = y + STEP * f64::from(start);
    let shape = match (mesh, case.slit) {
        (Mesh::Grid([along, across]), None) => format!(
            "grid = {{ size = [{length}, {width}], cells = [{along}, {across}], pattern = \"alternating\" }}"
        ),
        _ => {
            context.write_mesh("sheet.obj", &mesh.build(case.size, case.slit))?;
            "mesh = \"sheet.obj\"".to_owned()
        }
    };
    let mut experiment = context.experiment(&format!(
        "[simulation]\nduration = 2.0\nthreads = 1\n{settings}\n[[cloth]]\n{cloth}\n{remesh}\n{shape}\n\
         place = {{ translate = [{x}, {height}, {z}], rotate_deg = [{turn}, 0, 0] }}\n{rest}\n"
    ))?;
    let mut run = Run { values: Vec::new(), vertices: 0.0, last: 0.0, time: 0.0 };
    let (last, mut torn) = (case.measure.last_frame(), 0.0);
    for frame in 1..=last {
        let clock = ProcessTime::now();
        let report = experiment.step()?;
        run.time += clock.elapsed().as_secs_f64();
        run.last = report.vertices as f64;
        run.vertices += run.last / f64::from(last);
        torn += report.tears.length;
        match &case.measure {
            Measure::Points(frames) if frames.contains(&frame) => {
                run.values.extend(material_points(&experiment, case.size)?);
            }
            Measure::Tears(_) => run.values.push(torn),
            Measure::Mean([first, _], quantity) if frame >= *first => {
                let part = quantity(&experiment.world) / f64::from(last - first + 1);
                match run.values.first_mut() {
                    Some(mean) => *mean += part,
                    None => run.values.push(part),
                }
            }
            Measure::Points(_) | Measure::Mean(..) => (),
        }
    }
    Ok(run)
}

/// Coordinates of material points \[m\].
fn material_points(experiment: &Experiment, [length, width]: [f64; 2]) -> Result<Vec<f64>, CheckError> {
    let part = |k: u32| f64::from(k) / f64::from(POINTS - 1);
    let places = (0..POINTS * POINTS).map(|i| [length * part(i % POINTS), width * part(i / POINTS)]);
    let mut coordinates = Vec::new();
    for [u, v] in places {
        coordinates.extend(experiment.at(u, v)?.to_array());
    }
    Ok(coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_measured_against_the_coarsest_uniform_mesh_that_is_as_good() {
        let cost =
            |error: f64, vertices: f64, time: f64| Cost { error, vertices, last: 0.5 * vertices, time };
        // Error by 1/vertices, time by vertices.
        let uniform = [cost(8.0, 100.0, 1.0), cost(4.0, 200.0, 2.0), cost(2.0, 400.0, 4.0)];
        let [vertices, _, time] = gains(&uniform, &cost(3.0, 50.0, 4.0));
        assert!((vertices - 800.0 / 3.0 / 50.0).abs() < 1e-12 && (time - 8.0 / 3.0 / 4.0).abs() < 1e-12);
        // Worse than the coarsest, and better than the finest that was run.
        assert_eq!(gains(&uniform, &cost(10.0, 50.0, 1.0)), [2.0, 4.0, 1.0]);
        assert_eq!(gains(&uniform, &cost(0.1, 50.0, 1.0)), [8.0, 16.0, 4.0]);
    }
}
