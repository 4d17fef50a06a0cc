//! Bar chart of speeds on a logarithmic scale, because engines differ by orders of magnitude.

use ludorum_engines::Engine;
use plotters::prelude::*;
use thiserror::Error;

use super::baseline::{Baseline, BaselineColumn};
use super::table::SpeedRow;

/// The error of a chart that cannot be drawn.
#[derive(Clone, Debug, Error)]
pub enum PlotError {
    /// Nothing was measured.
    #[error("there is nothing to draw")]
    Empty,
    /// The drawing failed.
    #[error("cannot draw: {0}")]
    Drawing(String),
}

/// Width of the chart in pixels.
const WIDTH: u32 = 900;
/// Height of a bar.
const BAR: u32 = 12;
/// Vertical gap between games.
const GAP: u32 = 10;
/// Height of the title and legend.
const HEAD: u32 = 60;
/// Height of the axis below the bars.
const FOOT: u32 = 60;

/// The palette of Okabe and Ito, which is safe for colour-blind readers.
pub(crate) const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(120, 120, 120),
];
/// The colour of another system's speeds.
const OTHER_COLOR: RGBColor = RGBColor(40, 40, 40);

/// A bar: its row, its length, its colour and its confidence interval.
struct Bar {
    row: u32,
    rate: f64,
    interval: Option<(f64, f64)>,
    color: RGBColor,
}

/// The colour of an engine's speeds in an earlier run: a lighter tint of its own.
fn tint(color: RGBColor) -> RGBColor {
    let RGBColor(red, green, blue) = color;
    let half = |part: u8| part / 2 + u8::MAX / 2;
    RGBColor(half(red), half(green), half(blue))
}

/// Draws measured speeds as an SVG. Each game has a group of bars: one for each engine, and below
/// them one for each column of the baseline.
pub fn svg(lines: &[SpeedRow], baseline: Option<&Baseline>) -> Result<String, PlotError> {
    let mut engines: Vec<Engine> = lines.iter().map(|line| line.engine).collect();
    engines.sort_unstable();
    engines.dedup();
    let mut games: Vec<&str> = Vec::new();
    for line in lines {
        if !games.contains(&line.game.as_str()) {
            games.push(&line.game);
        }
    }
    let columns = baseline.map_or_else(Vec::new, |baseline| baseline.columns(&engines));
    let color = |engine: Engine| {
        let number = engines.iter().position(|other| *other == engine);
        COLORS[number.unwrap_or(0) % COLORS.len()]
    };
    let column_color =
        |column: &BaselineColumn| column.engine.map_or(OTHER_COLOR, |own| tint(color(own)));
    let per_game = (engines.len() + columns.len()) as u32;
    let mut bars = Vec::new();
    for (place, game) in games.iter().enumerate() {
        let first = place as u32 * per_game;
        let of_game = || lines.iter().filter(|line| line.game == *game);
        for line in of_game() {
            let number = engines.iter().position(|engine| *engine == line.engine);
            let (Some(number), Some(speed)) = (number, line.speed()) else {
                continue;
            };
            bars.push(Bar {
                row: first + number as u32,
                rate: speed.states_per_second,
                interval: Some((speed.states_per_second_low, speed.states_per_second_high)),
                color: color(line.engine),
            });
        }
        for (number, column) in columns.iter().enumerate() {
            let mut compared = of_game().filter(|line| column.is_for(line.engine));
            let rate = compared.find_map(|line| line.baseline);
            bars.extend(rate.map(|rate| Bar {
                row: first + (engines.len() + number) as u32,
                rate,
                interval: None,
                color: column_color(column),
            }));
        }
    }
    let most = bars.iter().map(|bar| bar.rate).fold(0.0, f64::max);
    let least = bars
        .iter()
        .map(|bar| bar.rate)
        .fold(f64::INFINITY, f64::min);
    if most <= 0.0 {
        return Err(PlotError::Empty);
    }
    let left = 10f64.powf(least.max(1e-3).log10().floor());
    let ends = (left, (most * 1.3).max(10.0 * left));
    let mut labels: Vec<(String, RGBColor)> = Vec::new();
    for engine in &engines {
        labels.push((engine.name().to_owned(), color(*engine)));
    }
    for column in &columns {
        labels.push((column.name.clone(), column_color(column)));
    }
    let mut picture = String::new();
    draw(&mut picture, &games, per_game, &bars, ends, &labels)
        .map_err(|error| PlotError::Drawing(error.to_string()))?;
    Ok(picture)
}

