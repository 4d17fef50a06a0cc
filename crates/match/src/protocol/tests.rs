use proptest::prelude::*;

use super::*;

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn start_is_read_with_and_without_parentheses_around_the_description() {
    let expected = |sheet: &str| {
        Message::Start(StartMessage {
            id: "m1".into(),
            role: "White".into(),
            sheet: sheet.into(),
            start_clock: seconds(30),
            play_clock: seconds(10),
        })
    };
    let sheet = "(role White) (<= terminal (true ?x))";
    for (text, sheet) in [
        (
            format!("(START m1 White ({sheet}) 30 10)"),
            format!("({sheet})"),
        ),
        (format!("(start m1 White {sheet} 30 10)"), sheet.to_owned()),
        (
            format!(" \r\n( Start\tm1 White\n{sheet} 30 10.0 ) ; end"),
            sheet.to_owned(),
        ),
        (format!("START m1 White {sheet} 30 10"), sheet.to_owned()),
    ] {
        assert_eq!(Message::from_text(&text), Ok(expected(&sheet)), "{text}");
    }
}

#[test]
fn moves_may_be_nil_in_any_form() {
    for text in ["(PLAY m nil)", "(play m NIL)", "(Play m ())", "(PLAY m)"] {
        let (id, moves) = ("m".to_owned(), None);
        assert_eq!(Message::from_text(text), Ok(Message::Play { id, moves }));
    }
    let Ok(Message::Play { moves, .. }) = Message::from_text("(play m ((mark 1 1) noop))") else {
        panic!("a message");
    };
    let moves = moves.and_then(|moves| moves.for_roles(2));
    assert_eq!(moves.unwrap(), ["(mark 1 1)", "noop"]);
}

#[test]
fn missing_parts_are_named() {
    for (text, part) in [
        ("", "nothing"),
        ("()", "nothing"),
        ("(HELLO)", "`HELLO` is not a message"),
        ("(PLAY)", "PLAY without the name of a match"),
        ("(PLAY (m) nil)", "PLAY without the name of a match"),
        ("(START m)", "START without a role"),
        ("(START m white 3 3)", "START without a description"),
        (
            "(START m white ((role white)) soon 3)",
            "`soon` is not a clock",
        ),
        ("(START m white ((role white)) -1 3)", "`-1` is not a clock"),
        ("(PLAY m ((mark ?x)))", "variable"),
        ("(PLAY m (", "parentheses"),
        ("(ABORT)", "ABORT without"),
        ("(PREVIEW)", "PREVIEW without"),
    ] {
        let error = Message::from_text(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn invalid_utf8_is_replaced() {
    let bytes = b"\xef\xbb\xbf(INFO ; \xff\xfe\n)";
    assert_eq!(Message::from_bytes(bytes), Ok(Message::Info));
    let long = Message::from_text(&"x".repeat(100_000)).unwrap_err();
    assert!(long.to_string().len() < 300);
}

#[test]
fn names_of_matches_are_words() {
    assert!(is_word("tournament-1.5_x"));
    for text in ["", " ", "a b", "(a)", "a;b", "a\n"] {
        assert!(!is_word(text), "{text:?}");
    }
}

#[test]
fn answers_are_classified_by_their_first_word() {
    for answer in ["ready", "READY\n", " ( Ready )", "ready."] {
        assert!(begins_with(answer, READY), "{answer}");
    }
    assert!(!begins_with("readymade", READY));
    assert!(!begins_with("", READY));
    assert!(is_refusal("BUSY") && is_refusal("Error: no match"));
    assert!(!is_refusal("(mark 1 1)") && !is_refusal("ç"));
}

fn word() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_.+-]{0,8}".prop_filter("nil is not a move", |word| word != "nil")
}

fn joint() -> impl Strategy<Value = Option<JointMove>> {
    let term = (word(), prop::collection::vec(word(), 0..3)).prop_map(|(name, args)| {
        if args.is_empty() {
            name
        } else {
            format!("({name} {})", args.join(" "))
        }
    });
    prop::option::of(prop::collection::vec(term, 1..4).prop_map(JointMove::new))
}

fn message() -> impl Strategy<Value = Message> {
    let clock = || (0u64..100_000).prop_map(Duration::from_secs);
    prop_oneof![
        Just(Message::Info),
        Just(Message::Ping),
        (word(), joint()).prop_map(|(id, moves)| Message::Play { id, moves }),
        (word(), joint()).prop_map(|(id, moves)| Message::Stop { id, moves }),
        word().prop_map(|id| Message::Abort { id }),
        (word(), word(), clock(), clock()).prop_map(|(id, role, start_clock, play_clock)| {
            let sheet = format!("((role {role}) (init (step 1))\n)");
            Message::Start(StartMessage {
                id,
                role,
                sheet,
                start_clock,
                play_clock,
            })
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn written_messages_are_read_back(mut message in message()) {
        // Writing adds one pair of parentheses.
        let mut sent = message.clone();
        if let Message::Start(start) = &mut sent {
            start.sheet = scan::inside(&start.sheet).trim_end().to_owned();
        }
        let written = sent.to_string();
        let read = Message::from_text(&written);
        prop_assert_eq!(read.as_ref(), Ok(&message), "{}", written);
        // A comment at the end of the sheet does not swallow what follows.
        if let Message::Start(start) = &mut message {
            start.sheet = "(role a) ; end".to_owned();
            let start_clock = start.start_clock;
            let Ok(Message::Start(read)) = Message::from_text(&message.to_string()) else {
                panic!("a START");
            };
            prop_assert_eq!(read.start_clock, start_clock);
        }
    }

    #[test]
    fn case_and_white_space_do_not_matter(message in message(), blanks in "[ \t\r\n]{1,3}") {
        let Message::Play { id, .. } = &message else { return Ok(()); };
        let sloppy = message.to_string().replace(' ', &blanks).replacen("PLAY", "pLaY", 1);
        let sloppy = format!("{blanks}{}{blanks}", sloppy.replace(')', &format!("{blanks})")));
        prop_assert_eq!(Message::from_text(&sloppy), Ok(message.clone()), "{}", id);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Message::from_bytes(&bytes);
        let _ = read_move(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_parentheses_never_panic(text in "[()a; ?nilPLAYSTART\n]{0,80}") {
        let _ = Message::from_text(&text);
        let _ = Message::from_text(&format!("(START m r {text} 1 1)"));
        let _ = Message::from_text(&format!("(PLAY m {text})"));
        let _ = read_move(&text);
    }
}

#[test]
fn busy_is_reported_in_several_forms() {
    for answer in [
        "busy",
        "BUSY",
        "((name x) (status busy))",
        "( ( STATUS\n Busy ) )",
    ] {
        assert!(reports_busy(answer), "{answer}");
    }
    for answer in [
        "available",
        "((name busy) (status available))",
        "",
        "busybody",
    ] {
        assert!(!reports_busy(answer), "{answer}");
    }
}
