//! Figures published in Świechowski 2015 and in Świechowski and Mańdziuk 2014.

/// A row of Świechowski 2015, table 6.3: the game, its sheet, and simulations in 20 s by `ECLiPSe`,
/// YAP and the OR-AND engine.
pub(crate) type PublishedRow = (&'static str, &'static str, [f64; 3]);

/// Świechowski 2015, table 6.3. `Logistics` has no public sheet under that name.
pub(crate) const OR_AND_SPEED: [PublishedRow; 28] = [
    (
        "Bidding Tic-Tac-Toe",
        "base/biddingTicTacToe",
        [10333.0, 9196.0, 48396.0],
    ),
    ("Bomberman", "base/bomberman2p", [13528.0, 6602.0, 77792.0]),
    ("Breakthrough", "base/breakthrough", [753.0, 904.0, 1850.0]),
    (
        "Cephalopod Micro",
        "base/cephalopodMicro",
        [66.0, 54.0, 176.0],
    ),
    ("Checkers", "base/checkers", [183.0, 198.0, 414.0]),
    (
        "Chinese Checkers",
        "base/chineseCheckers3",
        [1079.0, 1703.0, 9065.0],
    ),
    ("Chinook", "base/chinook", [268.0, 602.0, 4421.0]),
    ("Connect-4", "base/connectFour", [5689.0, 6913.0, 23038.0]),
    (
        "Connect-4 Suicide",
        "base/connectFourSuicide",
        [5535.0, 6813.0, 22696.0],
    ),
    (
        "Dual Connect-4",
        "base/dualConnect4",
        [3099.0, 5741.0, 16315.0],
    ),
    (
        "Eight Puzzle",
        "base/eightPuzzle",
        [5570.0, 3850.0, 18591.0],
    ),
    ("Farmers", "y2006/farmers", [4914.0, 11430.0, 11974.0]),
    (
        "Farming Quandries",
        "stanford/farmingquandries",
        [868.0, 1901.0, 13534.0],
    ),
    ("Fire Sheep", "stanford/firesheep", [176.0, 1614.0, 2353.0]),
    (
        "Knight Through",
        "base/knightThrough",
        [1636.0, 1620.0, 4905.0],
    ),
    (
        "Knight Tour",
        "base/knightsTour",
        [153_292.0, 63852.0, 167_807.0],
    ),
    ("Logistics", "", [2451.0, 3721.0, 24928.0]),
    (
        "9 Board Tic-Tac-Toe",
        "base/nineBoardTicTacToe",
        [2011.0, 3366.0, 18024.0],
    ),
    ("Othello", "base/othello-comp2007", [9.0, 71.0, 67.0]),
    ("Pacman", "base/pacman3p", [1143.0, 812.0, 7109.0]),
    ("Pentago", "base/pentago", [950.0, 1571.0, 1439.0]),
    (
        "Pentago Suicide",
        "base/pentagoSuicide",
        [920.0, 1577.0, 1431.0],
    ),
    ("Pilgrimage", "stanford/pilgrimage", [316.0, 983.0, 986.0]),
    (
        "Platform Jumpers",
        "stanford/platformjumpers",
        [11.0, 188.0, 45.0],
    ),
    ("Quarto", "base/quarto", [2979.0, 4465.0, 19337.0]),
    (
        "Sheep and Wolf",
        "base/sheepAndWolf",
        [1753.0, 991.0, 11643.0],
    ),
    (
        "Tic-Tac-Toe",
        "base/ticTacToe",
        [51295.0, 28057.0, 109_374.0],
    ),
    ("Zhadu", "base/zhadu", [238.0, 852.0, 596.0]),
];

/// The games of the conclusion of Świechowski and Mańdziuk 2014, with the published gain by filters
/// in per cent, if any.
pub(crate) const FILTERS: [(&str, &str, &str); 7] = [
    ("Connect-4", "base/connectFour", "5 %"),
    ("Chinese Checkers", "base/chineseCheckers2", "29 %"),
    ("Checkers", "base/checkers", "58 %"),
    ("Chess", "base/chess", "100 %"),
    ("Pacman", "base/pacman3p", "510 %"),
    ("Tic-Tac-Toe", "base/ticTacToe", "negligible"),
    ("Othello", "base/othello-comp2007", "needed to end"),
];
