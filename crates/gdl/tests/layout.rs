//! The formatter by example. Its losslessness and idempotence are tested in `properties.rs` and
//! `sheets.rs`.

use ludorum_gdl::format::format;
use ludorum_gdl::{Notation, parse};

fn layout(text: &str, notation: Notation) -> String {
    let parsed = parse(text);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    format(&parsed.description, text, notation)
}

fn kif(text: &str) -> String {
    layout(text, Notation::Kif)
}

fn infix(text: &str) -> String {
    layout(text, Notation::Infix)
}

#[test]
fn a_rule_has_a_line_for_every_condition() {
    let text =
        "(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (not (closed ?w)) (or (p ?x) (q ?y)))";
    assert_eq!(
        kif(text),
        "\
(<= (legal ?w (mark ?x ?y))
  (true (cell ?x ?y b))
  (not (closed ?w))
  (or (p ?x) (q ?y)))
"
    );
    assert_eq!(
        infix(text),
        "\
legal(W,mark(X,Y)) :-
  true(cell(X,Y,b)) &
  ~closed(W) &
  (p(X) | q(Y))
"
    );
}

#[test]
fn a_long_condition_is_broken_with_its_parts_aligned() {
    let text = "(<= (threatened ?player ?x ?y) (not (or (next_piece_north_west ?piece ?x ?y) (and (owner ?player ?piece) (is_type ?piece bishop)) (next_piece_south ?piece ?x ?y))) (role ?player))";
    assert_eq!(
        kif(text),
        "\
(<= (threatened ?player ?x ?y)
  (not (or (next_piece_north_west ?piece ?x ?y)
           (and (owner ?player ?piece) (is_type ?piece bishop))
           (next_piece_south ?piece ?x ?y)))
  (role ?player))
"
    );
    assert_eq!(
        infix(text),
        "\
threatened(Player,X,Y) :-
  ~(next_piece_north_west(Piece,X,Y) |
    (owner(Player,Piece) & is_type(Piece,bishop)) |
    next_piece_south(Piece,X,Y)) &
  role(Player)
"
    );
}

#[test]
fn rules_and_series_of_facts_are_set_off() {
    assert_eq!(
        kif("(role a)\n(role b)\n(succ 1 2)\n(succ 2 3)\n(<= p (q))\n(<= p r)\n(init (p))"),
        "\
(role a)
(role b)

(succ 1 2)
(succ 2 3)

(<= p
  q)

(<= p
  r)

(init p)
"
    );
    assert_eq!(
        kif("(p 1)\n(q 1)\n(p 2)\n(q 2)"),
        "(p 1)\n(q 1)\n(p 2)\n(q 2)\n"
    );
}

#[test]
fn blank_lines_of_the_author_stay_one_at_a_time() {
    assert_eq!(
        kif("\n\n(p 1)\n\n\n\n(p 2)\n \n(p 3)\n\n\n"),
        "(p 1)\n\n(p 2)\n\n(p 3)\n"
    );
}

#[test]
fn facts_on_one_line_stay_there_while_they_fit() {
    assert_eq!(
        kif("(p 1)(p 2)   (p 3)\n(p 4)"),
        "(p 1) (p 2) (p 3)\n(p 4)\n"
    );
    assert_eq!(infix("(p 1)(p 2)\n(p 3)"), "p(1) p(2)\np(3)\n");
    let wide = "(successor 1 2) ".repeat(8);
    assert_eq!(kif(&wide), "(successor 1 2)\n".repeat(8));
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let text = "\
;;; Rules ;;;
(role a) ; the first
; not the second
(role b)
;; Play

; when
(<= (legal a b) ; head
(p a) ; one
; about the next
(q a)
(or (r a) ; left
(s a)) ; right
) ; end
; last
";
    assert_eq!(
        kif(text),
        "\
;;; Rules ;;;
(role a) ; the first
; not the second
(role b)

;; Play

; when
(<= (legal a b) ; head
  (p a) ; one
  ; about the next
  (q a)
  (or (r a) ; left
      (s a)) ; right
  ) ; end

; last
"
    );
    assert_eq!(
        infix(text),
        "\
%%% Rules %%%
role(a) % the first
% not the second
role(b)

%% Play

% when
legal(a,b) :- % head
  p(a) & % one
  % about the next
  q(a) &
  (r(a) | % left
   s(a)) % right

% end
% last
"
        .replace("%%% Rules %%%", "%%% Rules ;;;")
    );
}

#[test]
fn comments_within_an_atom_move_before_it() {
    assert_eq!(
        kif("(init ; start\n (p a))\n(<= p\n(q ; which\n a)\n(r))"),
        "; start\n(init (p a))\n\n(<= p\n  ; which\n  (q a)\n  r)\n"
    );
}

#[test]
fn comments_after_the_last_condition_stay_in_the_rule() {
    assert_eq!(
        kif("(<= p\n (q)\n ; (r)\n)\n"),
        "(<= p\n  q\n  ; (r)\n  )\n"
    );
}

#[test]
fn a_sheet_of_comments_is_kept() {
    let text = "; nothing\n\n; at all\n";
    assert_eq!(format(&parse(text).description, text, Notation::Kif), text);
}

#[test]
fn needless_parentheses_are_removed() {
    assert_eq!(kif("((role a)\r\n(open)\r\n)"), "(role a)\nopen\n");
    assert_eq!(
        infix("role(a).\np :- (q) & r."),
        "role(a)\n\np :-\n  q &\n  r\n"
    );
}

#[test]
fn rules_without_conditions_count_as_facts() {
    assert_eq!(kif("(<= (p a))\n(p b)"), "(<= (p a))\n(p b)\n");
    assert_eq!(infix("(<= (p a))\n(p b)"), "p(a) :- .\np(b)\n");
}
