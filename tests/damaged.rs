//! Damaged files: every reader refuses them, and takes no more memory than the file calls for.

mod mutations;
mod samples;

use crate::common::tier;
use mutations::mutate;
use samples::{Kind, kinds};
use std::path::Path;
use std::process::Command;
use taffeta::core::random::SplitMix64;

/// Set in the process whose memory is limited.
const IS_LIMITED: &str = "TAFFETA_LIMITED";
/// Folder for the samples, with a folder per kind: seeds for the fuzzer.
const WRITE_SEEDS: &str = "TAFFETA_WRITE_SEEDS";
/// Address space of the limited process \[KiB\].
const LIMIT: u64 = 2 << 20;
/// Samples that are larger are no seeds: a fuzzer gets nowhere with them.
const MAX_SEED: usize = 1 << 14;

/// Reads mutations of all samples. What is read tells its place before, so that it is known if the process ends.
fn read_mutations(per_kind: u64) {
    for Kind { name, samples, mut read } in kinds() {
        for number in 0..per_kind {
            let mut random = SplitMix64(number);
            let sample = &samples[number as usize % samples.len()];
            let bytes = mutate(sample, &mut random);
            if std::env::var_os(IS_LIMITED).is_some() && number % 50 == 0 {
                eprintln!("{name}, from mutation {number}");
            }
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&bytes)));
            assert!(outcome.is_ok(), "{name}: reading mutation {number} panics");
        }
    }
}

#[test]
fn whole_files_are_read() {
    let folder = std::env::var_os(WRITE_SEEDS);
    for Kind { name, samples, mut read } in kinds() {
        for (number, sample) in samples.iter().enumerate() {
            assert_eq!(read(sample), Ok(()), "{name} {number}");
            if let Some(folder) = folder.as_ref().filter(|_| sample.len() <= MAX_SEED) {
                let folder = Path::new(folder).join(name);
                std::fs::create_dir_all(&folder).expect("the folder can be made");
                std::fs::write(folder.join(format!("seed_{number:02}")), sample).expect("it can be written");
            }
        }
    }
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    read_mutations(tier(60, 300));
}

#[test]
#[cfg(unix)]
#[ignore = "second tier: 10 000 damaged files"]
fn ten_thousand_damaged_files_are_read_within_two_gigabytes() {
    let kind_count = kinds().len() as u64;
    if std::env::var_os(IS_LIMITED).is_some() {
        return read_mutations(10_000_u64.div_ceil(kind_count));
    }
    let name = "damaged::ten_thousand_damaged_files_are_read_within_two_gigabytes";
    let status = Command::new("sh")
        .args(["-c", &format!("ulimit -v {LIMIT} && exec \"$@\""), "sh"])
        .arg(std::env::current_exe().expect("a test has a file"))
        .args(["--exact", name, "--include-ignored", "--nocapture"])
        .env(IS_LIMITED, "1")
        .status()
        .expect("there is a shell");
    assert!(status.success(), "{status}");
}
