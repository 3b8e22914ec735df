//! Work shared out to the threads of the current rayon pool.
//!
//! rayon's own iterators compile a scheduler for every closure that they are given; here one serves all of them.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls `work` with parts of some data and their numbers, each once, in any order and on any thread.
///
/// Results have the same bits for any number of threads if `work` writes nothing but its part.
pub fn for_each_part<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(usize, P) + Sync) {
    // The lock is never waited for: it only tells the compiler that a part has one owner.
    let parts: Vec<Mutex<Option<P>>> = parts.map(|part| Mutex::new(Some(part))).collect();
    for_each_number(parts.len(), &|number| {
        let part = parts[number].lock().expect("nothing panics while it is locked").take();
        work(number, part.expect("every number comes once"));
    });
}

fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Number of times that a waiting thread looks for a task before it lets others run.
const LOOKS: u32 = 16;
/// Elements that keep a thread busy.
const ELEMENTS_PER_THREAD: usize = 500;
/// Tasks that a list is shared out in, for each thread.
const TASKS_PER_THREAD: usize = 2;

/// Returns whether sharing out `count` elements pays, of which a task takes `per_task`. Fewer than two tasks are run
/// by one thread: waking a second costs more than it saves.
pub fn is_shared(count: usize, per_task: usize) -> bool {
    count >= 2 * per_task && rayon::current_num_threads() > 1
}

/// Calls `work` with parts of a list and the number of each part's first element, on the threads there are.
pub fn share_out<W: Send>(list: &mut [W], per_task: usize, work: impl Fn(usize, &mut [W]) + Sync) {
    if is_shared(list.len(), per_task) {
        // More tasks than these cost more than they even out.
        let tasks = TASKS_PER_THREAD * rayon::current_num_threads();
        let per_task = per_task * list.len().div_ceil(per_task * tasks);
        for_each_part(list.chunks_mut(per_task), |task, part| work(task * per_task, part));
    } else {
        work(0, list);
    }
}

/// Collects what `work` adds for ranges of the numbers from 0 to a count, in the order of the numbers, on the threads there are.
/// A task takes `per_task` numbers.
///
/// The list has the same bits for any number of threads if what is added for a number does not depend on its range.
pub fn collect<R: Send>(
    count: usize,
    per_task: usize,
    work: impl Fn(Range<usize>, &mut Vec<R>) + Sync,
) -> Vec<R> {
    let mut all = Vec::new();
    if !is_shared(count, per_task) {
        work(0..count, &mut all);
        return all;
    }
    let mut parts: Vec<Vec<R>> = (0..count.div_ceil(per_task)).map(|_| Vec::new()).collect();
    for_each_part(parts.iter_mut(), |task, part| {
        work(task * per_task..((task + 1) * per_task).min(count), part);
    });
    all.reserve_exact(parts.iter().map(Vec::len).sum());
    parts.iter_mut().for_each(|part| all.append(part));
    all
}

/// Maps a list on the threads there are. A task takes `per_task` entries.
pub fn map<T: Sync, R: Send>(list: &[T], per_task: usize, of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    collect(list.len(), per_task, |range, out| out.extend(list[range].iter().map(&of)))
}

/// Maps the numbers from 0 to a count on the threads there are. A task takes `per_task` of them.
pub fn map_numbers<R: Send>(count: usize, per_task: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    collect(count, per_task, |range, out| out.extend(range.map(&of)))
}

/// Does `work`, which shares out so many elements time and again, while the other threads stand by: to wake one takes longer
/// than many a task.
///
/// They look for tasks all the time; where there are few elements for each, some do not take part.
pub fn stand_by<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    let threads = rayon::current_num_threads().min(count / ELEMENTS_PER_THREAD);
    let Some(own) = rayon::current_thread_index().filter(|_| threads > 1) else { return work() };
    let is_over = AtomicBool::new(false);
    rayon::in_place_scope(|scope| {
        // Not tasks that anybody could take: this thread would wait for its own end in one of them.
        scope.spawn_broadcast(|_, context| {
            let turn = (context.index() + context.num_threads() - own) % context.num_threads();
            if turn == 0 || turn >= threads {
                return;
            }
            let mut looks = 0_u32;
            while !is_over.load(Ordering::Acquire) {
                if rayon::yield_now() == Some(rayon::Yield::Executed) {
                    continue;
                }
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(LOOKS) {
                    // Whoever else wants the processor is to have it now, and not in the middle of a task.
                    std::thread::yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
        });
        let _over = Over(&is_over);
        work()
    })
}

/// Tells that it is over when it goes, be it by a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Does two things, at the same time if that `pays` and there are two threads.
pub fn join(pays: bool, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if pays && rayon::current_num_threads() > 1 {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start")
    }

    #[test]
    fn every_element_is_worked_on_once_whatever_the_threads() {
        for threads in [1, 3] {
            for count in [0, 1, 7, 8, 9, 100] {
                let mut list = vec![0; count];
                let tasks = AtomicUsize::new(0);
                pool(threads).install(|| {
                    share_out(&mut list, 4, |first, part| {
                        assert!(first.is_multiple_of(4));
                        assert!(part.len().is_multiple_of(4) || first + part.len() == count);
                        tasks.fetch_add(1, Ordering::Relaxed);
                        part.iter_mut().zip(first..).for_each(|(entry, number)| *entry += number + 1);
                    });
                });
                assert_eq!(list, (1..=count).collect::<Vec<_>>());
                let tasks = tasks.into_inner();
                assert!(if threads == 1 || count < 8 { tasks == 1 } else { (2..=6).contains(&tasks) });
            }
        }
    }

    #[test]
    fn lists_are_mapped_and_collected_in_their_order_whatever_the_threads() {
        for threads in [1, 3] {
            for count in [0, 1, 7, 8, 9, 100] {
                let list: Vec<usize> = (0..count).collect();
                let [squares, again, odd] = pool(threads).install(|| {
                    let squares = map(&list, 4, |n| n * n);
                    let add =
                        |range: Range<usize>, out: &mut Vec<usize>| out.extend(range.filter(|n| n % 2 == 1));
                    [squares, map_numbers(count, 4, |n| n * n), collect(count, 4, add)]
                });
                assert_eq!(squares, (0..count).map(|n| n * n).collect::<Vec<_>>());
                assert_eq!(again, squares);
                assert_eq!(odd, (0..count).filter(|n| n % 2 == 1).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn threads_that_stand_by_take_tasks_and_leave_at_the_end() {
        for threads in [1, 2, 4] {
            let pool = pool(threads);
            let sum = pool.install(|| {
                stand_by(10_000, || {
                    let mut list = vec![0_u64; 1000];
                    for _ in 0..50 {
                        share_out(&mut list, 10, |_, part| part.iter_mut().for_each(|entry| *entry += 1));
                        let (mut a, mut b) = (0, 0);
                        join(true, || a = 1, || b = 2);
                        assert_eq!((a, b), (1, 2));
                    }
                    list.iter().sum::<u64>()
                })
            });
            assert_eq!(sum, 50_000);
            // They are there for others.
            assert_eq!(pool.broadcast(|_| 1).len(), threads);
        }
        assert_eq!(stand_by(10_000, || 7), 7, "outside of any pool there is nobody to stand by");
    }

    #[test]
    fn a_panic_sends_those_home_that_stand_by() {
        let pool = pool(3);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            pool.install(|| stand_by(10_000, || panic!("on purpose")));
        }));
        assert!(outcome.is_err());
        assert_eq!(pool.broadcast(|_| 1).len(), 3);
    }
}
