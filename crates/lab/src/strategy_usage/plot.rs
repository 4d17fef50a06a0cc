//! Line chart of the shares of strategies over a match (Świechowski 2015, appendix C).

use plotters::prelude::*;

use super::StrategyUsage;
use crate::speed::plot::{COLORS, PlotError};

/// The size of the chart in pixels.
const SIZE: (u32, u32) = (900, 500);

/// Draws each strategy's share of the simulations against the progress of the match as an SVG, both
/// in per cent.
pub fn svg(usage: &StrategyUsage, title: &str) -> Result<String, PlotError> {
    if usage.steps.is_empty() {
        return Err(PlotError::Empty);
    }
    let mut picture = String::new();
    draw(&mut picture, usage, title).map_err(|error| PlotError::Drawing(error.to_string()))?;
    Ok(picture)
}

/// The points of each strategy: progress and share, 0 to 100.
fn lines(usage: &StrategyUsage) -> Vec<Vec<(f64, f64)>> {
    let last = usage.length.saturating_sub(1).max(1);
    let progress = |step: u32| 100.0 * f64::from(step) / f64::from(last);
    let line = |place: usize| {
        let points = usage.steps.iter();
        points
            .map(|step| (progress(step.step), 100.0 * step.shares[place]))
            .collect()
    };
    (0..usage.strategies.len()).map(line).collect()
}

fn draw(
    picture: &mut String,
    usage: &StrategyUsage,
    title: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let lines = lines(usage);
    let most = lines.iter().flatten().map(|(_, share)| *share);
    let most = most.fold(10.0, f64::max).min(100.0);
    let root = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 16))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..100.0, 0.0..most)?;
    chart
        .configure_mesh()
        .x_desc("progress of the match, %")
        .y_desc("simulations so far, %")
        .draw()?;
    for (number, (name, line)) in usage.strategies.iter().zip(lines).enumerate() {
        let color = COLORS[number % COLORS.len()];
        chart
            .draw_series([PathElement::new(line, color.stroke_width(2))])?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .border_style(BLACK.mix(0.3))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy_usage::UsageStep;

    fn usage(steps: Vec<UsageStep>) -> StrategyUsage {
        StrategyUsage {
            role: "x".to_owned(),
            strategies: vec!["random".to_owned(), "goal".to_owned()],
            length: 9,
            steps,
            is_over: true,
            goals: Vec::new(),
        }
    }

    fn step(step: u32, shares: [f64; 2]) -> UsageStep {
        UsageStep {
            step,
            simulations: 10,
            shares: shares.to_vec(),
            earned: vec![None; 2],
        }
    }

    #[test]
    fn progress_and_shares_are_in_percent() {
        let usage = usage(vec![step(0, [0.5, 0.5]), step(8, [0.25, 0.75])]);
        assert_eq!(
            lines(&usage),
            [
                vec![(0.0, 50.0), (100.0, 25.0)],
                vec![(0.0, 50.0), (100.0, 75.0)]
            ]
        );
        let picture = svg(&usage, "a match").unwrap();
        assert!(picture.contains("<svg") && picture.contains("goal"));
    }

    #[test]
    fn a_step_keeps_its_progress_when_later_steps_have_no_search() {
        let usage = usage(vec![step(0, [0.5, 0.5]), step(2, [0.5, 0.5])]);
        assert_eq!(lines(&usage)[0], [(0.0, 50.0), (25.0, 50.0)]);
    }

    #[test]
    fn a_match_without_choices_has_no_chart() {
        assert!(matches!(svg(&usage(Vec::new()), ""), Err(PlotError::Empty)));
    }
}
