//! Displacement of the material points by passes.

use crate::common::{Sheet, flat, grid, settings};
use glam::{DVec2, DVec3};
use taffeta_remesh::{Pass, Proposal, ProposedEdit, RemeshReport, RemeshSettings, remesh};

/// A bowl, and a crease that no coarse mesh follows.
fn bowl(u: DVec2) -> DVec3 {
    let v = u - DVec2::splat(0.5);
    DVec3::new(v.x, v.y, 0.6 * v.length_squared() + 0.2 * (v.x + 0.3 * v.y).abs())
}

/// Limits that nothing but the size of a coarse mesh matters to.
fn coarse(size_max: f64) -> RemeshSettings {
    RemeshSettings {
        refine_angle: 3.0,
        refine_strain: 10.0,
        refine_compression: None,
        refine_velocity: None,
        ..settings(0.01, size_max)
    }
}

/// Passes until nothing changes, each of which may move a cloth by so much [m].
fn run(sheet: &mut Sheet, limits: &RemeshSettings, distance: f64) -> Vec<RemeshReport> {
    let mut reports = Vec::new();
    for _ in 0..60 {
        let displacements = [distance];
        let settings = [Some(*limits)];
        let pass =
            Pass { settings: &settings, elapsed: 1.0, displacements: &displacements, ..Pass::default() };
        let report = remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
        sheet.check();
        // Splits leave the new vertices on the chords; the cloth then finds its shape.
        sheet.put_on(bowl);
        let is_at_rest = report.edit_count() + report.postponed == 0;
        reports.push(report);
        if is_at_rest {
            break;
        }
    }
    reports
}

#[test]
fn a_pass_moves_the_cloth_no_further_than_it_may() {
    let mut free = Sheet::new(grid([1.0; 2], [6; 2], 0.1), bowl);
    let mut bound = free.clone();
    for (limits, distance) in [(settings(0.01, 0.04), 1e-3), (coarse(0.1), 3e-4)] {
        let [unlimited, limited] = [(&mut free, f64::INFINITY), (&mut bound, distance)]
            .map(|(sheet, most)| run(sheet, &limits, most));
        // One square meter: the mean square is the integral.
        let moved = |reports: &[RemeshReport]| {
            reports.iter().map(|report| report.displacements[0]).fold(0.0, f64::max).sqrt()
        };
        assert!(moved(&unlimited) > 1.5 * distance, "{}", moved(&unlimited));
        assert!(moved(&limited) <= distance * (1.0 + 1e-12), "{}", moved(&limited));
        assert!(limited.iter().any(|report| report.postponed > 0));
        // What was put off is made up for, to nearly the same mesh.
        assert!(limited.last().unwrap().postponed == 0, "{} passes", limited.len());
        let counts = [&free, &bound].map(|sheet| sheet.mesh.vertex_count());
        assert!(counts[0].abs_diff(counts[1]) * 10 < counts[0], "{counts:?}");
    }
}

#[test]
fn a_collapse_moves_a_chart_and_the_same_rest_shape_in_space_alike() {
    let by_chart = Sheet::new(grid([1.0; 2], [9; 2], 0.3), bowl);
    let mut in_space = Sheet::new(grid([1.0; 2], [9; 2], 0.3), flat);
    in_space.attributes.rest_in_space(&in_space.mesh, 0);
    for v in in_space.mesh.vertex_keys().collect::<Vec<_>>() {
        let vertex = &mut in_space.attributes.vertices[v];
        vertex.position = bowl(vertex.start.truncate());
    }
    let edit = |sheet: &Sheet, veto: &mut dyn FnMut(&Proposal<'_>) -> bool| {
        let mut sheet = sheet.clone();
        let settings = [Some(coarse(0.3))];
        let pass = Pass { settings: &settings, elapsed: 1.0, ..Pass::default() };
        remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, veto)
    };
    let mut proposed = Vec::new();
    edit(&in_space, &mut |proposal| {
        proposed.push(proposal.edit);
        true
    });
    let mut compared = [0; 2];
    for wanted in proposed {
        let ProposedEdit::Collapse(he) = wanted else { panic!("what is not edited is Delaunay") };
        let [first, second] =
            [&by_chart, &in_space].map(|sheet| edit(sheet, &mut |proposal| proposal.edit != wanted));
        assert_eq!(second.edit_count(), 1);
        // Collapses that remove slivers go further in a chart, and may leave no need for this one.
        if first.log == second.log {
            let [a, b] = [&first, &second].map(|report| report.displacements[0]);
            assert!(a > 0.0 && (a / b - 1.0).abs() < 1e-9, "{a} {b}");
            compared[usize::from(in_space.mesh.is_boundary_vertex(in_space.mesh.tail(he)))] += 1;
        }
    }
    assert!(compared.iter().all(|count| *count > 5), "{compared:?}");
}
