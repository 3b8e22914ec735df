//! Files of meshes and frames: what is read and written, and what is refused with which words.

mod frames;
mod garment;
mod gltf;
mod msh;
mod obj;
mod outline;
