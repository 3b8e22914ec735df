//! Tables in the form of CSV, whose columns are the fields of a type.

use serde::Serialize;

/// Names of the fields of a row, in the order of the columns.
///
/// # Panics
/// If `R` is not made of plain fields.
pub fn header<R: Serialize + Default>() -> Vec<String> {
    first_record(&R::default(), true)
}

/// Fields of a row as text, in the order of the columns. A field that is `None` is empty.
///
/// # Panics
/// If `R` is not made of plain fields.
pub fn fields<R: Serialize>(row: &R) -> Vec<String> {
    first_record(row, false)
}

/// First record of a table in memory, with its header or without one.
fn first_record<R: Serialize>(row: &R, has_header: bool) -> Vec<String> {
    let mut writer = csv::WriterBuilder::new().has_headers(has_header).from_writer(Vec::new());
    writer.serialize(row).expect("the fields of a row are plain");
    let bytes = writer.into_inner().expect("memory takes all that is written");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
    let record = reader.records().next().expect("a row was written").expect("a row was written as text");
    record.iter().map(str::to_owned).collect()
}
