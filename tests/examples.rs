//! The examples: their tests are part of this binary, so that each example is linked once.

macro_rules! examples {
    ($($name:ident = $path:literal),* $(,)?) => {
        $(
            #[path = $path]
            #[allow(dead_code, reason = "its `main` is run by `cargo run --example`")]
            mod $name;
        )*
    };
}

examples! {
    drape = "../examples/drape.rs",
    flag = "../examples/flag.rs",
    game_loop = "../examples/game_loop.rs",
    hung_sheet = "../examples/hung_sheet.rs",
    morph = "../examples/morph.rs",
    projective_study = "../examples/projective_study.rs",
    swing = "../examples/swing.rs",
    tablecloth = "../examples/tablecloth.rs",
    two_way = "../examples/two_way.rs",
}
