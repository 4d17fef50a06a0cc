//! Board games of the collections: how many boards are recognised from the rules alone.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::recognise;
use ludorum_board::{RecognitionReport, SamplingLimits};

/// Board games with the expected kind of board, and columns and rows of a grid or of one of its
/// panels.
const BOARDS: &str = "
    base/2pffa grid 7 7
    base/3pConnectFour grid 8 6
    base/4pttc grid 7 7
    base/ad_game_2x2 grid 2 2
    base/alexChess grid 8 8
    base/amazons grid 10 10
    base/amazonsTorus_10x10 grid 10 10
    base/atariGoVariant_7x7 grid 7 7
    base/battle grid 8 8
    base/biddingTicTacToe grid 3 3
    base/blobwars grid 6 6
    base/blocker grid 4 4
    base/blockerParallel grid 4 4
    base/blocks stacks
    base/blocksWorldSerial stacks
    base/blokbox_simple grid 14 14
    base/bomberman2p grid 8 8
    base/brain_teaser_extended grid 3 3
    base/breakthrough grid 8 8
    base/breakthroughSmallHoles grid 6 6
    base/breakthroughWalls grid 8 8
    base/bunk_t grid 3 3
    base/cephalopodMicro grid 3 3
    base/checkers grid 8 8
    base/checkers-mustjump-torus grid 8 8
    base/checkersBarrelNoKings grid 8 8
    base/checkersTiny grid 4 8
    base/chess grid 8 8
    base/chess_200 grid 8 8
    base/chickentoetictac grid 3 3
    base/chineseCheckers1 hex
    base/chineseCheckers4 hex
    base/chinook grid 8 8
    base/chomp grid 8 7
    base/circlesolitaire track
    base/cittaceot grid 5 5
    base/coins track
    base/coloredtrails grid 4 4
    base/conn4 grid 7 6
    base/connect4 grid 7 7
    base/connect5 grid 8 8
    base/connectFour grid 8 6
    base/connectFourLarge grid 12 9
    base/connectFourSimultaneous grid 8 6
    base/copolymer_4 hex 7 7
    base/crisscross grid 6 6
    base/cubicup grid 7 7
    base/dotsAndBoxes grid 6 6
    base/double_tictactoe_dengji grid 3 3
    base/doubletictactoe grid 3 3
    base/dualConnect4 grid 8 6
    base/eightPuzzle grid 3 3
    base/endgame grid 8 8
    base/englishDraughts grid 8 8
    base/eotcatcit grid 3 3
    base/factoringEasyTurtleBrain grid 2 2
    base/futoshiki4 grid 4 4
    base/god grid 5 5
    base/gomoku_15x15 grid 15 15
    base/hallway grid 9 9
    base/hanoi stacks
    base/hanoi_6_disks stacks
    base/hex hex 9 9
    base/hexPie hex 9 9
    base/hidato19 hex
    base/hitori grid 5 5
    base/kalaha_2009 track
    base/kitten_escapes_from_fire grid
    base/knightThrough grid 8 8
    base/knightfight grid 10 10
    base/knightmove grid 8 8
    base/knightsTour grid 6 5
    base/knightwar grid 11 11
    base/laikLee_hex hex 5 5
    base/lightsOn grid 2 2
    base/lightsOnParallel grid 4 4
    base/lightsOut grid 5 5
    base/majorities hex 9 9
    base/max_knights grid 8 8
    base/mineClearingSmall grid 5 5
    base/minichess grid 4 4
    base/mummyMaze2p_2007 grid 8 8
    base/nim1 track
    base/nineBoardTicTacToe grid 3 3
    base/nonogram_5x5_1 grid 5 5
    base/numbertictactoe grid 3 3
    base/othello-comp2007 grid 8 8
    base/pacman3p grid 8 8
    base/pancakes stacks
    base/pawnToQueen grid 8 8
    base/peg grid 7 7
    base/pentago grid 3 3
    base/quad grid 11 11
    base/quarto grid 4 4
    base/queens grid 10 10
    base/queens08ug grid 8 8
    base/racetrackcorridor grid
    base/reversi grid 8 8
    base/sheepAndWolf grid 8 8
    base/skirmish grid 8 8
    base/skirmishFinal1 grid 8 8
    base/skirmishNew grid 8 8
    base/slidingpieces grid 4 5
    base/snake2p grid 6 6
    base/snakeParallel grid
    base/snake_2009 grid 9 7
    base/solitaireChineseCheckers hex
    base/strangeSkirmish grid 8 8
    base/sudoku grid 9 9
    base/sudokuGrade1 grid 3 3
    base/sum15 track
    base/ticTacHeaven grid 3 3
    base/ticTacToe grid 3 3
    base/ticTacToeLarge grid 5 5
    base/ticTacToeParallel grid 3 3
    base/ticblock grid
    base/tictactoe_3d_2player grid 4 4
    base/tictactoe_3player grid 5 5
    base/tictactoex9 grid 3 3
    base/toetictac grid 3 3
    base/tpeg grid 7 7
    base/ttcc4 grid 7 7
    base/ttcc4_2player_small grid 5 5
    base/wallmaze grid 13 9
    base/wargame01 grid 8 8
    base/zombieAttack1PL6 grid 9 9
    stanford/alquerque grid 5 5
    stanford/chinesecheckers hex
    stanford/connectfour grid 8 6
    stanford/dualconnectfour grid 8 6
    stanford/eightpuzzle grid 3 3
    stanford/farmingquandries grid 4 4
    stanford/firesheep grid 9 9
    stanford/freeforall grid 7 7
    stanford/hamilton graph
    stanford/hex hex 9 9
    stanford/hunter grid 5 3
    stanford/knightstourmedium grid
    stanford/lightboard grid
    stanford/multipletictactoe grid 3 3
    stanford/pentago grid 3 3
    stanford/pilgrimage grid 6 6
    stanford/platformjumpers grid 10 10
    stanford/reversi grid 8 8
    stanford/skirmish grid 8 8
    stanford/sukoshi grid 3 3
    stanford/tictactoe grid 3 3
    stanford/triplesukoshi grid 3 3
    stanford/vectorracer4 grid
