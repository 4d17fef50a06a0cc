//! A lexer for Rust that keeps the tokens of paths, identifiers and punctuation. Comments, literals
//! and lifetimes are left out.

/// A token of a Rust file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// One character of punctuation.
    Punctuation(char),
}

impl Token {
    pub(crate) fn is(&self, sign: char) -> bool {
        *self == Token::Punctuation(sign)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::Punctuation(_) => None,
        }
    }
}

/// The tokens of a file.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        let rest = &chars[i..];
        if c == '/' && rest.get(1) == Some(&'/') {
            i += rest.iter().take_while(|c| **c != '\n').count();
        } else if c == '/' && rest.get(1) == Some(&'*') {
            i += block_comment(rest);
        } else if c == '"' {
            i += string(rest);
        } else if c == '\'' {
            i += quote(rest);
        } else if let Some(length) = raw_string(rest) {
            i += length;
        } else if c.is_alphabetic() || c == '_' {
            let length = word_length(rest);
            tokens.push(Token::Word(rest[..length].iter().collect()));
            i += length;
        } else if c.is_ascii_digit() {
            i += word_length(rest);
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Punctuation(c));
            }
            i += 1;
        }
    }
    tokens
}

fn word_length(rest: &[char]) -> usize {
    let is_part = |c: &&char| c.is_alphanumeric() || **c == '_';
    rest.iter().take_while(is_part).count()
}

/// The length of a block comment; such comments nest.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < rest.len() {
        match rest[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

/// The length of the string literal at the start of `rest`.
fn string(rest: &[char]) -> usize {
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    i
}

/// The length of the character literal or lifetime at the start of `rest`.
fn quote(rest: &[char]) -> usize {
    match rest {
        [_, '\\', ..] => {
            let end = rest.iter().skip(3).position(|c| *c == '\'');
            end.map_or(rest.len(), |end| end + 4)
        }
        [_, _, '\'', ..] => 3,
        _ => 1 + word_length(&rest[1..]),
    }
}

/// The length of the raw or byte string literal at the start of `rest`, if there is one.
fn raw_string(rest: &[char]) -> Option<usize> {
    let prefix = rest
        .iter()
        .take_while(|c| matches!(**c, 'r' | 'b' | 'c'))
        .count();
    if prefix == 0 || prefix > 2 {
        return None;
    }
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    if !rest[..prefix].contains(&'r') {
        return (hashes == 0).then(|| prefix + string(&rest[prefix..]));
    }
    let mut i = open + 1;
    while i < rest.len() {
        let closes = rest[i] == '"'
            && rest[i + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes;
        if closes {
            return Some(i + 1 + hashes);
        }
        i += 1;
    }
    Some(i)
}

#[test]
fn comments_literals_and_lifetimes_are_no_tokens() {
    let text = r##"
        // crate::a
        /* crate::b /* nested */ */
        fn f<'a>(c: &'a str) { g("crate::c \" x", 'x', '\'', r#"crate::"d" "#, b"e", 1_u8) }
    "##;
    let words: Vec<Token> = tokens(text);
    let words: Vec<&str> = words.iter().filter_map(Token::word).collect();
    assert_eq!(words, ["fn", "f", "c", "str", "g"]);
}
