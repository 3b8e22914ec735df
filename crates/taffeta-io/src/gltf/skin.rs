//! Skins: vertices that follow joints.

use super::accessor::find;
use super::document::{Attributes, File};
use glam::{DMat4, DVec3};

/// Weights of a vertex that differ from 1 in their sum by less than this are rounded.
const NO_WEIGHT: f64 = 1e-6;

/// Some vertices and what they follow.
pub(super) struct Part {
    /// Positions in the frame of the node, or in the pose in which they were bound \[m\].
    pub positions: Vec<DVec3>,
    pub binding: Binding,
}

/// Leader of some vertices.
pub(super) enum Binding {
    /// A node.
    Node(usize),
    /// Joints.
    Joints {
        /// The node of each joint, and the transformation from the bound pose to its frame.
        joints: Vec<(usize, DMat4)>,
        /// For each vertex its joints, by their numbers in the skin, with weights of the sum 1.
        weights: Vec<Vec<(usize, f64)>>,
    },
}

impl Binding {
    /// The skin of so many vertices. `what` names them in messages.
    pub(super) fn skin(
        file: &File,
        number: usize,
        attributes: &Attributes,
        count: usize,
        what: &str,
    ) -> Result<Self, String> {
        let skin = find(&file.document.skins, number, "skin")?;
        let of_skin = format!("skin {number}");
        for (k, joint) in skin.joints.iter().enumerate() {
            find(&file.document.nodes, *joint, "node").map_err(|reason| {
                format!("{of_skin}: joint {k} is missing: {reason}; export the armature too")
            })?;
        }
        let binds = match skin.inverse_bind_matrices {
            None => vec![DMat4::IDENTITY; skin.joints.len()],
            Some(own) => file.rows::<16>(own, &of_skin)?.iter().map(DMat4::from_cols_array).collect(),
        };
        if binds.len() < skin.joints.len() {
            let (found, joints) = (binds.len(), skin.joints.len());
            return Err(format!("{of_skin} has {joints} joints, but {found} inverse bind matrices"));
        }
        let mut weights: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let sets = [(attributes.joints_0, attributes.weights_0), (attributes.joints_1, attributes.weights_1)];
        for (joints, parts) in sets.into_iter().filter_map(|(joints, parts)| joints.zip(parts)) {
            let rows = file.rows::<4>(joints, what)?.into_iter().zip(file.rows::<4>(parts, what)?);
            for (own, (joints, parts)) in weights.iter_mut().zip(rows) {
                own.extend(
                    joints.into_iter().map(|joint| joint as usize).zip(parts).filter(|(_, part)| *part > 0.0),
                );
            }
        }
        for (vertex, own) in weights.iter_mut().enumerate() {
            if let Some((joint, _)) = own.iter().find(|(joint, _)| *joint >= skin.joints.len()) {
                let joints = skin.joints.len();
                return Err(format!(
                    "{what}: vertex {vertex} follows joint {joint}, but {of_skin} has {joints} joints: export all bones of \
                     the armature"
                ));
            }
            let sum: f64 = own.iter().map(|(_, part)| part).sum();
            if sum < NO_WEIGHT {
                return Err(format!(
                    "{what}: vertex {vertex} follows no joint of {of_skin}: paint weights for it, or bind it to a bone"
                ));
            }
            own.iter_mut().for_each(|(_, part)| *part /= sum);
        }
        let joints = skin.joints.iter().copied().zip(binds).collect();
        Ok(Self::Joints { joints, weights })
    }
}

impl Part {
    /// Positions of the vertices \[m\], by the transformation of each node: linear blend skinning. A node with a skin has no
    /// transformation of its own (glTF 2.0, 3.7.3.3).
    pub(super) fn place(&self, nodes: &[DMat4]) -> Vec<DVec3> {
        match &self.binding {
            Binding::Node(node) => self.positions.iter().map(|x| nodes[*node].transform_point3(*x)).collect(),
            Binding::Joints { joints, weights } => {
                let moves: Vec<DMat4> = joints.iter().map(|(node, bind)| nodes[*node] * *bind).collect();
                let place = |(x, own): (&DVec3, &Vec<(usize, f64)>)| {
                    own.iter().map(|(joint, part)| moves[*joint].transform_point3(*x) * *part).sum()
                };
                self.positions.iter().zip(weights).map(place).collect()
            }
        }
    }
}
