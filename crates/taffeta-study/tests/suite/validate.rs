//! The checks that take no time, and the frame of all.

use taffeta_scene::Override;
use taffeta_study::CHECKS;
use taffeta_study::validate::{Context, Verdict, find_check, format_rows};

fn context(overrides: &[&str]) -> Context<'static> {
    let overrides = overrides.iter().map(|text| Override::parse(text).unwrap()).collect();
    Context::new(overrides, &|_| {}).unwrap()
}

#[test]
fn the_rows_of_the_validation_document_are_all_there() {
    let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    let wanted = [
        "patch",
        "refinement-invariance",
        "free-flight",
        "hanging-strip",
        "cantilever",
        "plate",
        "inflated-disk",
        "heavy-chain",
        "incline",
        "sliding-stop",
        "contact",
        "certificate",
        "common-fall",
        "rotating-sphere",
        "time",
        "spin",
        "energy",
        "resolution",
        "adaptive",
        "mesh-quality",
        "passes",
        "rope",
        "textile",
    ];
    assert_eq!(names, wanted);
    assert!(find_check("plates").is_none());
}

#[track_caller]
fn expect_pass(name: &str, overrides: &[&str]) {
    let rows = (find_check(name).unwrap().run)(&context(overrides)).unwrap();
    assert!(!rows.is_empty());
    let misses: Vec<_> = rows.into_iter().filter(|row| row.verdict() == Verdict::Miss).collect();
    assert!(misses.is_empty(), "{}", format_rows(name, &misses));
}

#[test]
fn blocks_pass_by_themselves() {
    expect_pass("patch", &[]);
    expect_pass("refinement-invariance", &[]);
}

#[test]
fn free_flight_passes() {
    expect_pass("free-flight", &[]);
}

#[test]
#[ignore = "second tier"]
fn a_chain_swings_with_its_frequencies() {
    expect_pass("heavy-chain", &["simulation.solver=direct"]);
}

#[test]
fn ropes_pass() {
    expect_pass("rope", &[]);
}

#[test]
fn friction_passes() {
    expect_pass("incline", &[]);
    // Implicit Euler stops a patch half a substep early.
    expect_pass("sliding-stop", &["simulation.substeps=8"]);
}

#[test]
#[ignore = "second tier"]
fn combinations_of_bodies_in_contact_pass() {
    expect_pass("contact", &[]);
}

#[test]
#[ignore = "second tier"]
fn integration_in_time_passes() {
    expect_pass("time", &[]);
}

#[test]
fn a_free_sheet_keeps_spinning() {
    expect_pass("spin", &["cloth.0.grid.cells=[6,6]", "simulation.duration=0.2"]);
}

#[test]
fn implicit_euler_never_gains_energy() {
    let rows = (find_check("energy").unwrap().run)(&context(&[
        "cloth.0.grid.cells=[10,10]",
        "simulation.duration=0.1",
    ]))
    .unwrap();
    let of_euler = |row: &&taffeta_study::Row| row.case.contains("euler") && row.case.contains(": growth");
    let judged: Vec<_> =
        rows.iter().filter(of_euler).filter(|row| row.verdict() != Verdict::Reported).collect();
    assert_eq!(judged.len(), 6, "global and direct at three time steps");
    assert!(judged.iter().all(|row| row.verdict() == Verdict::Pass), "{judged:?}");
}

#[test]
fn a_scene_that_is_refused_is_no_result() {
    let error = (find_check("incline").unwrap().run)(&context(&["simulation.solver=magic"])).unwrap_err();
    assert!(error.to_string().contains("magic"), "{error}");
}

#[test]
#[ignore = "second tier"]
fn a_thousand_passes_that_nothing_asks_for_change_little() {
    expect_pass("passes", &[]);
}

#[test]
#[ignore = "second tier"]
fn adaptive_meshes_have_good_angles_and_pop_little() {
    expect_pass("mesh-quality", &[]);
}

#[test]
#[ignore = "second tier"]
fn cloth_passes_the_tests_of_the_textile_industry() {
    expect_pass("textile", &[]);
}
