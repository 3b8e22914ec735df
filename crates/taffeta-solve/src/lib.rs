//! Materials, blocks and the solvers that drive them.
