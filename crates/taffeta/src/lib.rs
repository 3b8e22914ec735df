//! Adaptive cloth simulation whose results do not depend on the mesh.