";

/// Whether a recognised board is the expected one.
fn is_proper(report: &RecognitionReport, kind: &str, size: &[usize]) -> bool {
    report
        .boards
        .iter()
        .any(|board| board.kind == kind && (size.is_empty() || board.size[..] == *size))
}

#[test]
fn at_least_four_of_five_board_games_get_a_proper_board() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    if !root.exists() {
        println!("skipped: there are no sheets in {}", root.display());
        return;
    }
    let (mut games, mut proper) = (0, 0);
    for line in BOARDS
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let mut words = line.split(' ');
        let (Some(name), Some(kind)) = (words.next(), words.next()) else {
            panic!("`{line}` has no kind");
        };
        let size: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
        let path = root.join(format!("{name}.kif"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{name}: no sheet");
            continue;
        };
        // The deadline only matters for sheets that no engine can play quickly.
        let effort = SamplingLimits {
            playouts: 2,
            steps: 60,
            deadline: Some(Instant::now() + Duration::from_secs(20)),
            ..SamplingLimits::default()
        };
        games += 1;
        let Some(found) = recognise(&text, None, &effort) else {
            println!("{name}: no state in time");
            continue;
        };
        let report = found.drawing.report();
        if is_proper(&report, kind, &size) {
            proper += 1;
        } else {
            println!(
                "{name}: expected {kind} {size:?}, found {:?}",
                report.boards
            );
        }
    }
    println!("{proper} of {games}");
    assert!(games > 100);
    assert!(5 * proper >= 4 * games, "{proper} of {games}");
}
