//! Sizing field, passes and transfer of the adaptive mesh.