#[allow(clippy::cast_possible_wrap)] // pixels and a handful of engines
fn draw(
    picture: &mut String,
    games: &[&str],
    per_game: u32,
    bars: &[Bar],
    ends: (f64, f64),
    labels: &[(String, RGBColor)],
) -> Result<(), Box<dyn std::error::Error>> {
    let group = per_game * BAR + GAP;
    let height = games.len() as u32 * group;
    let legend = labels.len().div_ceil(5) as u32 * 18;
    let size = (WIDTH, HEAD + legend + height + FOOT);
    let root = SVGBackend::with_string(picture, size).into_drawing_area();
    root.fill(&WHITE)?;
    let text = ("sans-serif", 13).into_font();
    root.draw(&Text::new(
        "state changes a CPU second (logarithmic)",
        (180, 12),
        ("sans-serif", 15).into_font(),
    ))?;
    for (i, (name, color)) in labels.iter().enumerate() {
        let (x, y) = (180 + (i as i32 % 5) * 140, 36 + (i as i32 / 5) * 18);
        root.draw(&Rectangle::new([(x, y), (x + 10, y + 10)], color.filled()))?;
        root.draw(&Text::new(
            name.clone(),
            (x + 14, y - 1),
            ("sans-serif", 11).into_font(),
        ))?;
    }
    let (_, rest) = root.split_vertically(HEAD + legend);
    let mut chart = ChartBuilder::on(&rest)
        .x_label_area_size(FOOT / 2)
        .margin_left(180)
        .margin_right(20)
        .margin_bottom(FOOT / 2)
        .build_cartesian_2d((ends.0..ends.1).log_scale(), 0f64..f64::from(height))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_label_formatter(&|rate| short(*rate))
        .draw()?;
    // The vertical axis of the chart grows upwards, but games are listed from the top.
    let top = |row: u32| {
        let game = row / per_game;
        f64::from(height) - f64::from(game * group + row % per_game * BAR + GAP / 2)
    };
    for bar in bars {
        let y = top(bar.row);
        let end = bar.rate.max(ends.0);
        let corners = [(ends.0, y), (end, y - f64::from(BAR) + 2.0)];
        chart.draw_series([Rectangle::new(corners, bar.color.filled())])?;
        if let Some((low, high)) = bar.interval {
            let middle = y - f64::from(BAR) / 2.0 + 1.0;
            let points = vec![(low.max(ends.0), middle), (high, middle)];
            chart.draw_series([PathElement::new(points, BLACK.stroke_width(1))])?;
        }
    }
    for (place, game) in games.iter().enumerate() {
        let name: String = game.chars().rev().take(24).collect();
        let name: String = name.chars().rev().collect();
        let y = (HEAD + legend + place as u32 * group + group / 2) as i32 - 6;
        root.draw(&Text::new(name, (8, y), text.clone()))?;
    }
    root.present()?;
    Ok(())
}

/// Formats a power of ten with a suffix.
fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e9 => format!("{}G", r / 1e9),
        r if r >= 1e6 => format!("{}M", r / 1e6),
        r if r >= 1e3 => format!("{}k", r / 1e3),
        r => format!("{r}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::Speed;
    use crate::speed::table::csv;
    use crate::speed::table::tests::played;

    /// Number of rectangles of a colour: one in the legend, and the bars.
    fn count(picture: &str, RGBColor(red, green, blue): RGBColor) -> usize {
        let color = format!("fill=\"#{red:02X}{green:02X}{blue:02X}\" stroke=\"none\"");
        picture
            .lines()
            .filter(|line| line.starts_with("<rect") && line.contains(&color))
            .count()
    }

    #[test]
    fn an_earlier_run_has_a_bar_for_each_engine() {
        let run = |baseline| {
            [Engine::PROVER, Engine::LANES]
                .map(|engine| played("nim", engine, 500.0, 5.0, baseline))
        };
        let earlier = Baseline::parse("run", &csv(&run(None))).unwrap();
        let picture = svg(&run(Some(&earlier)), Some(&earlier)).unwrap();
        for name in ["prover", "lanes", "run: prover", "run: lanes"] {
            assert!(picture.lines().any(|line| line == name), "{picture}");
        }
        for color in [COLORS[0], COLORS[1], tint(COLORS[0]), tint(COLORS[1])] {
            assert_eq!(count(&picture, color), 2, "{color:?} in {picture}");
        }
    }

    #[test]
    fn the_fastest_and_the_slowest_rates_can_be_drawn() {
        for rate in ["1e-300", "9e14"] {
            let table = format!("game,states_per_cpu_s\nnim,{rate}\n");
            let other = Baseline::parse("other", &table).unwrap();
            let fast = played("nim", Engine::PROVER, 500.0, 5.0, Some(&other));
            let failed = SpeedRow::new("nim", Engine::LANES, Err::<Speed, _>("x"), Some(&other));
            for lines in [&[fast][..], &[failed]] {
                let picture = svg(lines, Some(&other)).unwrap();
                assert_eq!(count(&picture, OTHER_COLOR), 2, "{picture}");
            }
        }
    }
}
