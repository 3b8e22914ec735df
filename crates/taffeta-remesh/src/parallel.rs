//! Lists that are long are mapped by all threads.
//!
//! Every entry is computed by itself and takes the place of its item, so the result has the same bits for any number of
//! threads. What adds up entries is not done here: sums go over the results in their order, by one thread.

use rayon::prelude::*;

/// Entries from which on threads are worth their while: what is done for one takes a tenth of a microsecond or more.
const LONG: usize = 8192;

/// Entries that a thread takes at once.
const PART: usize = 1024;

fn is_long(count: usize) -> bool {
    count >= LONG && rayon::current_num_threads() > 1
}

/// Maps a list.
pub(crate) fn map<T: Sync, R: Send>(list: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    match is_long(list.len()) {
        true => list.par_iter().with_min_len(PART).map(&of).collect(),
        false => list.iter().map(of).collect(),
    }
}

/// Maps the numbers from 0 to a count.
pub(crate) fn map_numbers<R: Send>(count: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    match is_long(count) {
        true => (0..count).into_par_iter().with_min_len(PART).map(&of).collect(),
        false => (0..count).map(of).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_lists_keep_their_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
        for count in [0, 1, LONG - 1, LONG, 5 * LONG + 7] {
            let list: Vec<usize> = (0..count).collect();
            let squares: Vec<usize> = list.iter().map(|n| n * n).collect();
            let [first, second] =
                pool.install(|| [map(&list, |n| n * n), map_numbers(count, |number| number * number)]);
            assert!(first == squares && second == squares);
        }
    }
}
