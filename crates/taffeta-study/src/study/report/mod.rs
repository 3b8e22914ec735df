//! Results of a study as files: tables, figures and the page.

pub(crate) mod figures;
pub(crate) mod folder;
pub(crate) mod page;
pub(crate) mod plot;
pub(crate) mod standalone;
pub(crate) mod tables;
