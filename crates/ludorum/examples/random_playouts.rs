//! Plays random games on all cores and prints what each role gets on average.
//!
//! `cargo run --release --package ludorum --example random_playouts -- connect-four 100000`

use std::thread;
use std::time::Instant;

use ludorum::{Error, Game};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments
        .next()
        .unwrap_or_else(|| "connect-four".to_owned());
    let count = arguments.next().and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(20_000);

    let game = Game::named(&name)?;
    let engine = game.engine("auto")?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let begin = Instant::now();
    let totals = thread::scope(|scope| {
        let work = (0..threads as u64).map(|seed| {
            let mut engine = engine.fork(seed);
            scope.spawn(move || {
                let start = engine.initial()?;
                engine.playouts(&start, count.div_ceil(threads as u32))
            })
        });
        let work: Vec<_> = work.collect();
        let mut totals: Option<ludorum::PlayoutTotals> = None;
        for thread in work {
            let more = thread.join().expect("the thread does not panic")?;
            match &mut totals {
                Some(totals) => totals.merge(&more),
                None => totals = Some(more),
            }
        }
        Ok::<_, Error>(totals.unwrap_or_default())
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{}: {} playouts in {seconds:.2} s",
        game.name(),
        totals.playouts
    );
    for (role, name) in game.roles().iter().enumerate() {
        match totals.mean(role) {
            Some(mean) => println!("  {name:<12} {mean:6.2}"),
            None => println!("  {name:<12} no goal"),
        }
    }
    Ok(())
}
