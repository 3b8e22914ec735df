//! The command line of the Taffeta cloth simulator.
