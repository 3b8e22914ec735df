//! Sessions: by which program, when, on which host and with which command line a run was made.

use crate::files::shell_word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Part of a run that one process makes, from its start or from a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "resumed")]
pub(super) struct Session {
    /// Version of the program.
    pub version: String,
    /// Commit of the program, with `-dirty` appended if its sources differed; or `unknown`.
    pub commit: String,
    /// Start of the session in UTC, by RFC 3339.
    pub date: String,
    /// Name of the host.
    pub host: String,
    /// Command line of the process, as a shell reads it.
    pub command_line: String,
}

impl Session {
    /// The session that begins now in this process.
    pub(super) fn begin() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let words = std::env::args_os().map(|word| shell_word(&word.to_string_lossy()));
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("TAFFETA_COMMIT").to_owned(),
            date: write_date(since_1970),
            host: host_name(),
            command_line: words.collect::<Vec<_>>().join(" "),
        }
    }
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned())
}

/// A time since the start of 1970 in UTC by RFC 3339, to the second.
fn write_date(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let [year, month, day] = date_of(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day that is counted from the first one of 1970.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`. Years begin in March there, so that
/// leap days are last, and come in eras of 400.
fn date_of(days: u64) -> [u64; 3] {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    [era * 400 + year + u64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(write_date(Duration::from_secs(seconds)), date);
        }
    }
}
