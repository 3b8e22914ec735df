//! The seams of a cloth.

use super::read_cloth::Surroundings;
use crate::reader::{Item, Range, TableReader};
use taffeta_sim::{SeamDescription, SeamSides};

/// Time over which a seam closes unless the scene says how long \[s\].
pub(crate) const DEFAULT_TIME: f64 = 1.0;

/// Reads all seams of a cloth.
pub(super) fn read_seams(table: &TableReader<'_>, surroundings: Surroundings<'_>) -> Vec<SeamDescription> {
    let items = table.tables("seam");
    if let (Some(item), Some(solver)) = (items.first(), surroundings.solver)
        && !solver.capabilities().seams
    {
        let message = format!("`{}`: the solver {:?} cannot sew", item.key, solver.name());
        item.report(message, Some("take solver = \"global\", \"direct\" or \"block\"".to_owned()));
    }
    if let (Some(item), true) = (items.first(), surroundings.is_static) {
        let message = format!("`{}`: sewing takes time, of which there is none in a static scene", item.key);
        item.report(message, Some("mode = \"dynamic\"".to_owned()));
    }
    items.iter().filter_map(read_seam).collect()
}

fn read_seam(item: &Item<'_>) -> Option<SeamDescription> {
    let table = item.table(&["a", "b", "distance", "time", "ease"])?;
    let time = table.number("time", DEFAULT_TIME, Range::Positive);
    let runs = ["a", "b"].map(|key| table.get(key));
    let distance = table.get("distance");
    let sides = match (runs, distance) {
        ([Some(a), Some(b)], None) => {
            let [a, b] = [read_run(&a), read_run(&b)];
            SeamSides::Runs([a?, b?])
        }
        ([None, None], Some(distance)) => SeamSides::Near(distance.number(Range::Positive)?),
        (runs, distance) => {
            let given =
                [("a", runs[0].is_some()), ("b", runs[1].is_some()), ("distance", distance.is_some())];
            let names: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
            let found = if names.is_empty() { "none of them".to_owned() } else { names.join(" and ") };
            let message = format!("`{}` must have a and b, or distance, but has {found}", item.key);
            let help = "for example a = { vertices = [0, 20] }, b = { vertices = [40, 60] }";
            item.report(message, Some(help.to_owned()));
            return None;
        }
    };
    if let (SeamSides::Near(_), Some(ease)) = (&sides, table.get("ease")) {
        let message = format!("`{}` belongs to a seam of two runs, a and b", ease.key);
        ease.report(message, Some("leave it out".to_owned()));
    }
    Some(SeamDescription { sides, time, ease: table.boolean("ease", false) })
}

/// The vertices of a run, by their numbers in the file.
fn read_run(item: &Item<'_>) -> Option<Vec<u32>> {
    let table = item.table(&["vertices"])?;
    let list = table.require("vertices", "vertices = [0, 20]")?;
    let items = list.array()?;
    if items.len() < 2 {
        let message = format!(
            "`{}` names {} vertices, but must name at least 2: the ends of the run",
            list.key,
            items.len()
        );
        list.report(message, Some("a run that ends where it begins is the whole loop".to_owned()));
        return None;
    }
    let numbers: Vec<Option<u64>> = items.iter().map(|item| item.integer(0, u64::from(u32::MAX))).collect();
    numbers.into_iter().map(|number| number.map(|number| number as u32)).collect()
}
