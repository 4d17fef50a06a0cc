//! Draws games as SVG and PNG, and a contact sheet of them all, so that people can look at what was
//! recognised.
//!
//! `pictures OUTDIR [--hints] [--dark] [GAMES…]`: a game is a shipped name or a path to a sheet.
//! Without games, all that ship and all sheets of `../shared/games` are drawn.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_board::{
    BoardRenderer, DrawOptions, RecognitionInput, RecognitionReport, SamplingLimits, StateSample,
    sample_states,
};
use ludorum_engines::Engine;
use ludorum_games::{BoardHint, ShippedGame};
use ludorum_logic::Rules;
use resvg::{tiny_skia, usvg};

/// The width and height of one game on the contact sheet.
const TILE: [u32; 2] = [520, 320];
/// Games in a row of the contact sheet.
const ACROSS: usize = 4;
/// Maximum number of games on one contact sheet.
const PER_SHEET: usize = 24;

struct Job {
    name: String,
    text: String,
    hint: Option<&'static BoardHint>,
}

struct Drawn {
    name: String,
    first: String,
    middle: String,
    report: RecognitionReport,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let hints = take(&mut words, "--hints");
    let dark = take(&mut words, "--dark");
    if words.is_empty() {
        return Err("usage: pictures OUTDIR [--hints] [--dark] [GAMES…]".into());
    }
    let out = PathBuf::from(words.remove(0));
    fs::create_dir_all(&out)?;
    let jobs = jobs(&words, hints)?;
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    fonts.set_sans_serif_family("DejaVu Sans");
    let fonts = Arc::new(fonts);
    let mut drawn = Vec::new();
    for job in &jobs {
        let start = Instant::now();
        match draw(job) {
            Ok(game) => {
                println!(
                    "{:<40} {:>6} ms  {}",
                    job.name,
                    start.elapsed().as_millis(),
                    summary(&game.report)
                );
                let file = job.name.replace('/', "-");
                fs::write(out.join(format!("{file}-0.svg")), &game.first)?;
                fs::write(out.join(format!("{file}-1.svg")), &game.middle)?;
                drawn.push(game);
            }
            Err(error) => println!("{:<40} {error}", job.name),
        }
    }
    for (number, games) in drawn.chunks(PER_SHEET).enumerate() {
        let svg = contact_sheet(games, dark);
        let png = render(&svg, &fonts, dark)?;
        let path = out.join(format!("sheet-{number:02}.png"));
        fs::write(&path, png)?;
        println!("{}", path.display());
    }
    if jobs.len() <= PER_SHEET {
        for game in &drawn {
            let file = game.name.replace('/', "-");
            fs::write(
                out.join(format!("{file}-0.png")),
                render(&game.first, &fonts, dark)?,
            )?;
            fs::write(
                out.join(format!("{file}-1.png")),
                render(&game.middle, &fonts, dark)?,
            )?;
        }
    }
    Ok(())
}

fn take(words: &mut Vec<String>, flag: &str) -> bool {
    let before = words.len();
    words.retain(|word| word != flag);
    words.len() < before
}

fn jobs(words: &[String], hints: bool) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let shipped = |game: &'static ShippedGame| Job {
        name: game.name.to_owned(),
        text: game.text.to_owned(),
        hint: game.board.as_ref().filter(|_| hints),
    };
    let mut jobs = Vec::new();
    if words.is_empty() {
        jobs.extend(ludorum_games::all().iter().map(shipped));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
        for collection in ["base", "stanford"] {
            let Ok(folder) = fs::read_dir(root.join(collection)) else {
                continue;
            };
            let mut paths: Vec<PathBuf> = folder.filter_map(|e| Some(e.ok()?.path())).collect();
            paths.sort();
            for path in paths {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                let name = format!("{collection}/{name}");
                jobs.push(Job {
                    name,
                    text: fs::read_to_string(&path)?,
                    hint: None,
                });
            }
        }
        return Ok(jobs);
    }
    for word in words {
        if let Some(game) = ludorum_games::find(word) {
            jobs.push(shipped(game));
            continue;
        }
        let path = Path::new(word);
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let stem = path.file_stem().unwrap_or_default();
        jobs.push(Job {
            name: format!("{}/{}", folder.to_string_lossy(), stem.to_string_lossy()),
            text: fs::read_to_string(path)?,
            hint: None,
        });
    }
    Ok(jobs)
}

fn draw(job: &Job) -> Result<Drawn, String> {
    let rules = Rules::from_text(&job.text).map_err(|errors| format!("{errors:?}"))?;
    let rules = Arc::new(rules);
    let mut walker = Engine::AUTO
        .walker(&rules)
        .map_err(|error| error.to_string())?;
    let effort = SamplingLimits {
        deadline: Some(Instant::now() + Duration::from_secs(4)),
        ..SamplingLimits::default()
    };
    let samples = sample_states(&mut *walker, &effort);
    let drawing = BoardRenderer::recognise(&RecognitionInput {
        rules: &rules,
        hint: job.hint,
        samples: &samples,
    });
    let picture = |sample: &StateSample| {
        let none = Vec::new();
        let legal = sample.legal.iter().max_by_key(|moves| moves.len());
        let options = DrawOptions {
            last: sample.joint.as_ref().unwrap_or(&none),
            legal: legal.unwrap_or(&none),
            role: None,
            standalone: true,
            over: false,
        };
        drawing.draw(&sample.facts, &options)
    };
    let Some(first) = samples.first() else {
        return Err("no state could be reached in time".to_owned());
    };
    let playout = samples
        .iter()
        .skip(1)
        .position(|sample| sample.facts == first.facts);
    let length = playout.map_or(samples.len(), |at| at + 1);
    let middle = &samples[(length * 2 / 3).min(samples.len() - 1)];
    Ok(Drawn {
        name: job.name.clone(),
        first: picture(first).svg,
        middle: picture(middle).svg,
        report: drawing.report(),
    })
}

