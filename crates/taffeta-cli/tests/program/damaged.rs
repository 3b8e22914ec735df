//! Files that claim or unpack to more than they have are refused by the program with a reason, not by the system for want of
//! memory.

use crate::common::Desk;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

/// An array of NumPy whose header claims a shape, and 24 bytes of numbers.
fn array(kind: &str, shape: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    header += &" ".repeat(117 - header.len());
    [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), b"\n", &[0; 24]].concat()
}

/// An archive of stored arrays. The checksums are those of nothing: what is claimed is looked at before them.
fn archive(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut files, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in arrays {
        let size = (bytes.len() as u32).to_le_bytes();
        let checksum = crc(bytes).to_le_bytes();
        let common =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 33, 0], &checksum[..], &size, &size, &[name.len() as u8, 0, 0, 0]]
                .concat();
        let place = (files.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &place, name.as_bytes()].concat());
        files.extend([b"PK\x03\x04", &common[..], name.as_bytes(), bytes].concat());
    }
    let count = [arrays.len() as u8, 0];
    let end = [(directory.len() as u32).to_le_bytes(), (files.len() as u32).to_le_bytes()].concat();
    [files, directory, [b"PK\x05\x06\0\0\0\0", &count[..], &count, &end, &[0, 0]].concat()].concat()
}

/// The checksum of archives (CRC-32).
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn arrays_that_claim_more_than_they_have_are_refused() {
    let desk = Desk::new();
    let claim = archive(&[
        ("positions.npy", &array("<f8", "(99999999999, 3)")),
        ("faces.npy", &array("<i4", "(2, 3)")),
    ]);
    fs::write(desk.path("claim.npz"), &claim).unwrap();
    assert!(claim.len() < 700);
    let parts = ["claim.npz", "`positions`", "(99999999999, 3), but 24 bytes follow"];
    desk.refused(&["remesh", "claim.npz", "out.npz", "--size", "0.1"], &parts);
    desk.write(
        "square.obj",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n",
    );
    fs::write(desk.path("claim.npy"), array("<i8", "(1152921504606846975,)")).unwrap();
    let remesh = ["remesh", "square.obj", "out.obj"];
    desk.refused(
        &[&remesh[..], &["--size", "0.1", "--pin", "claim.npy"]].concat(),
        &["claim.npy", "bytes follow"],
    );
    desk.refused(&[&remesh[..], &["--sizing", "claim.npy"]].concat(), &["claim.npy", "bytes follow"]);
}

#[test]
fn a_state_that_unpacks_to_far_more_than_its_file_is_refused() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "1"]);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&vec![0; 1 << 24]).unwrap();
    fs::write(desk.path("a/checkpoint/state_00001.gz"), packed.finish().unwrap()).unwrap();
    desk.refused(&["run", "scene.toml", "--out", "a", "--resume"], &["cannot be used", "64 times its size"]);
}

#[test]
fn a_mesh_is_written_as_obj_or_npz_only() {
    let desk = Desk::new();
    desk.write("in.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for output in ["out.stl", "out"] {
        desk.refused(&["remesh", "in.obj", output, "--size", "1"], &[output, "OBJ or NPZ"]);
    }
}

#[test]
fn a_run_that_goes_on_tells_of_rows_that_somebody_removed() {
    let desk = Desk::new();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
    desk.write("in.obj", mesh);
    desk.write("scene.toml", "[simulation]\nduration = 1\n[[cloth]]\nmesh = \"in.obj\"\n");
    let run = ["run", "scene.toml", "--out", "a", "--quiet"];
    desk.done(&[&run[..], &["--frames", "3"]].concat());
    let reply = desk.done(&[&run[..], &["--frames", "4", "--resume"]].concat());
    assert!(!reply.err.contains("incomplete"), "{}", reply.err);
    let table = std::fs::read_to_string(desk.path("a/metrics.csv")).unwrap();
    desk.write("a/metrics.csv", &table.lines().take(2).map(|line| format!("{line}\n")).collect::<String>());
    let reply = desk.done(&[&run[..], &["--frames", "5", "--resume"]].concat());
    let told = "incomplete up to frame 4, where the run goes on: rows of metrics.csv that are missing: 4; files in frames";
    assert!(reply.err.contains(told), "{}", reply.err);
}
