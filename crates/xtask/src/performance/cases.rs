//! The runs that are measured.

/// A scene, by its text or by a file of the project.
pub(super) enum Scene {
    Text(String),
    File(&'static str),
}

/// A run whose cost is measured.
pub(super) struct Case {
    pub name: String,
    pub scene: Scene,
    /// Values of the scene that are set otherwise.
    pub set: Vec<String>,
    /// Number of frames, and of the last of them whose mean is taken.
    pub frames: u32,
    pub counted: u32,
    /// On how many threads.
    pub threads: &'static [usize],
    /// The line of the plot that it is a point of, and where.
    pub point: Option<(&'static str, usize)>,
}

impl Case {
    /// A case on one thread whose frames all count.
    fn new(name: impl Into<String>, scene: Scene, frames: u32) -> Self {
        let (set, point) = (Vec::new(), None);
        Self { name: name.into(), scene, set, frames, counted: frames, threads: &[1], point }
    }

    fn with(mut self, value: &str) -> Self {
        self.set.push(value.to_owned());
        self
    }

    fn on(self, threads: &'static [usize]) -> Self {
        Self { threads, ..self }
    }

    fn counting_last(self, counted: u32) -> Self {
        Self { counted, ..self }
    }
}

/// Everything that is measured.
pub(super) fn cases() -> Vec<Case> {
    let swings = [(32, 48), (64, 24), (128, 12), (256, 4)].map(|(cells, frames)| swing(cells, frames));
    let on_ball = [32, 64, 128].map(|cells| {
        let scene = sheet("sheet", cells, 0.01) + BALL;
        let case = Case::new(format!("on a ball, {} triangles", 2 * cells * cells), sheets(&scene), 24);
        Case { point: Some(("on a ball", (cells + 1) * (cells + 1))), ..case.on(&[1, 2]) }
    });
    let layers = (0..6).map(|k| sheet(&format!("layer{k}"), 29, 0.01 * f64::from(k + 1))).collect::<String>();
    let layers = Case::new("six layers on a ball, 10 092 triangles", sheets(&(layers + BALL)), 24);
    let mut cases: Vec<Case> = swings.into_iter().chain(on_ball).chain([layers.on(&[1, 2])]).collect();
    for cells in [16, 32, 50] {
        let vertices = (cells + 1) * (cells + 1);
        let named = |solver: &str| format!("curtain and moving ball, {vertices} vertices, `{solver}`");
        cases.push(Case::new(named("global"), sheets(&curtain(cells)), 90));
        let block = Case::new(named("block"), sheets(&curtain(cells)), 90);
        cases.push(block.with("simulation.solver=\"block\"").with("simulation.substeps=8"));
    }
    cases.extend(shipped());
    let silk =
        Case::new("silk wrung by 1080°, the last ten frames of 120", Scene::Text(WRUNG.to_owned()), 120);
    cases.push(silk.counting_last(10).on(&[2]));
    cases.push(Case { point: None, ..swing(708, 1).on(&[2]) });
    cases
}

/// Scenes as they are shipped.
fn shipped() -> Vec<Case> {
    let drape = |name: &str, frames: u32| Case::new(name, Scene::File("scenes/drape.toml"), frames);
    let undamped = drape("`drape` undamped", 120)
        .with("materials.canvas.stretch_damping=0")
        .with("materials.canvas.bend_damping=0");
    vec![
        undamped,
        drape("`drape`", 120).on(&[1, 2]),
        drape("`drape`, at rest: frames 111 to 120", 120).counting_last(10),
        Case::new("`flag`", Scene::File("scenes/flag.toml"), 28),
        Case::new("`tablecloth`", Scene::File("scenes/tablecloth.toml"), 60),
        Case::new("`contact/stack`", Scene::File("scenes/contact/stack.toml"), 60),
        Case::new("`sewn_tunic`", Scene::File("scenes/sewn_tunic.toml"), 30),
    ]
}

/// A scene of cloths and obstacles.
fn sheets(text: &str) -> Scene {
    Scene::Text(format!("[simulation]\nduration = 4.0\n{text}"))
}

/// A sheet that swings from two patches.
fn swing(cells: usize, frames: u32) -> Case {
    let scene = sheet("sheet", cells, 0.0)
        + "[[cloth.pin]]\nwhere = { material_box = [[0.0, 0.9], [0.1, 1.0]] }\n\
           [[cloth.pin]]\nwhere = { material_box = [[0.9, 0.9], [1.0, 1.0]] }\n";
    let case = Case::new(format!("swing, {} triangles", 2 * cells * cells), sheets(&scene), frames);
    Case { point: Some(("swing", (cells + 1) * (cells + 1))), ..case.on(&[1, 2]) }
}

/// A ball of 20 cm whose top is at the height of a sheet.
const BALL: &str =
    "[[obstacle]]\nshape = { sphere = { radius = 0.2 } }\nplace = { translate = [0.0, -0.2, 0.0] }\n";

/// A flat sheet of cotton, 1 m wide, at a height \[m\].
fn sheet(name: &str, cells: usize, height: f64) -> String {
    format!(
        "[[cloth]]\nname = \"{name}\"\nmaterial = \"cotton\"\n\
         grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = \"alternating\" }}\n\
         place = {{ translate = [-0.5, {height:.3}, 0.5], rotate_deg = [-90, 0, 0] }}\n"
    )
}

/// A curtain of 1 m, held at its upper edge, through which a ball moves within 1.5 s.
fn curtain(cells: usize) -> String {
    format!(
        "[[cloth]]\nname = \"curtain\"\nmaterial = \"cotton\"\n\
         grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = \"alternating\" }}\n\
         place = {{ translate = [-0.5, -0.5, 0.0] }}\n\
         [[cloth.pin]]\nwhere = {{ material_box = [[0.0, 1.0], [1.0, 1.0]] }}\n\
         [[obstacle]]\nshape = {{ sphere = {{ radius = 0.12 }} }}\n\
         place = {{ translate = [0.0, 0.0, 0.4] }}\n\
         motion = [{{ t = 0.0 }}, {{ t = 1.5, translate = [0.0, 0.0, -0.8] }}]\n"
    )
}

/// Silk of 1 m by 0.4 m whose ends are turned against each other by three turns in 4 s.
const WRUNG: &str = r#"
[simulation]
duration = 4.0
frame_rate = 30
[[cloth]]
name = "silk"
material = "silk"
grid = { size = [1.0, 0.4], cells = [40, 16], pattern = "alternating" }
place = { translate = [-0.5, -0.2, 0.0] }
remesh = { size_min = 0.01 }
[[cloth.pin]]
where = { material_box = [[0.0, 0.0], [0.0, 0.4]] }
motion = [{ t = 0.0 }, { t = 4.0, rotate_deg = [-540, 0, 0] }]
[[cloth.pin]]
where = { material_box = [[1.0, 0.0], [1.0, 0.4]] }
motion = [{ t = 0.0 }, { t = 4.0, rotate_deg = [540, 0, 0] }]
"#;
