//! Damage to files: bits flip, ends are missing, blocks come twice, numbers are huge.

use taffeta::core::random::SplitMix64;

/// Numbers as texts and as bytes that readers may stumble over.
const WORDS: [&[u8]; 13] = [
    b"99999999999999999999",
    b"4294967295",
    b"-1",
    b"0",
    b"1e308",
    b"-1e-308",
    b"nan",
    b"1000000",
    &[0xff; 4],
    &[0xff; 8],
    &[0, 0, 0, 0x80],
    &[0, 0, 0, 0, 0, 0, 0, 0x7f],
    &[0; 8],
];

/// A damaged copy: one to four things have happened to it.
pub(super) fn mutate(sample: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=random.below(4) {
        damage(&mut bytes, random);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(64)).min(bytes.len());
    match random.below(8) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next_bits() as u8,
        3 => bytes.truncate(at),
        4 => _ = bytes.drain(at..end),
        5 => {
            let block = bytes[at..end].repeat(1 + random.below(20));
            bytes.splice(at..at, block);
        }
        6 => {
            let word = WORDS[random.below(WORDS.len())];
            let end = (at + word.len()).min(bytes.len());
            bytes.splice(at..end, word.iter().copied());
        }
        _ => {
            // A number of a text, from its first digit on.
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(is_digit).map(|offset| at + offset) else { return };
            let length = bytes[start..].iter().position(|byte| !is_digit(byte));
            let end = length.map_or(bytes.len(), |length| start + length);
            bytes.splice(start..end, WORDS[random.below(WORDS.len())].iter().copied());
        }
    }
}
