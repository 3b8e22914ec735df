//! A picture in memory.

/// Pixels in rows from the top, each of three channels \[sRGB\].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one color.
    ///
    /// # Panics
    /// If it has no pixels.
    pub fn new(width: u32, height: u32, color: [u8; 3]) -> Self {
        assert!(width > 0 && height > 0, "a picture has pixels");
        Self { width, pixels: vec![color; width as usize * height as usize] }
    }

    /// A picture whose pixels follow from their column and row.
    ///
    /// # Panics
    /// If it has no pixels.
    pub fn from_fn(width: u32, height: u32, mut color: impl FnMut(u32, u32) -> [u8; 3]) -> Self {
        let mut image = Self::new(width, height, [0; 3]);
        image.rows_mut().zip(0..).for_each(|(row, y)| {
            row.iter_mut().zip(0..).for_each(|(pixel, x)| *pixel = color(x, y));
        });
        image
    }

    /// Width and height \[pixels\].
    pub fn size(&self) -> [u32; 2] {
        [self.width, (self.pixels.len() / self.width as usize) as u32]
    }

    /// The color of a pixel by its column and row.
    ///
    /// # Panics
    /// If the picture does not have it.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width, "column {x} of {}", self.width);
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// The color of a pixel by its column and row, to be changed; `None` if the picture does not have it.
    pub fn pixel_mut(&mut self, x: u32, y: u32) -> Option<&mut [u8; 3]> {
        let is_inside = x < self.width;
        self.pixels.get_mut(y as usize * self.width as usize + x as usize).filter(|_| is_inside)
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// The rows from the top.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[[u8; 3]]> {
        self.pixels.chunks_exact(self.width as usize)
    }

    /// The rows from the top, to be changed.
    pub fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [[u8; 3]]> {
        self.pixels.chunks_exact_mut(self.width as usize)
    }

    /// The bytes of all channels, row by row.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// Replaces what lies below a picture whose upper left corner is at a column and a row.
    ///
    /// # Panics
    /// If it reaches beyond this one.
    pub fn paste(&mut self, picture: &Self, [left, top]: [u32; 2]) {
        let columns = left as usize..(left + picture.width) as usize;
        let rows = &mut self.rows_mut().skip(top as usize);
        picture.rows().for_each(|row| {
            rows.next().expect("it reaches beyond the lower border")[columns.clone()].copy_from_slice(row);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_found_by_column_and_row() {
        let mut image = Image::from_fn(3, 2, |x, y| [x as u8, y as u8, 7]);
        assert_eq!((image.size(), image.pixel(2, 1)), ([3, 2], [2, 1, 7]));
        assert_eq!(image.bytes()[..6], [0, 0, 7, 1, 0, 7]);
        *image.pixel_mut(1, 0).unwrap() = [9; 3];
        assert_eq!(image.pixels()[1], [9; 3]);
        assert!(image.pixel_mut(3, 0).is_none() && image.pixel_mut(0, 2).is_none());
    }

    #[test]
    fn a_picture_is_pasted_to_its_place_and_nowhere_else() {
        let mut sheet = Image::new(5, 4, [0; 3]);
        sheet.paste(&Image::new(2, 3, [1; 3]), [3, 1]);
        assert_eq!(sheet, Image::from_fn(5, 4, |x, y| [u8::from(x >= 3 && y >= 1); 3]));
    }
}
