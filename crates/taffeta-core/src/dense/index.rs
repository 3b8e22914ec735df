//! Dense indices and the vectors they index.
//!
//! A dense index is valid in one [`TopologyEpoch`](crate::TopologyEpoch) only: it never appears in files, logs or
//! the public interface of the simulator.

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A dense index: a `u32` that says what it counts.
pub trait DenseIndex: Copy {
    /// The index of the element at `position`.
    ///
    /// # Panics
    /// If `position` does not fit in 32 bits.
    fn from_usize(position: usize) -> Self;
    /// The position of the element in its vector.
    fn to_usize(self) -> usize;
}

macro_rules! dense_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl DenseIndex for $name {
            #[inline]
            fn from_usize(position: usize) -> Self {
                Self(u32::try_from(position).expect("a dense index fits in 32 bits"))
            }
            #[inline]
            fn to_usize(self) -> usize {
                self.0 as usize
            }
        }
    };
}

dense_index!(
    /// Index of a vertex in dense order.
    VertexIndex
);
dense_index!(
    /// Index of an edge in dense order.
    EdgeIndex
);
dense_index!(
    /// Index of a face in dense order.
    FaceIndex
);

/// A vector that is indexed by one kind of dense index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexVec<I, T> {
    /// The elements in dense order.
    pub raw: Vec<T>,
    #[serde(skip)]
    marker: PhantomData<fn(I) -> I>,
}

impl<I: DenseIndex, T> IndexVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }

    /// A vector of `count` copies of `value`.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self::from(vec![value; count])
    }

    /// Appends an element and returns its index.
    pub fn push(&mut self, value: T) -> I {
        let index = I::from_usize(self.raw.len());
        self.raw.push(value);
        index
    }

    /// All indices in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.raw.len()).map(I::from_usize)
    }

    /// All elements with their indices, in order.
    pub fn iter_indexed(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.raw.iter().enumerate().map(|(position, value)| (I::from_usize(position), value))
    }
}

impl<I: DenseIndex, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(raw: Vec<T>) -> Self {
        Self { raw, marker: PhantomData }
    }
}

impl<I: DenseIndex, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(iter: S) -> Self {
        Self::from(iter.into_iter().collect::<Vec<T>>())
    }
}

impl<I: DenseIndex, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, index: I) -> &T {
        &self.raw[index.to_usize()]
    }
}

impl<I: DenseIndex, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.raw[index.to_usize()]
    }
}

impl<I, T> Deref for IndexVec<I, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.raw
    }
}

impl<I, T> DerefMut for IndexVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.raw
    }
}
