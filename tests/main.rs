//! The whole simulator through its façade. One binary, so that everything is linked once.
#![allow(clippy::duplicate_mod, reason = "every example has the module that examples share")]

mod accuracy;
mod architecture;
mod checkpoint;
mod common;
mod constraints;
mod contact;
mod contact_scenes;
mod damaged;
mod determinism;
mod driven;
mod examples;
mod golden;
mod grabs;
mod guide;
mod hung_sheet;
mod incline;
mod loose;
mod meshes;
mod methods;
mod motion;
mod nothing_unseen;
mod pins;
mod plastic;
mod pressure;
mod projective;
mod resolution;
mod rest;
mod rest_shapes;
mod rope_grabs;
mod ropes;
mod self_contact;
mod small_steps;
mod solids;
mod solvers;
mod validation;
