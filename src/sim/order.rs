//! One sort for all lists. The library's sort is compiled anew for every type, 4 KB each time, and the
//! page pays for every byte; this one is compiled once.

/// Sorts by a number; equal ones stay in their order.
pub fn by<T>(list: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    let mut places: Vec<(u64, u32)> = list.iter().zip(0..).map(|(item, place)| (key(item), place)).collect();
    sort(&mut places);
    let mut items: Vec<Option<T>> = list.drain(..).map(Some).collect();
    list.extend(places.iter().filter_map(|(_, place)| items.get_mut(*place as usize)?.take()));
}

/// Sorts by a number and keeps one of each.
pub fn distinct<T: PartialEq>(list: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    by(list, key);
    list.dedup();
}

#[inline(never)]
fn sort(places: &mut [(u64, u32)]) {
    places.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_stay_in_their_order() {
        let mut list = vec![(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        by(&mut list, |item| item.0);
        assert_eq!(list, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
    }

    #[test]
    fn one_of_each_is_kept() {
        let mut list = vec![5_u64, 1, 5, 3, 1];
        distinct(&mut list, |n| *n);
        assert_eq!(list, [1, 3, 5]);
    }
}
