//! `taffeta schema`: schema and reference of scenes and of output files.

use crate::run;
use taffeta_scene::{OutputFile, outputs_page, outputs_schema, run_tables, scene_keys, scene_schema};
use taffeta_study::study;

/// Describes scenes or output files, as a JSON schema or as a page of Markdown.
pub fn describe(outputs: bool, markdown: bool) -> String {
    match (outputs, markdown) {
        (false, false) => format!("{:#}", scene_schema()),
        (false, true) => scene_keys(),
        (true, false) => format!("{:#}", outputs_schema(&output_files())),
        (true, true) => outputs_page(&output_files()),
    }
}

/// Descriptions of all tables and JSON files that `run` and `study` write.
pub fn output_files() -> Vec<OutputFile> {
    run_tables().into_iter().chain([run::summary_file()]).chain(study::output_files()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_and_field_has_a_meaning_and_every_real_number_a_unit() {
        let gaps: Vec<String> = output_files().iter().flat_map(OutputFile::gaps).collect();
        assert_eq!(gaps, Vec::<String>::new());
    }
}
