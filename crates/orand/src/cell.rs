//! Cells: symbols as stored in rows.

/// A symbol in a row, of 16 bits where these suffice (Świechowski and Mańdziuk 2014, section
/// III.B).
pub(super) trait Cell:
    Copy + Eq + Ord + std::fmt::Debug + Default + Send + Sync + std::hash::Hash + 'static
{
    /// Number of cells that a 32-bit number takes.
    const NUMBER: usize;
    /// The largest symbol.
    const MAX: u32;
    fn of(symbol: u32) -> Self;
    fn symbol(self) -> u32;
    /// Writes a 32-bit number to the first cells of a row.
    fn put(row: &mut [Self], number: u32);
    /// Reads a 32-bit number from the first cells of a row.
    fn get(row: &[Self]) -> u32;
}

impl Cell for u16 {
    const NUMBER: usize = 2;
    const MAX: u32 = u16::MAX as u32;
    #[inline]
    fn of(symbol: u32) -> Self {
        symbol as u16
    }
    #[inline]
    fn symbol(self) -> u32 {
        u32::from(self)
    }
    #[inline]
    fn put(row: &mut [Self], number: u32) {
        row[0] = number as u16;
        row[1] = (number >> 16) as u16;
    }
    #[inline]
    fn get(row: &[Self]) -> u32 {
        u32::from(row[0]) | u32::from(row[1]) << 16
    }
}

impl Cell for u32 {
    const NUMBER: usize = 1;
    const MAX: u32 = u32::MAX;
    #[inline]
    fn of(symbol: u32) -> Self {
        symbol
    }
    #[inline]
    fn symbol(self) -> u32 {
        self
    }
    #[inline]
    fn put(row: &mut [Self], number: u32) {
        row[0] = number;
    }
    #[inline]
    fn get(row: &[Self]) -> u32 {
        row[0]
    }
}

/// Adds a cell to a hash.
#[inline]
pub(super) fn mix(hash: u64, cell: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(cell)).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The high bits of a hash, which are mixed best.
#[inline]
pub(super) fn top(hash: u64) -> usize {
    (hash >> 32) as usize
}