fn summary(report: &RecognitionReport) -> String {
    let mut text = String::new();
    for board in &report.boards {
        let [columns, rows] = board.size;
        let _ = write!(
            text,
            "{} {columns}x{rows} ({}) {}; ",
            board.kind,
            board.cells,
            board.fluents.join("+")
        );
    }
    let _ = write!(
        text,
        "drawn {:.2} clicked {:.2}",
        report.drawn, report.clicked
    );
    if !report.counters.is_empty() {
        let _ = write!(text, " counters {}", report.counters.join(","));
    }
    if !report.hands.is_empty() {
        let _ = write!(text, " hands {}", report.hands.join(","));
    }
    text
}

/// All games on one page: name, first state and a later state side by side.
fn contact_sheet(games: &[Drawn], dark: bool) -> String {
    let [w, h] = TILE.map(f64::from);
    #[allow(clippy::cast_precision_loss)]
    let rows = games.len().div_ceil(ACROSS) as f64;
    #[allow(clippy::cast_precision_loss)]
    let width = ACROSS as f64 * w;
    let (paper, ink) = if dark {
        ("#1e1d1b", "#ece6da")
    } else {
        ("#fffdf8", "#2b2823")
    };
    let mut page = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{0}" viewBox="0 0 {width} {0}" font-family="sans-serif"><rect width="100%" height="100%" fill="{paper}"/>"#,
        rows * h
    );
    for (number, game) in games.iter().enumerate() {
        #[allow(clippy::cast_precision_loss)]
        let (x, y) = ((number % ACROSS) as f64 * w, (number / ACROSS) as f64 * h);
        let _ = write!(
            page,
            r#"<text x="{}" y="{}" font-size="15" font-weight="700" fill="{ink}">{}</text>"#,
            x + 8.0,
            y + 18.0,
            game.name
        );
        for (side, svg) in [&game.first, &game.middle].into_iter().enumerate() {
            #[allow(clippy::cast_precision_loss)]
            let left = x + 6.0 + side as f64 * w / 2.0;
            let frame = format!(
                r#"<svg x="{left}" y="{}" width="{}" height="{}" preserveAspectRatio="xMidYMin meet""#,
                y + 26.0,
                w / 2.0 - 12.0,
                h - 34.0
            );
            page.push_str(&placed(svg, &frame));
        }
    }
    page.push_str("</svg>");
    page
}

/// A picture with another viewport; its own size is removed.
fn placed(svg: &str, frame: &str) -> String {
    let view = svg.find("viewBox").map_or("", |at| &svg[at..]);
    let end = view.find("\" ").map_or(0, |at| at + 1);
    let body = svg.find('>').map_or("", |at| &svg[at + 1..]);
    let ids = body.replace(" id=\"", " data-id=\"");
    format!(
        r#"{frame} {} font-family="sans-serif" text-anchor="middle">{ids}"#,
        &view[..end]
    )
}

/// Replaces CSS variables by their values, since the PNG renderer does not support them.
fn plain(svg: &str, dark: bool) -> String {
    let values: BTreeMap<&str, &str> = svg
        .find("<style>")
        .filter(|_| dark)
        .and_then(|at| {
            let style = &svg[at..];
            let from = style.find(":root{")? + 6;
            Some(&style[from..from + style[from..].find('}')?])
        })
        .into_iter()
        .flat_map(|style| style.split(';'))
        .filter_map(|pair| pair.split_once(':'))
        .collect();
    let mut out = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(at) = rest.find("var(") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 4..];
        let end = inner.find(')').unwrap_or(inner.len());
        let (name, own) = inner[..end].split_once(',').unwrap_or((&inner[..end], ""));
        out.push_str(values.get(name.trim()).copied().unwrap_or(own.trim()));
        rest = &inner[(end + 1).min(inner.len())..];
    }
    out.push_str(rest);
    out
}

fn render(
    svg: &str,
    fonts: &Arc<usvg::fontdb::Database>,
    dark: bool,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let options = usvg::Options {
        fontdb: Arc::clone(fonts),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(&plain(svg, dark), &options)?;
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).ok_or("too large")?;
    let paper = if dark {
        [0x1e, 0x1d, 0x1b]
    } else {
        [0xff, 0xfd, 0xf8]
    };
    let [r, g, b] = paper;
    pixels.fill(tiny_skia::Color::from_rgba8(r, g, b, 255));
    resvg::render(
        &tree,
        tiny_skia::Transform::identity(),
        &mut pixels.as_mut(),
    );
    Ok(pixels.encode_png()?)
}
