//! `taffeta view`: a local page with a simulation that runs, or with the frames of one that has run.

use crate::args::ViewOptions;
use crate::failure::Failure;
use crate::log::{say, warn, warnings_before};
use crate::run::{describe_start, read_scene, refuse_world};
use std::io::Write;
use taffeta_view::{FolderShow, LiveShow, Server, Show, ViewError};

/// Serves the page until Ctrl-C.
///
/// # Errors
/// If the scene or the folder is bad, or the port is in use.
pub fn view(options: &ViewOptions) -> Result<String, Failure> {
    let (show, warnings) = if options.source.is_dir() { open_folder(options)? } else { open_scene(options)? };
    let server = Server::bind(options.port).map_err(|error| Failure::usage(&error))?;
    warn(&warnings);
    let url = server.url();
    let on_ready = || {
        // At once, and not at the end as what other commands say.
        let mut out = std::io::stdout().lock();
        writeln!(out, "{url}").and_then(|()| out.flush()).ok();
        say("open this address, with its token, in a browser on this machine; Ctrl-C ends the program");
    };
    server.run(show, on_ready).map_err(|error| Failure::failed(&error))?;
    Ok(String::new())
}

fn open_folder(options: &ViewOptions) -> Result<(Show, Vec<String>), Failure> {
    let path = &options.source;
    if options.changes.overrides().next().is_some() || options.changes.threads.is_some() {
        let text = format!(
            "{} is a folder, which is shown as it is: --set and --threads go with a scene",
            path.display()
        );
        return Err(Failure::Usage(text));
    }
    if !path.join("frames").is_dir() {
        return Err(Failure::Usage(format!(
            "{} is not the result folder of a run: it has no folder `frames`",
            path.display()
        )));
    }
    let show = FolderShow::open(path).map_err(|error| Failure::usage(&error))?;
    let warnings = show.warnings();
    Ok((Show::Folder(Box::new(show)), warnings))
}

fn open_scene(options: &ViewOptions) -> Result<(Show, Vec<String>), Failure> {
    let path = &options.source;
    let scene = read_scene(path, &options.changes)?;
    let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut show = LiveShow::new(&scene, title).map_err(|error| match &error {
        ViewError::World(reason) => {
            // The scene was assembled, with the warnings that were lost with the world.
            scene.assemble().iter().for_each(|built| warn(&built.warnings));
            refuse_world(path, &scene, reason)
        }
        other => {
            warn(warnings_before(other));
            Failure::usage(other)
        }
    })?;
    let warnings = describe_start(&scene, show.world());
    warnings.iter().for_each(|warning| show.warn(warning.clone()));
    let warnings = show.warnings();
    Ok((Show::Live(Box::new(show)), warnings))
}
