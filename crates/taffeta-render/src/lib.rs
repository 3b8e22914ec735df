//! Pictures of a result on the CPU.
