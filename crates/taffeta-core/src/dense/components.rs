//! Connected components.

/// The components of items that are joined pair by pair: a forest in which the root of a component is its first item.
#[derive(Clone, Debug)]
pub struct Components {
    parents: Vec<u32>,
}

impl Components {
    /// So many items, each by itself.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The first item of the component of an item.
    pub fn find(&mut self, mut item: u32) -> u32 {
        while self.parents[item as usize] != item {
            // Path halving.
            self.parents[item as usize] = self.parents[self.parents[item as usize] as usize];
            item = self.parents[item as usize];
        }
        item
    }

    /// Joins the components of two items.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The first item of the component of each item.
    pub fn labels(mut self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|item| self.find(item)).collect()
    }

    /// The number of the component of each item. Components are numbered in the order of their first items.
    pub fn numbers(self) -> Vec<u32> {
        let mut count = 0;
        let mut numbers = self.labels();
        for item in 0..numbers.len() {
            let first = numbers[item] as usize;
            // The first item comes before the others, and has its number by then.
            numbers[item] = if first == item { count } else { numbers[first] };
            count += u32::from(first == item);
        }
        numbers
    }

    /// The items of each component in their order; components by their [numbers](Self::numbers).
    pub fn lists(self) -> Vec<Vec<u32>> {
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for (item, number) in (0..).zip(self.numbers()) {
            if number as usize == lists.len() {
                lists.push(Vec::new());
            }
            lists[number as usize].push(item);
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_named_after_their_first_items() {
        let mut components = Components::new(7);
        for [a, b] in [[5, 3], [6, 5], [1, 2], [2, 1]] {
            components.join(a, b);
        }
        assert_eq!(components.clone().labels(), [0, 1, 1, 3, 4, 3, 3]);
        assert_eq!(components.clone().numbers(), [0, 1, 1, 2, 3, 2, 2]);
        assert_eq!(components.lists(), [vec![0], vec![1, 2], vec![3, 5, 6], vec![4]]);
    }
}
